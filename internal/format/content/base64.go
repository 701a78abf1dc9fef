package content

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/emmansun/base64"
)

// An alphabet is one of the two of RFC 4648, which differ in their last two characters.
type alphabet uint8

const (
	neutral  alphabet = iota // only characters that both have
	standard                 // + and /
	urlSafe                  // - and _
)

// badDigit is the value of bytes that stand for no six bits.
const badDigit = 255

// digit maps each byte to its six bits in either alphabet.
var digit = digitTable()

func digitTable() (t [256]uint8) {
	for i := range t {
		t[i] = badDigit
	}
	const common = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	for i := range len(common) {
		t[common[i]] = uint8(i)
	}
	t['+'], t['-'] = 62, 62
	t['/'], t['_'] = 63, 63
	return t
}

// alphabetOf returns the alphabet that c belongs to, neutral if both have it.
func alphabetOf(c byte) alphabet {
	switch c {
	case '+', '/':
		return standard
	case '-', '_':
		return urlSafe
	}
	return neutral
}

// An unpacker decodes base64 text. Whole groups of four go through a library with SIMD; groups that it refuses, and
// the ends of lines, go through slow, which alone judges: it knows the position, and is strict where the library is not.
type unpacker struct {
	field   string   // for messages
	enc     Encoding // as declared before the content
	shown   alphabet // of the characters so far
	shownAt int64    // the character that showed it
	at      int64    // characters so far, line breaks included

	bits   uint32 // of an incomplete group of four
	n      int    // its characters
	lastAt int64  // the last of all characters that carry bits
	pads   int    // the = characters so far
	padAt  int64  // the last of them
}

// decode appends the bytes of text to dst. With an error it returns those before it.
func (u *unpacker) decode(dst, text []byte) (_ []byte, err error) {
	for len(text) > 0 {
		line := text[:runBefore(text, '\n')]
		line = line[:runBefore(line, '\r')]
		text = text[len(line):]
		begin := min(-u.n&3, len(line))
		if dst, err = u.slow(dst, line, begin); err != nil {
			return dst, err
		}
		dst, line = u.fast(dst, line[begin:])
		if dst, err = u.slow(dst, line, len(line)); err != nil {
			return dst, err
		}
		if len(text) > 0 { // a line break
			text = text[1:]
			u.at++
		}
	}
	return dst, nil
}

// fast appends the bytes of the groups of four of line, all of them but the last, which may hold padding; or of none.
// It also returns the rest of line.
func (u *unpacker) fast(dst, line []byte) (_, rest []byte) {
	src := line[:max(0, len(line)-1)/4*4]
	if u.pads > 0 || len(src) == 0 {
		return dst, line
	}
	shown, first := u.shown, -1
	if shown == neutral {
		if first = bytes.IndexAny(src, "+/-_"); first >= 0 {
			shown = alphabetOf(src[first])
		}
	}
	if declared := u.enc.alphabet(); first >= 0 && declared != neutral && shown != declared {
		return dst, line
	}
	enc := base64.RawStdEncoding
	if shown == urlSafe {
		enc = base64.RawURLEncoding
	}
	out, err := enc.AppendDecode(dst, src)
	if err != nil || len(out)-len(dst) != len(src)/4*3 {
		return dst, line
	}
	if first >= 0 {
		u.shown, u.shownAt = shown, u.at+int64(first)+1
	}
	u.at += int64(len(src))
	u.lastAt = u.at
	return out, line[len(src):]
}

// slow appends the bytes of the first n characters of text, one by one.
func (u *unpacker) slow(dst, text []byte, n int) ([]byte, error) {
	for i, c := range text[:n] {
		u.at++
		v := digit[c]
		switch {
		case v == badDigit && c != '=':
			return dst, u.refuse(text[i:])
		case u.pads > 0 || c == '=':
			if err := u.pad(c); err != nil {
				return dst, err
			}
			continue
		}
		if err := u.note(alphabetOf(c), c); err != nil {
			return dst, err
		}
		u.lastAt = u.at
		u.bits = u.bits<<6 | uint32(v)
		if u.n++; u.n == 4 {
			dst = append(dst, byte(u.bits>>16), byte(u.bits>>8), byte(u.bits))
			u.n, u.bits = 0, 0
		}
	}
	return dst, nil
}

// note records the alphabet that c shows.
func (u *unpacker) note(a alphabet, c byte) error {
	switch {
	case a == neutral || a == u.shown:
		return nil
	case u.shown != neutral:
		return u.fault(MixedAlphabets, u.at, "mixes the alphabets of base64 (+ and /) and base64url (- and _): its character %d is %s",
			u.at, quoted(rune(c)))
	case u.enc.alphabet() != neutral && a != u.enc.alphabet():
		return u.enc.wrongAlphabet(u.at)
	}
	u.shown, u.shownAt = a, u.at
	return nil
}

// pad handles c, which is a = or stands after one.
func (u *unpacker) pad(c byte) error {
	switch {
	case c != '=':
		return u.fault(AfterPadding, u.at, "goes on behind its padding, at character %d", u.at)
	case u.n == 1:
		return u.length()
	case u.n+u.pads >= 4 || u.n == 0:
		return u.fault(Padding, u.at, "has a = too many at character %d", u.at)
	}
	u.pads++
	u.padAt = u.at
	return nil
}

// finish checks that the text may end here, and appends the bytes of its last group.
func (u *unpacker) finish(dst []byte) ([]byte, error) {
	switch {
	case u.n == 0:
		return dst, nil
	case u.n == 1:
		return dst, u.length()
	case u.pads > 0 && u.n+u.pads != 4:
		return dst, u.fault(Padding, u.padAt, "ends in one = where two belong, at character %d", u.padAt)
	}
	spare := 2 * (4 - u.n)
	if u.bits&(1<<spare-1) != 0 {
		return dst, u.fault(TrailingBits, u.lastAt,
			"ends inside a byte: the last bits of its character %d are not zero, so text was cut off or changed", u.lastAt)
	}
	if u.n == 3 {
		dst = append(dst, byte(u.bits>>10))
	}
	return append(dst, byte(u.bits>>spare)), nil
}

func (u *unpacker) length() error {
	return u.fault(Length, u.lastAt, "has the wrong length for base64: the character %d stands alone in its group of four", u.lastAt)
}

// rawTextBefore is the last position at which a character that base64 does not have indicates text that was never
// encoded, rather than a damaged encoding: 64 characters of prose or code without a blank, a bracket, a dot or a comma
// are rare.
const rawTextBefore = 64

// refuse returns the fault of the first character of text, which base64 does not have.
func (u *unpacker) refuse(text []byte) error {
	r, _ := utf8.DecodeRune(text)
	switch {
	case r == ' ' || r == '\t':
		return u.fault(Blank, u.at, "has a blank at character %d, which base64 does not allow", u.at)
	case r == '<' && u.lastAt == 0:
		return u.fault(RawHTML, u.at, "begins with '<' at character %d: that is the file itself; send it as base64", u.at)
	case r == '%':
		return u.fault(PercentEncoded, u.at, "has '%%' at character %d: it is URL-encoded; send plain base64", u.at)
	case u.at <= rawTextBefore && unicode.IsPrint(r):
		return u.fault(RawText, u.at, "has %s at character %d, which base64 does not have: it looks like text that was not encoded",
			quoted(r), u.at)
	}
	return u.fault(BadCharacter, u.at, "has %s at character %d, which base64 does not have", quoted(r), u.at)
}

// fault refuses the text at one of its characters.
func (u *unpacker) fault(reason Reason, at int64, format string, args ...any) error {
	return &Error{
		Kind: InvalidContent, Reason: reason, Field: u.field, At: at,
		Message: u.field + " " + fmt.Sprintf(format, args...),
	}
}
