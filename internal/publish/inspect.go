package publish

import (
	"bytes"
	"crypto/sha256"
	"hash"
	"unicode/utf8"

	"sandlot/internal/content"
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
	keys   keySearch
	base64 wholeBase64
}

func newInspector() *inspector {
	return &inspector{sum: sha256.New(), text: true, keys: keySearch{at: -1}, base64: wholeBase64{ok: true}}
}

// Write never fails.
func (in *inspector) Write(p []byte) (int, error) {
	in.sum.Write(p)
	if in.text { // in what is no text, a key is nobody's mistake
		in.keys.write(p)
	}
	in.checkText(p)
	in.base64.write(p)
	if room := headSize - len(in.head); room > 0 {
		in.head = append(in.head, p[:min(room, len(p))]...)
	}
	in.size += int64(len(p))
	return len(p), nil
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
	whole := p[:len(p)-content.PartialRune(p)]
	in.text = utf8.Valid(whole)
	in.split = append([]byte(nil), p[len(whole):]...)
}

// content tells what was seen.
func (in *inspector) content() Content {
	c := Content{Blob: Blob{Size: in.size, Text: in.text && len(in.split) == 0}, KeyAt: in.keys.at}
	in.sum.Sum(c.SHA256[:0])
	c.Empty = in.size == 0
	c.Gzip = isGzip(in.head)
	c.Within = in.base64.begins()
	c.Base64 = bytes.HasPrefix(c.Within, []byte("<")) || isGzip(c.Within)
	c.Head = in.head
	return c
}

func isGzip(p []byte) bool { return len(p) >= 2 && p[0] == 0x1f && p[1] == 0x8b }
