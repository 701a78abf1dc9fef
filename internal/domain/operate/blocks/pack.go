package blocks

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Bounds of a list: with these all lists that are published for this purpose fit, and a list of hashes takes 64 MiB.
const (
	maxLines = 2_000_000
	maxLine  = 1024
)

// A LineError is a line of a list that is none of its kind.
type LineError struct {
	Line int
	Err  error
}

// Error implements error.
func (e LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns the reason.
func (e LineError) Unwrap() error { return e.Err }

// pack reads a list: a value a line, with empty lines and lines that begin with "#" left out. It returns the keys of the
// values in order, each once. Values with a risk are refused unless they are confirmed. A refusal is a LineError.
func pack(kind string, r io.Reader, own []string, confirmed bool) (body []byte, lines int, err error) {
	if kind == Publisher {
		return nil, 0, errors.New("hashes of networks come from a project: use --network-of PROJECT")
	}
	var keys []string
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, maxLine), maxLine)
	n := 0
	for in.Scan() {
		n++
		text := strings.TrimSpace(in.Text())
		if n == 1 {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		v, err := parse(kind, text, own)
		if err == nil && v.risk != "" && !confirmed {
			err = RiskError(v.risk)
		}
		if err == nil && len(keys) == maxLines {
			err = fmt.Errorf("a list has %d values at most", maxLines)
		}
		if err != nil {
			return nil, 0, LineError{n, err}
		}
		keys = append(keys, v.key)
	}
	if errors.Is(in.Err(), bufio.ErrTooLong) {
		return nil, 0, LineError{n + 1, fmt.Errorf("it is longer than %d bytes", maxLine)}
	}
	if in.Err() != nil {
		return nil, 0, in.Err()
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	if len(keys) == 0 {
		return nil, 0, errors.New("the list has no values: to end it, remove it by its name")
	}
	return join(kind, keys), len(keys), nil
}

// join returns the body of a list with these keys.
func join(kind string, keys []string) []byte {
	var b bytes.Buffer
	for i, key := range keys {
		if i > 0 && width(kind) == 0 {
			b.WriteByte('\n')
		}
		b.WriteString(key)
	}
	return b.Bytes()
}

// A RiskError is a value that hits more than harmful callers, and was not confirmed.
type RiskError string

// Error implements error.
func (e RiskError) Error() string { return string(e) + ": confirm it with --yes" }
