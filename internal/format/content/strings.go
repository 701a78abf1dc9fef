package content

import (
	"unicode/utf16"
	"unicode/utf8"
)

// text reads a string whose opening quote is next, and returns it unescaped.
func (p *parser) text() (string, error) {
	start, at := len(p.tok), p.offset()+1
	p.take(1)
	var out []byte
	for {
		c, err := p.peek()
		if err != nil {
			return "", err
		}
		switch {
		case c == '"':
			p.take(1)
			if n := invalidUTF8(p.tok[start:]); n >= 0 {
				return "", p.faultAt(at+int64(n), UTF8, "a string is not valid UTF-8")
			}
			return string(out), nil
		case c == '\\':
			r, err := p.escape()
			if err != nil {
				return "", err
			}
			out = utf8.AppendRune(out, r)
		case c < ' ':
			return "", p.control(rune(c))
		default:
			n := plainRun(p.seen())
			out = append(out, p.seen()[:n]...)
			p.take(n)
		}
	}
}

// plainRun returns how many bytes at the beginning of b need no unescaping in a string.
func plainRun(b []byte) int {
	for i, c := range b {
		if c == '"' || c == '\\' || c < ' ' {
			return i
		}
	}
	return len(b)
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

// escape reads an escape sequence of a string.
func (p *parser) escape() (rune, error) {
	for {
		r, n, bad := unescape(p.seen())
		if bad != "" {
			return 0, p.badEscape(bad)
		}
		if n > 0 {
			p.take(n)
			return r, nil
		}
		if err := p.more(); err != nil {
			return 0, err
		}
	}
}

// unescape reads the escape sequence that b begins with: its character and its length in bytes. The length is 0 if b
// ends too early; bad is the fault of an invalid one.
func unescape(b []byte) (r rune, n int, bad Reason) {
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
		return unescapeHex(b)
	}
	return 0, 0, Syntax
}

// unescapeHex reads \uXXXX, or two of them that make a surrogate pair.
func unescapeHex(b []byte) (rune, int, Reason) {
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
