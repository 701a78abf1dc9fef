package inspect

import (
	"bytes"
	"unicode/utf8"

	"sandlot/internal/base/checkpoint"
	"sandlot/internal/format/content"
)

// HeadSize is how many bytes of a file's beginning are kept, for its title and its kind.
const HeadSize = 16 << 10

// Findings are the results of an Inspector for a file's bytes.
type Findings struct {
	Gzip   bool   // they begin with the gzip magic
	Base64 bool   // they decode whole as base64 to bytes that begin with "<" or the gzip magic
	Within []byte // if they are whole base64: the first bytes that they decode to
	KeyAt  int64  // the offset of the first of the service's own keys in a text, -1 for none
	Head   []byte // the first HeadSize bytes or less
	Damage Damage // of a text
}

// An Inspector checks a file's bytes as they pass, once, in constant memory.
type Inspector struct {
	*checkpoint.Hash // size, SHA-256 and checkpoints of the bytes written

	head   []byte
	tail   []byte // the last TailSize bytes or more
	text   bool   // valid UTF-8 so far
	split  []byte // an incomplete character at the end of the bytes so far
	keys   keySearch
	base64 wholeBase64
}

// New returns an Inspector of no bytes yet.
func New() *Inspector {
	return &Inspector{Hash: checkpoint.New(), text: true, keys: keySearch{at: -1}, base64: wholeBase64{ok: true}}
}

// Write implements io.Writer. It never fails.
func (in *Inspector) Write(p []byte) (int, error) {
	_, _ = in.Hash.Write(p)
	if in.text { // in other bytes, a key is nobody's mistake
		in.keys.write(p)
	}
	in.checkText(p)
	in.base64.write(p)
	if room := HeadSize - len(in.head); room > 0 {
		in.head = append(in.head, p[:min(room, len(p))]...)
	}
	if in.text {
		in.end(p)
	}
	return len(p), nil
}

// end keeps the last bytes.
func (in *Inspector) end(p []byte) {
	if len(p) >= TailSize {
		in.tail, p = in.tail[:0], p[len(p)-TailSize:]
	} else if len(in.tail)+len(p) > 8*TailSize {
		in.tail = append(in.tail[:0], in.tail[len(in.tail)-TailSize:]...)
	}
	in.tail = append(in.tail, p...)
}

func (in *Inspector) checkText(p []byte) {
	if !in.text {
		return
	}
	if len(in.split) > 0 {
		p = append(in.split, p...)
	}
	whole := p[:len(p)-content.PartialRune(p)]
	in.text = utf8.Valid(whole)
	in.split = bytes.Clone(p[len(whole):])
}

// Text reports whether the bytes written are valid UTF-8.
func (in *Inspector) Text() bool { return in.text && len(in.split) == 0 }

// MayBeBase64 reports whether the bytes written so far may be the beginning of a base64 text.
func (in *Inspector) MayBeBase64() bool { return in.base64.ok }

// Findings returns the results for all bytes written.
func (in *Inspector) Findings() Findings {
	within := in.base64.begins()
	var damage Damage
	if in.Text() {
		damage = DamageOf(in.head, in.tail[max(len(in.tail)-TailSize, 0):])
	}
	return Findings{
		Gzip: isGzip(in.head), Base64: bytes.HasPrefix(within, []byte("<")) || isGzip(within), Within: within,
		KeyAt: in.keys.at, Head: in.head, Damage: damage,
	}
}

func isGzip(p []byte) bool { return len(p) >= 2 && p[0] == 0x1f && p[1] == 0x8b }
