package browser

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"sandlot/internal/domain/trial"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/lure"
)

// ready is the message of a worker that listens; the listener comes beside it.
const ready = 'l'

// The most bytes of a report, whose picture is written in base64, and of the reason in place of one.
const mostReport, mostReason = 2 << 20, 1 << 10

// An order is the task of a worker.
type order struct {
	Browser string // the program
	URL     string // the page; empty: only prove that a browser starts here
	Times   times
	Script  *trial.Script // nil: the moves of a trial
	Until   time.Time     // the end of a script's play, in any state
}

// A report holds a worker's observations. None of them can be believed: the page may have taken the browser over.
type report struct {
	Failed  string // the reason why there is nothing else
	Painted bool
	Paint   int64 // ms
	Moved   bool
	Blank   bool
	Unseen  bool // there were too few screenshots to see whether it moved
	Hangs   bool
	Errors  [trial.MostEntries]string
	Fields  [4]string // the kinds of secrets that the page requests
	Shot    []byte

	// Of a script.
	Before, After []byte
	Values        [trial.MostProbes]value
	Lines         [trial.MostLines]string
	Frames        float64
}

// A value holds the results of a probe, before the steps and after them.
type value struct{ Before, After result }

// A result is one of them.
type result struct {
	JSON  json.RawMessage `json:",omitempty"` // nil: the page gave none
	Error string
}

// send writes a message as JSON. Nothing comes behind it, for the other end reads no more than it needs.
func send(w io.Writer, message any) error {
	text, err := json.Marshal(message)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

// clip cuts a text to at most most bytes, between two characters.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// hear reads the report of a worker, which comes after it is ready.
func hear(conn io.Reader) (r report, err error) {
	err = json.NewDecoder(io.LimitReader(conn, mostReport)).Decode(&r)
	switch {
	case err != nil:
		return report{}, fmt.Errorf("the worker broke off: %w", err)
	case r.Failed != "":
		return report{}, errors.New(plainText(r.Failed, mostReason))
	case len(r.Shot) > mostShot, len(r.Before) > trial.MostPicture, len(r.After) > trial.MostPicture:
		return report{}, errors.New("the worker sends too large a picture")
	}
	return r, nil
}

// seen returns the observations that can be accepted.
func (r report) seen(wall time.Duration) trial.Seen {
	s := trial.Seen{Shot: r.Shot, Moved: r.Moved, Blank: r.Blank, Unseen: r.Unseen, Hangs: r.Hangs}
	if r.Painted {
		s.FirstPaint = time.Duration(min(max(r.Paint, 1), wall.Milliseconds())) * time.Millisecond
	}
	for _, kind := range r.Fields {
		if slices.Contains([]string{lure.Password, lure.Card, lure.Seed, lure.Sends}, kind) && !slices.Contains(s.Fields, kind) {
			s.Fields = append(s.Fields, kind)
		}
	}
	for _, e := range r.Errors {
		if e = plainText(e, trial.MostText); e != "" {
			s.Errors = append(s.Errors, e)
		}
	}
	return s
}

// plainText returns a text of a page in a form that may be shown: valid, on one line, without control and invisible
// characters, without keys, and not longer than most bytes.
func plainText(s string, most int) string {
	s = inspect.Redact(visible(clip(s, 4*most)))
	return strings.TrimSpace(clip(visible(s), most)) // again: a key may have been removed from an encoded text
}

// visible returns a text without characters that control a terminal or the direction of reading, and on one line.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\u2028' || r == '\u2029':
			return ' '
		case r == '\u200c' || r == '\u200d': // these join letters, and make one picture of several
			return r
		case unicode.In(r, unicode.Cc, unicode.Cf):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// tail keeps the last KiB of a process's output for people.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = bytes.Clone(t.text[max(0, len(t.text)-1<<10):])
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return plainText(string(t.text), 1<<10)
}
