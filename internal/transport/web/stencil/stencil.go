// Package stencil keeps pages that are the same for all visitors, except for holes that are filled for each.
package stencil

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"sync"
)

// A Stencil is such a page. Each piece of text is compressed once. The content of a hole is never compressed, so the
// length of the answer reveals nothing else about it.
type Stencil []*piece

// A piece of a Stencil is a text or a hole.
type piece struct {
	hole  string // its name; empty: a text
	text  []byte
	once  sync.Once
	short []byte // the text after deflate; ends at a whole byte
}

// A Filler writes the content of the hole of that name.
type Filler func(to *bytes.Buffer, name string)

// hole delimits the name of a hole in a template's output. No user can write it: a NUL is escaped everywhere.
const hole = "\x00"

// Hole returns the marker of a hole, for a template.
func Hole(name string) string { return hole + name + hole }

// New returns the stencil of a page, which a template has written.
func New(body []byte) (s Stencil) {
	for i, part := range bytes.Split(bytes.Clone(body), []byte(hole)) {
		switch {
		case i%2 == 1:
			s = append(s, &piece{hole: string(part)})
		case len(part) > 0:
			s = append(s, &piece{text: part})
		}
	}
	return s
}

// Text returns a stencil without holes, which is not nil.
func Text(text []byte) Stencil { return Stencil{{text: text}} }

// Size returns the number of bytes of the texts.
func (s Stencil) Size() (n int) {
	for _, p := range s {
		n += len(p.text)
	}
	return n
}

// With returns the stencil with some of its holes filled for all visitors.
func (s Stencil) With(texts map[string]string) Stencil {
	s = slices.Clone(s)
	for i, p := range s {
		if text, ok := texts[p.hole]; ok && p.hole != "" {
			s[i] = &piece{text: []byte(text)}
		}
	}
	return s
}

// Write writes the page with its holes filled.
func (s Stencil) Write(to *bytes.Buffer, fill Filler) {
	for _, p := range s {
		if p.hole == "" {
			to.Write(p.text)
		} else {
			fill(to, p.hole)
		}
	}
}

// Pack writes the page in gzip format.
func (s Stencil) Pack(to *bytes.Buffer, fill Filler) {
	var filled bytes.Buffer
	sum, size := uint32(0), uint32(0)
	to.WriteString("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff") // deflate, without a time and a system
	for _, p := range s {
		text := p.text
		if p.hole == "" {
			to.Write(p.packed())
		} else {
			filled.Reset()
			fill(&filled, p.hole)
			text = filled.Bytes()
			store(to, text)
		}
		sum, size = crc32.Update(sum, crc32.IEEETable, text), size+uint32(len(text))
	}
	to.WriteString("\x01\x00\x00\xff\xff") // the last block, an empty one
	to.Write(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, sum), size))
}

// store writes deflate blocks of uncompressed bytes.
func store(to *bytes.Buffer, text []byte) {
	for block := range slices.Chunk(text, 1<<16-1) {
		n := uint16(len(block))
		to.Write([]byte{0, byte(n), byte(n >> 8), byte(^n), byte(^n >> 8)})
		to.Write(block)
	}
}

func (p *piece) packed() []byte {
	p.once.Do(func() {
		var out bytes.Buffer
		w := deflaters.Get().(*flate.Writer)
		w.Reset(&out)
		_, _ = w.Write(p.text) // a buffer takes everything
		_ = w.Flush()          // ends at a whole byte, and is not the last block
		deflaters.Put(w)
		p.short = bytes.Clone(out.Bytes())
	})
	return p.short
}

// deflaters pools the writers, which take some hundred KB each: as many exist as work at once.
var deflaters = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.DefaultCompression) // the level is one of the package's own
	return w
}}
