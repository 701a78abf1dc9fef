package inspect

import (
	"encoding/base64"

	"sandlot/internal/format/names"
)

// wholeBase64 detects whether everything written is one base64 text, in either alphabet, line breaks and padding
// allowed, and keeps its beginning.
type wholeBase64 struct {
	ok    bool
	first []byte // the first characters, enough to identify the decoded bytes
	n     int    // characters that carry bits
	pad   int
}

// firstChars is how many characters hold the bytes that identify a file.
const firstChars = 16

func (b *wholeBase64) write(p []byte) {
	for len(p) > 0 && b.ok && len(b.first) < firstChars {
		b.take(p[0])
		p = p[1:]
	}
	for len(p) > 0 && b.ok {
		// The usual characters take no branch each, for noise among them would cost more than their number.
		n, i := 0, 0
		for ; i < len(p); i++ {
			kind := base64Kinds[p[i]]
			if kind > carriesBits {
				break
			}
			n += int(kind)
		}
		if b.n += n; n > 0 && b.pad > 0 {
			b.ok = false
		} else if i < len(p) {
			b.take(p[i])
			i++
		}
		p = p[i:]
	}
}

// take adds one character.
func (b *wholeBase64) take(c byte) {
	switch base64Kinds[c] {
	case lineBreak:
	case padding:
		b.pad++
		b.ok = b.pad <= 2
	case carriesBits:
		if b.ok = b.pad == 0; b.ok {
			b.n++
			b.keep(c)
		}
	default:
		b.ok = false
	}
}

func (b *wholeBase64) keep(c byte) {
	if len(b.first) == firstChars {
		return
	}
	switch c { // one alphabet is enough for the look at the beginning
	case '-':
		c = '+'
	case '_':
		c = '/'
	}
	b.first = append(b.first, c)
}

// The kinds of characters in a base64 text.
const (
	lineBreak uint8 = iota
	carriesBits
	padding
	foreign
)

var base64Kinds = makeBase64Kinds()

func makeBase64Kinds() (kinds [256]uint8) {
	for c := range kinds {
		kinds[c] = foreign
	}
	for i := range len(names.Base62) {
		kinds[names.Base62[i]] = carriesBits
	}
	for _, c := range "+/-_" {
		kinds[c] = carriesBits
	}
	kinds['='], kinds['\r'], kinds['\n'] = padding, lineBreak, lineBreak
	return kinds
}

// begins returns the first bytes of the decoded text, or nothing if the whole is no base64.
func (b *wholeBase64) begins() []byte {
	if !b.ok || b.n < 2 || b.n%4 == 1 || b.pad > 0 && (b.n+b.pad)%4 != 0 {
		return nil
	}
	whole := len(b.first) &^ 3
	out, err := base64.RawStdEncoding.DecodeString(string(b.first[:whole]))
	if err != nil {
		return nil
	}
	if rest := b.first[whole:]; len(rest) > 1 { // where the text ends, bits beyond the last byte may be set
		end := [4]byte{'A', 'A', 'A', 'A'}
		copy(end[:], rest)
		var last [3]byte
		if _, err := base64.StdEncoding.Decode(last[:], end[:]); err == nil {
			out = append(out, last[:len(rest)-1]...)
		}
	}
	return out
}
