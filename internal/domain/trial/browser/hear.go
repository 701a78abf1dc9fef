package browser

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode"

	"sandlot/internal/domain/trial"
	"sandlot/internal/format/inspect"
)

// heard holds the messages of a worker until it ended.
type heard struct {
	report report
	shot   []byte
}

// hear reads all messages of a worker after it is ready. A worker sends each kind once.
func hear(r io.Reader) (h heard, err error) {
	for {
		kind, body, err := readFrame(r)
		switch {
		case err != nil:
			return h, fmt.Errorf("the worker broke off: %w", err)
		case kind == frameShot && h.shot == nil:
			h.shot = body
		case kind == frameFailed:
			return h, errors.New(plainText(string(body), 1<<10))
		case kind == frameReport:
			return h, json.Unmarshal(body, &h.report)
		default:
			return h, fmt.Errorf("the worker sent a frame %q", kind)
		}
	}
}

// seen returns the observations in the messages that can be accepted.
func (h heard) seen(wall time.Duration) trial.Seen {
	s := trial.Seen{Shot: h.shot, Moved: h.report.Moved, Blank: h.report.Blank, Unseen: h.report.Unseen, Hangs: h.report.Hangs}
	if h.report.Painted {
		s.FirstPaint = time.Duration(min(max(h.report.Paint, 1), wall.Milliseconds())) * time.Millisecond
	}
	for _, e := range h.report.Errors {
		if e = plainText(e, trial.MostText); e != "" && len(s.Errors) < trial.MostEntries {
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
