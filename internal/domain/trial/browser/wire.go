package browser

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"
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
