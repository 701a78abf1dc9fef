package content

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// A stringReader yields a string of JSON, whose opening quote is consumed: unescaped, in UTF-8, block by block.
type stringReader struct {
	p     *parser
	field string // for messages
	small bool   // it counts as the rest of the body, and is kept in tok
	lax   bool   // it is skipped, so that control characters and bytes that are not UTF-8 do not matter
}

// text reads a string whose opening quote is next, and returns it unescaped.
func (p *parser) text() (string, error) {
	p.take(1)
	s := &stringReader{p: p, field: plainName(p.field), small: true}
	var out []byte
	for {
		b, err := s.next()
		out = append(out, b...)
		if err == io.EOF {
			p.take(1)
			return string(out), nil
		}
		if err != nil {
			return "", err
		}
	}
}

// skip consumes the string up to its closing quote.
func (s *stringReader) skip() error {
	s.lax = true
	for {
		if _, err := s.next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// next returns the next block, which stays until the call after it, or io.EOF when the closing quote is next. An error
// may come with the block before it. The search for that quote runs once over each window, so that neither many escapes
// nor small reads make it quadratic.
func (s *stringReader) next() ([]byte, error) {
	for {
		c, err := s.p.peek()
		if err != nil {
			return nil, err
		}
		if c == '"' {
			return nil, io.EOF
		}
		window := s.p.seen()
		out, n, err := s.unescape(window)
		if s.small {
			s.p.tok = append(s.p.tok, window[:n]...)
		}
		s.p.r += n
		if n > 0 || err != nil {
			return out, err
		}
		if err := s.p.more(); err != nil {
			return nil, err
		}
	}
}

// unescape returns the decoded characters of window, up to the closing quote, and how many bytes they take: none if
// window ends inside its first character. No decoded character is longer than its source.
func (s *stringReader) unescape(window []byte) (out []byte, n int, err error) {
	end := stringEnd(window, 0)
	if bytes.IndexByte(window[:end], '\\') >= 0 {
		if cap(s.p.kept) < len(window) {
			s.p.kept = make([]byte, 0, len(s.p.buf))
		}
		out = s.p.kept[:0]
	}
	for n < end {
		run := window[n : n+runBefore(window[n:end], '\\')]
		if at := invalid(run); at >= 0 && !s.lax {
			return append(out, run[:at]...), n + at, s.refuse(run[at], n+at)
		}
		if len(run) == end {
			return run, end, nil
		}
		out = append(out, run...)
		if n += len(run); n == end {
			break
		}
		r, size, bad := escape(window[n:])
		if bad != "" {
			return out, n, s.p.badEscape(bad, n)
		}
		if size == 0 {
			break
		}
		out = utf8.AppendRune(out, r)
		if n += size; n > end { // the quote was an escaped one
			end = stringEnd(window, n)
		}
	}
	return out, n, nil
}

// stringEnd returns the index of the first quote in window[from:], or of the end of its whole characters.
func stringEnd(window []byte, from int) int {
	if end := bytes.IndexByte(window[from:], '"'); end >= 0 {
		return from + end
	}
	return len(window) - PartialRune(window)
}

// runBefore returns how many bytes of b stand before the first c.
func runBefore(b []byte, c byte) int {
	if n := bytes.IndexByte(b, c); n >= 0 {
		return n
	}
	return len(b)
}

// invalid returns the index of the first byte of b that may not stand in a string, -1 if all may.
func invalid(b []byte) int {
	whole := len(b)
	for i := 0; i < whole; {
		switch {
		case i+8 <= len(b) && noControl(binary.LittleEndian.Uint64(b[i:])):
			i += 8
		case b[i] < ' ':
			whole = i
		default:
			i++
		}
	}
	if bad := invalidUTF8(b[:whole]); bad >= 0 {
		return bad
	}
	if whole < len(b) {
		return whole
	}
	return -1
}

// noControl reports whether no byte of eight is a control character. It may report false where none is.
func noControl(eight uint64) bool {
	const ones = 0x0101010101010101
	return (eight-ones*' ')&(ones*0x80) == 0
}

// invalidUTF8 returns the index of the first byte of b that is no part of a valid sequence, -1 if all are.
func invalidUTF8(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	i := 0
	for {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
}

// refuse returns the fault of c, which stands at that byte of the window.
func (s *stringReader) refuse(c byte, n int) error {
	at := s.p.offset() + int64(n) + 1
	e := &Error{Kind: InvalidJSON, Reason: UTF8, Field: s.field, At: at}
	what := "is not valid UTF-8"
	if c < ' ' {
		e.Reason, what = Control, "holds the control character "+quoted(rune(c))+" without an escape,"
	}
	e.Message = fmt.Sprintf("%s %s at byte %d of the body", nameOr(s.field, "a string"), what, at)
	return e
}

// escape reads the escape sequence that b begins with: its character and its length in bytes. The length is 0 if b
// ends too early; bad is the fault of an invalid one.
func escape(b []byte) (r rune, n int, bad Reason) {
	if len(b) < 2 {
		return 0, 0, ""
	}
	switch b[1] {
	case '"', '\\', '/':
		return rune(b[1]), 2, ""
	case 'b':
		return '\b', 2, ""
	case 'f':
		return '\f', 2, ""
	case 'n':
		return '\n', 2, ""
	case 'r':
		return '\r', 2, ""
	case 't':
		return '\t', 2, ""
	case 'u':
		return escapeHex(b)
	}
	return 0, 0, Syntax
}

// escapeHex reads \uXXXX, or two of them that make a surrogate pair.
func escapeHex(b []byte) (rune, int, Reason) {
	r, ok, short := hex4(b[2:])
	switch {
	case !ok:
		return 0, 0, Syntax
	case short:
		return 0, 0, ""
	case !utf16.IsSurrogate(r):
		return r, 6, ""
	case r >= 0xdc00:
		return 0, 0, Surrogate
	}
	for i, c := range []byte(`\u`) {
		if len(b) == 6+i {
			return 0, 0, ""
		}
		if b[6+i] != c {
			return 0, 0, Surrogate
		}
	}
	low, ok, short := hex4(b[8:])
	switch {
	case !ok:
		return 0, 0, Syntax
	case short:
		return 0, 0, ""
	}
	if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
		return 0, 0, Surrogate
	}
	return r, 12, ""
}

// hex4 reads four hexadecimal digits; short means that b ends before the fourth.
func hex4(b []byte) (r rune, ok, short bool) {
	for i := range 4 {
		if i == len(b) {
			return 0, true, true
		}
		c := b[i]
		switch {
		case isDigit(c):
			c -= '0'
		case isLetter(c) && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false, false
		}
		r = r<<4 | rune(c)
	}
	return r, true, false
}
