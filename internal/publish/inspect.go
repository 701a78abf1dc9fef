package publish

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"unicode/utf8"
)

// headSize is how much of a file's beginning is looked at for its title.
const headSize = 16 << 10

// inspector looks at a file's bytes as they pass, once, in constant memory.
type inspector struct {
	sum    hash.Hash
	size   int64
	head   []byte
	text   bool   // so far valid UTF-8
	split  []byte // an unfinished character at the end of what passed
	tail   []byte // the last bytes, where a key may have begun
	keyAt  int64
	base64 *wholeBase64
}

func newInspector() *inspector {
	return &inspector{sum: sha256.New(), text: true, keyAt: -1, base64: &wholeBase64{ok: true}}
}

// Write never fails.
func (in *inspector) Write(p []byte) (int, error) {
	in.sum.Write(p)
	in.findKey(p)
	in.checkText(p)
	in.base64.write(p)
	if room := headSize - len(in.head); room > 0 {
		in.head = append(in.head, p[:min(room, len(p))]...)
	}
	in.size += int64(len(p))
	return len(p), nil
}

// findKey looks for one of the service's keys, also across two writes.
func (in *inspector) findKey(p []byte) {
	if in.keyAt >= 0 || !in.text {
		return
	}
	const most = 4 + keyRandom + keySum - 1
	seam := append(in.tail, p[:min(most, len(p))]...)
	if at := FindKey(seam); at >= 0 {
		in.keyAt = in.size - int64(len(in.tail)) + int64(at)
	} else if mayHoldKey(p) {
		if at := FindKey(p); at >= 0 {
			in.keyAt = in.size + int64(at)
		}
	}
	if len(p) >= most {
		seam = p
	}
	in.tail = append([]byte(nil), seam[max(0, len(seam)-most):]...)
}

// mayHoldKey is the cheap test that nearly all content fails. It goes from one
// underscore to the next, of which texts have far fewer than of the letter s.
func mayHoldKey(p []byte) bool {
	for {
		i := bytes.IndexByte(p, '_')
		if i < 0 {
			return false
		}
		if i >= 3 && p[i-3] == 's' && p[i-2] == 'l' && (p[i-1] == 'a' || p[i-1] == 'p') {
			return true
		}
		p = p[i+1:]
	}
}

func (in *inspector) checkText(p []byte) {
	if !in.text {
		return
	}
	if len(in.split) > 0 {
		need := min(utf8.UTFMax-len(in.split), len(p))
		joined := append(in.split, p[:need]...)
		if !utf8.FullRune(joined) && len(joined) < utf8.UTFMax {
			in.split = joined
			return
		}
		r, n := utf8.DecodeRune(joined)
		if r == utf8.RuneError && n <= 1 {
			in.text = false
			return
		}
		p = p[n-len(in.split):]
		in.split = nil
	}
	whole := p[:len(p)-unfinished(p)]
	in.text = utf8.Valid(whole)
	in.split = append([]byte(nil), p[len(whole):]...)
}

// unfinished returns how many bytes at the end of p begin a character that p
// does not finish.
func unfinished(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if c := p[len(p)-n]; utf8.RuneStart(c) {
			if utf8.FullRune(p[len(p)-n:]) {
				return 0
			}
			return n
		}
	}
	return 0
}

// content tells what was seen.
func (in *inspector) content() Content {
	c := Content{Blob: Blob{Size: in.size, Text: in.text && len(in.split) == 0}, KeyAt: in.keyAt}
	in.sum.Sum(c.SHA256[:0])
	c.Empty = in.size == 0
	c.Gzip = isGzip(in.head)
	c.Base64 = in.base64.markup()
	c.Head = in.head
	return c
}

func isGzip(p []byte) bool { return len(p) >= 2 && p[0] == 0x1f && p[1] == 0x8b }

// wholeBase64 finds out whether everything written is one base64 text, in
// either alphabet, line breaks and padding allowed, and what it begins with.
type wholeBase64 struct {
	ok    bool
	first []byte // the first characters, enough for three bytes
	n     int    // characters that carry bits
	pad   int
}

func (b *wholeBase64) write(p []byte) {
	for _, c := range p {
		switch {
		case !b.ok:
			return
		case c == '\r' || c == '\n':
		case c == '=':
			b.pad++
			b.ok = b.pad <= 2
		case b.pad > 0 || !base64Char(c):
			b.ok = false
		default:
			b.take(c)
		}
	}
}

func (b *wholeBase64) take(c byte) {
	b.n++
	if len(b.first) == 4 {
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

func base64Char(c byte) bool {
	return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' ||
		c == '+' || c == '/' || c == '-' || c == '_'
}

// markup reports whether the text decodes whole to bytes that begin like HTML or
// like gzip.
func (b *wholeBase64) markup() bool {
	if !b.ok || b.n < 2 || b.n%4 == 1 || b.pad > 0 && (b.n+b.pad)%4 != 0 {
		return false
	}
	first := [4]byte{'A', 'A', 'A', 'A'}
	copy(first[:], b.first)
	var out [3]byte
	if _, err := base64.StdEncoding.Decode(out[:], first[:]); err != nil {
		return false
	}
	return out[0] == '<' || isGzip(out[:min(3, b.n*6/8)])
}
