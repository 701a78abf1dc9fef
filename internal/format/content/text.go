package content

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// A text reads the string of content, whose opening quote is consumed, block by block.
type text struct {
	p     *parser
	kept  []byte // the buffer for unescaped blocks
	chars int64  // characters of the string before the next block

	begun    bool
	data     bool   // the string began with the data: prefix of a URL
	dataType string // the media type it names
}

// A block is a piece of the string, as large as the window allows. Its slices are valid until the next block is read.
type block struct {
	raw   []byte // as sent, whole escapes and whole characters only
	text  []byte // unescaped, without escaped line breaks; the same slice as raw if there is no escape
	start int64  // characters of the string before the block
	off   int64  // bytes of the body before the block
	chars int    // characters of the block, if it is all ASCII
	tail  int    // line breaks after the last character of text
}

// next returns the next block, or io.EOF when the closing quote is next. The search for that quote runs once over each
// window, so that neither many escapes nor small reads make it quadratic.
func (t *text) next() (block, error) {
	if !t.begun {
		t.begun = true
		if b, err := t.begin(); err != nil || len(b.text) > 0 {
			return b, err
		}
	}
	for {
		if _, err := t.p.peek(); err != nil {
			return block{}, err
		}
		window := t.p.seen()
		if window[0] == '"' {
			return block{}, io.EOF
		}
		b, err := t.cut(window)
		if err != nil {
			return block{}, err
		}
		if len(b.raw) > 0 {
			b.start, b.off = t.chars, t.p.offset()
			t.chars += int64(b.chars)
			t.p.r += len(b.raw)
			return b, nil
		}
		if err := t.p.more(); err != nil {
			return block{}, err
		}
	}
}

// cut returns a block of the beginning of window. Its raw is empty if window ends inside its first character.
func (t *text) cut(window []byte) (block, error) {
	end := bytes.IndexByte(window, '"')
	if end < 0 {
		end = len(window) - PartialRune(window)
	}
	raw := window[:end]
	if bytes.IndexByte(raw, '\\') < 0 {
		return block{raw: raw, text: raw, chars: len(raw)}, nil
	}
	return t.unescaped(window, end)
}

// unescaped returns the block of window[:end]. It reads escapes from all of the window, since a quote that seemed to be
// the end may belong to one. The block ends after an escaped character that base64 cannot have, which will be refused.
func (t *text) unescaped(window []byte, end int) (block, error) {
	if cap(t.kept) < len(window) {
		t.kept = make([]byte, 0, len(t.p.buf))
	}
	b := block{text: t.kept[:0]}
	i, breaks := 0, 0
	for i < end {
		run := runBefore(window[i:end], '\\')
		if run > 0 {
			b.text = append(b.text, window[i:i+run]...)
			b.tail = 0
			i += run
			continue
		}
		r, size, bad := unescape(window[i:])
		if bad != "" && i == 0 {
			return block{}, t.p.badEscape(bad)
		}
		if size == 0 {
			break
		}
		i += size
		if r == '\n' || r == '\r' {
			breaks++
			b.tail++
			continue
		}
		b.text = utf8.AppendRune(b.text, r)
		b.tail = 0
		if r >= utf8.RuneSelf || digit[r] == bad8 {
			break
		}
	}
	b.raw = window[:i]
	b.chars = len(b.text) + breaks
	return b, nil
}

// runBefore returns how many bytes of b stand before the first c.
func runBefore(b []byte, c byte) int {
	if n := bytes.IndexByte(b, c); n >= 0 {
		return n
	}
	return len(b)
}

// at returns the position of text[k], if all before it is base64: as a character of the string, counted from 1, and as
// an index of raw.
func (b *block) at(k int) (char int64, raw int) {
	if len(b.raw) == len(b.text) {
		return b.start + int64(k) + 1, k
	}
	i, kept, chars := 0, 0, b.start
	for {
		run := runBefore(b.raw[i:], '\\')
		if kept+run > k {
			return chars + int64(k-kept) + 1, i + k - kept
		}
		kept, chars, i = kept+run, chars+int64(run), i+run
		r, size, _ := unescape(b.raw[i:])
		chars++
		if r != '\n' && r != '\r' {
			if kept++; kept > k {
				return chars, i
			}
		}
		i += size
	}
}
