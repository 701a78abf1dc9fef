package content

import (
	"bytes"

	"github.com/emmansun/base64"
)

// An alphabet is one of the two of RFC 4648, which differ in their last two characters.
type alphabet uint8

const (
	neutral  alphabet = iota // only characters that both have
	standard                 // + and /
	urlSafe                  // - and _
)

// The values of digit for bytes that stand for no six bits.
const (
	pad8 = 64
	bad8 = 255
)

// digit maps each byte to its six bits in either alphabet.
var digit = digitTable()

func digitTable() (t [256]uint8) {
	for i := range t {
		t[i] = bad8
	}
	const common = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	for i := range len(common) {
		t[common[i]] = uint8(i)
	}
	t['+'], t['-'] = 62, 62
	t['/'], t['_'] = 63, 63
	t['='] = pad8
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

// An unpacker decodes base64 text. Whole groups of four go through the SIMD decoder of the library; groups that it
// refuses, and the ends of blocks, go through slow, which alone judges: it knows the position, and is strict where the
// library is not (it skips raw line breaks).
type unpacker struct {
	enc    Encoding // as declared before the content
	told   alphabet // of the characters so far
	toldAt int64    // the character that showed it
	head   []byte   // the first characters, to detect a data: URL
	done   int64    // characters before the block, without line breaks

	bits   uint32 // of an incomplete group of four
	n      int    // its characters
	lastAt int64  // the last of them
	pads   int    // the = characters so far
	padAt  int64  // the last of them
}

// block decodes b into dst, which must hold 3 bytes for each 4 characters and 3 more, and returns the number of bytes
// written before the error, if any.
func (u *unpacker) block(dst []byte, b *block) (int, error) {
	if len(u.head) < 5 {
		u.head = append(u.head, b.text[:min(5, len(b.text))]...)
	}
	i := 0
	if u.n > 0 {
		i = min(4-u.n, len(b.text))
	}
	n, err := u.slow(dst, b, 0, i)
	if err != nil {
		return n, err
	}
	if u.pads == 0 && u.n == 0 {
		m := u.fast(dst[n:], b, i)
		n, i = n+m, i+m/3*4
	}
	m, err := u.slow(dst[n:], b, i, len(b.text))
	u.done += int64(len(b.text))
	if u.n > 0 && u.pads == 0 && len(b.text) > 0 {
		u.lastAt = b.start + int64(b.chars-b.tail)
	}
	return n + m, err
}

// fast decodes groups of four from b.text[i:], all of them but the last, which may hold padding; or none, and returns
// the number of bytes.
func (u *unpacker) fast(dst []byte, b *block, i int) int {
	src := b.text[i:]
	src = src[:max(0, len(src)-1)/4*4]
	a, k := u.told, -1
	if a == neutral {
		if k = telling(src); k >= 0 {
			a = alphabetOf(src[k])
		}
	}
	if k >= 0 && u.enc.alphabet() != neutral && a != u.enc.alphabet() {
		return 0
	}
	enc := base64.RawStdEncoding
	if a == urlSafe {
		enc = base64.RawURLEncoding
	}
	n, err := enc.Decode(dst, src)
	if err != nil || n != len(src)/4*3 {
		return 0
	}
	if k >= 0 {
		u.told = a
		u.toldAt, _ = b.at(i + k)
	}
	return n
}

// telling returns the index of the first character that only one of the alphabets has, -1 if there is none.
func telling(src []byte) int {
	first := -1
	for _, c := range []byte("+/-_") {
		if k := bytes.IndexByte(src, c); k >= 0 {
			src, first = src[:k], k
		}
	}
	return first
}

// slow decodes b.text[from:to] character by character.
func (u *unpacker) slow(dst []byte, b *block, from, to int) (n int, err error) {
	last := -1
	for k := from; k < to; k++ {
		c := b.text[k]
		v := digit[c]
		switch {
		case v == bad8:
			return n, u.refuse(b, k)
		case u.pads > 0 || v == pad8:
			if last >= 0 {
				u.lastAt, _ = b.at(last)
			}
			if err := u.pad(b, k); err != nil {
				return n, err
			}
			continue
		}
		if a := alphabetOf(c); a != neutral && a != u.told {
			if err := u.tell(a, b, k); err != nil {
				return n, err
			}
		}
		last = k
		u.bits = u.bits<<6 | uint32(v)
		if u.n++; u.n == 4 {
			dst[n], dst[n+1], dst[n+2] = byte(u.bits>>16), byte(u.bits>>8), byte(u.bits)
			n += 3
			u.n, u.bits = 0, 0
		}
	}
	return n, nil
}

// tell records the alphabet that text[k] shows.
func (u *unpacker) tell(a alphabet, b *block, k int) error {
	at, _ := b.at(k)
	if u.told != neutral {
		return contentError(MixedAlphabets, at,
			"content mixes the alphabets of base64 (+ and /) and base64url (- and _): its character %d is %s", at, quoted(rune(b.text[k])))
	}
	if u.enc.alphabet() != neutral && a != u.enc.alphabet() {
		return u.enc.wrongAlphabet(at)
	}
	u.told, u.toldAt = a, at
	return nil
}

// pad handles text[k], which is a = or stands after one.
func (u *unpacker) pad(b *block, k int) error {
	at, _ := b.at(k)
	switch {
	case b.text[k] != '=':
		return contentError(AfterPadding, at, "content goes on behind its padding, at character %d", at)
	case u.n == 1:
		return u.length()
	case u.n+u.pads >= 4 || u.n == 0:
		return contentError(Padding, at, "content has a = too many at character %d", at)
	}
	u.pads++
	u.padAt = at
	return nil
}

// finish checks that the text may end here, and decodes its last group.
func (u *unpacker) finish(dst []byte) (int, error) {
	switch {
	case u.n == 0:
		return 0, nil
	case u.n == 1:
		return 0, u.length()
	case u.pads > 0 && u.n+u.pads != 4:
		return 0, contentError(Padding, u.padAt, "content ends in one = where two belong, at character %d", u.padAt)
	}
	spare := 2 * (4 - u.n)
	if u.bits&(1<<spare-1) != 0 {
		return 0, contentError(TrailingBits, u.lastAt,
			"content ends inside a byte: the last bits of its character %d are not zero, so text was cut off or changed", u.lastAt)
	}
	v := u.bits >> spare
	if u.n == 2 {
		dst[0] = byte(v)
		return 1, nil
	}
	dst[0], dst[1] = byte(v>>8), byte(v)
	return 2, nil
}

func (u *unpacker) length() error {
	return contentError(Length, u.lastAt,
		"content has the wrong length for base64: the character %d stands alone in its group of four", u.lastAt)
}
