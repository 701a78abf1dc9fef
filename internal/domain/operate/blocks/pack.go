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

// Bounds of a list: with these all lists that are published for this purpose fit, and a list takes 32 MiB.
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
// values in order, each once, and their number. Values with a risk are refused unless they are confirmed. A refusal is a
// LineError.
func (s *Service) pack(kind string, r io.Reader, confirmed bool) (body []byte, lines int, err error) {
	var keys []key
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, maxLine), maxLine)
	n := 0
	for in.Scan() {
		n++
		text := strings.TrimSpace(strings.TrimPrefix(in.Text(), "\ufeff"))
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		value, err := s.accept(kind, text, confirmed)
		if err == nil && len(keys) == maxLines {
			err = fmt.Errorf("a list has %d values at most", maxLines)
		}
		if err != nil {
			return nil, 0, LineError{n, err}
		}
		keys = append(keys, keyOf(kind, value))
	}
	if errors.Is(in.Err(), bufio.ErrTooLong) {
		return nil, 0, LineError{n + 1, fmt.Errorf("it is longer than %d bytes", maxLine)}
	}
	if in.Err() != nil {
		return nil, 0, in.Err()
	}
	slices.SortFunc(keys, func(a, b key) int { return bytes.Compare(a[:], b[:]) })
	keys = slices.Compact(keys)
	if len(keys) == 0 {
		return nil, 0, errors.New("the list has no values: to end it, remove it by its name")
	}
	for _, k := range keys {
		body = append(body, k[:]...)
	}
	return body, len(keys), nil
}
