package content

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"
)

// A textReader is the reader of a string that is a file itself: it yields the string, unescaped, in UTF-8.
type textReader struct {
	p     *parser
	field string
	lim   int64
	total int64
	ready []byte
	err   error // after ready
}

func newTextReader(p *parser, field string) *textReader {
	return &textReader{p: p, field: field, lim: p.lim.Content}
}

// Read implements io.Reader.
func (t *textReader) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	if err := t.fill(); err != nil {
		return 0, err
	}
	n := copy(b, t.ready)
	t.ready = t.ready[n:]
	return n, nil
}

// WriteTo writes all unread bytes to w.
func (t *textReader) WriteTo(w io.Writer) (written int64, err error) {
	for {
		if err := t.fill(); err == io.EOF {
			return written, nil
		} else if err != nil {
			return written, err
		}
		n, err := w.Write(t.ready)
		written += int64(n)
		if err == nil && n < len(t.ready) {
			err = io.ErrShortWrite
		}
		t.ready = t.ready[n:]
		if err != nil {
			return written, err
		}
	}
}

// fill makes ready not empty, or returns the error that follows it.
func (t *textReader) fill() error {
	for len(t.ready) == 0 {
		if t.err != nil {
			return t.p.about(t.err)
		}
		t.ready, t.err = t.next()
		if t.total += int64(len(t.ready)); t.total > t.lim {
			t.ready, t.err = nil, fieldTooLarge(t.field, t.lim)
		}
	}
	return nil
}

// next reads the part of the string in the window: io.EOF when the closing quote is next.
func (t *textReader) next() ([]byte, error) {
	for {
		c, err := t.p.peek()
		if err != nil {
			return nil, err
		}
		if c == '"' {
			return nil, io.EOF
		}
		window := t.p.seen()
		out, n, err := t.unescape(t.p.room(len(window))[:0], window)
		t.p.r += n
		if n > 0 || err != nil {
			return out, err
		}
		if err := t.p.more(); err != nil {
			return nil, err
		}
	}
}

// unescape appends the decoded characters of window to out, up to the closing quote, and returns how many bytes it
// consumed: none if window ends inside its first character. No decoded character is longer than its source.
func (t *textReader) unescape(out, window []byte) (_ []byte, n int, err error) {
	end := bytes.IndexByte(window, '"')
	if end < 0 {
		end = len(window) - PartialRune(window)
	}
	for n < end {
		run := runBefore(window[n:end], '\\')
		if at := invalid(window[n : n+run]); at >= 0 {
			out = append(out, window[n:n+at]...)
			return out, n + at, t.refuse(window[n+at], int64(n+at))
		}
		out = append(out, window[n:n+run]...)
		if n += run; n == end {
			return out, n, nil
		}
		r, size, bad := unescape(window[n:])
		switch {
		case bad != "":
			return out, n, t.badEscape(bad, int64(n))
		case size == 0:
			return out, n, nil
		}
		out = utf8.AppendRune(out, r)
		if n += size; n > end { // the quote was an escaped one
			if end = n + bytes.IndexByte(window[n:], '"'); end < n {
				end = len(window) - PartialRune(window)
			}
		}
	}
	return out, n, nil
}

// invalid returns the index of the first byte of b that may not stand in a string, -1 if all may.
func invalid(b []byte) int {
	for i, c := range b {
		if c < ' ' {
			if bad := invalidUTF8(b[:i]); bad >= 0 {
				return bad
			}
			return i
		}
	}
	return invalidUTF8(b)
}

// refuse returns the fault of c, which stands in the string at that byte of the window.
func (t *textReader) refuse(c byte, at int64) error {
	at += t.p.offset() + 1
	if c < ' ' {
		return &Error{
			Kind: InvalidJSON, Reason: Control, Field: t.field, At: at,
			Message: fmt.Sprintf("%s holds the control character %s without an escape, at byte %d of the body", t.field, quoted(rune(c)), at),
		}
	}
	return &Error{
		Kind: InvalidJSON, Reason: UTF8, Field: t.field, At: at,
		Message: fmt.Sprintf("%s is not valid UTF-8 at byte %d of the body", t.field, at),
	}
}

func (t *textReader) badEscape(reason Reason, at int64) error {
	at += t.p.offset() + 1
	if reason == Surrogate {
		return t.p.faultAt(at, Surrogate, "an escape is half of a surrogate pair")
	}
	return t.p.faultAt(at, Syntax, "an escape of a string is malformed")
}

// close makes a reader harmless that was kept after sink returned.
func (t *textReader) close() { t.ready, t.err = nil, errSinkDone }
