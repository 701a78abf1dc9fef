package inspect

import (
	"encoding/base64"
	"strings"

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
	for i := 0; i < len(p) && b.ok; i++ {
		switch c := p[i]; base64Kinds[c] {
		case lineBreak:
		case padding:
			b.pad++
			b.ok = b.pad <= 2
		case carriesBits:
			b.ok = b.pad == 0
			if b.n++; len(b.first) < firstChars {
				b.first = append(b.first, c)
			}
		default:
			b.ok = false
		}
	}
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
	// One alphabet is enough for this. Where the text ends, bits beyond the last byte may be set.
	text := strings.NewReplacer("-", "+", "_", "/").Replace(string(b.first) + "AAA")
	out, err := base64.StdEncoding.DecodeString(text[:len(text)&^3])
	if err != nil {
		return nil
	}
	return out[:len(b.first)*6/8]
}
