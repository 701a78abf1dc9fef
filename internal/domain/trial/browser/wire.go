package browser

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"sandlot/internal/domain/trial"
	"sandlot/internal/format/inspect"
)

// The kinds of frames between the two processes, and the most bytes of each. A frame is its kind, the length of its
// body in four bytes, and the body.
const (
	frameOrder  = 'o' // to the worker: the page to open
	frameReady  = 'l' // from the worker: it listens; the listener comes beside it
	frameReport = 'r'
	frameShot   = 's'
	frameFailed = 'e' // in place of a report
)

var mostOf = map[byte]int{frameOrder: 4 << 10, frameReady: 0, frameReport: 64 << 10, frameShot: mostShot, frameFailed: 1 << 10}

// An order is the task of a worker.
type order struct {
	Browser string // the program
	URL     string // the page; empty: only prove that a browser starts here
	Times   times
	Key     string // the hash of the key of the origin's certificate, if it is an https origin
}

// A report holds a worker's observations. None of them can be believed: the page may have taken the browser over.
type report struct {
	Painted bool
	Paint   int64 // ms
	Moved   bool
	Blank   bool
	Unseen  bool // there were too few screenshots to see whether it moved
	Hangs   bool
	Errors  []string
}

func writeFrame(w io.Writer, kind byte, body []byte) error {
	if len(body) > mostOf[kind] {
		return fmt.Errorf("a frame %q of %d bytes is too long", kind, len(body))
	}
	head := binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(body)))
	_, err := w.Write(append(head, body...))
	return err
}

// readFrame reads a frame; one longer than its kind may be is an error before it is read.
func readFrame(r io.Reader) (kind byte, body []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	most, known := mostOf[head[0]]
	n := binary.BigEndian.Uint32(head[1:])
	if !known || n > uint32(most) {
		return 0, nil, fmt.Errorf("a frame %q of %d bytes", head[0], n)
	}
	body = make([]byte, n)
	_, err = io.ReadFull(r, body)
	return head[0], body, err
}

func writeJSON(w io.Writer, kind byte, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return writeFrame(w, kind, body)
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
