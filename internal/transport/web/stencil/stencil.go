// Package stencil keeps pages that are the same for all who look, but for holes that are filled in for each.
package stencil

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"sync"
)

// A Stencil is a page that is the same for all who look, but for its holes: they are filled in for each. It is packed piece by piece, once
// each. What is in a hole is never packed, so the length of the answer tells nothing of it.
type Stencil []*piece

// A piece of a Stencil is a text, or a hole.
type piece struct {
	hole  string // its name; empty: a text
	text  []byte
	once  sync.Once
	short []byte // the text as deflate makes it; ends at a whole byte
}

// A Filler writes what belongs into a hole.
type Filler func(to *bytes.Buffer, name string)

// hole marks in what a template writes the place of something that moves. Nobody else can write
// it: a NUL is escaped everywhere.
const hole = "\x00"

// Hole is the place of something that moves, as a template writes it.
func Hole(name string) string { return hole + name + hole }

// New returns the stencil of a page. Behind the first mark, which stays, it has one more hole of that name.
func New(body []byte, mark, name string) (s Stencil) {
	before, after, whole := bytes.Cut(body, []byte(mark))
	if whole {
		s = Stencil{{text: slices.Concat(before, []byte(mark))}, {hole: name}}
		body = after
	}
	return append(s, textPieces(body)...)
}

// Text returns a stencil without holes, which is not nil.
func Text(text []byte) Stencil { return Stencil{{text: text}} }

// textPieces cuts what a template wrote at its holes.
func textPieces(body []byte) (s Stencil) {
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

// With is the stencil with some of its holes filled for all.
func (s Stencil) With(texts map[string]string) Stencil {
	s = slices.Clone(s)
	for i, p := range s {
		if text, ok := texts[p.hole]; ok && p.hole != "" {
			s[i] = &piece{text: []byte(text)}
		}
	}
	return s
}

// Write writes the page.
func (s Stencil) Write(to *bytes.Buffer, fill Filler) {
	for _, p := range s {
		if p.hole == "" {
			to.Write(p.text)
		} else {
			fill(to, p.hole)
		}
	}
}

// Pack writes the page as gzip does.
func (s Stencil) Pack(to *bytes.Buffer, fill Filler) {
	var filled bytes.Buffer
	sum, size := uint32(0), uint32(0)
	to.WriteString("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff") // deflate, of no time and no system
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

// store writes blocks of deflate that hold bytes as they are.
func store(to *bytes.Buffer, text []byte) {
	for block := range slices.Chunk(text, 1<<16-1) {
		n := uint16(len(block))
		to.Write([]byte{0, byte(n), byte(n >> 8), byte(^n), byte(^n >> 8)})
		to.Write(block)
	}
}

// packFew is the size up to which a piece is stored: what deflate would save is less than what it takes to begin.
const packFew = 32

func (p *piece) packed() []byte {
	p.once.Do(func() {
		var out bytes.Buffer
		if len(p.text) <= packFew {
			store(&out, p.text)
		} else {
			w := deflaters.Get().(*flate.Writer)
			w.Reset(&out)
			_, _ = w.Write(p.text) // a buffer takes everything
			_ = w.Flush()          // ends at a whole byte, and is not the last block
			deflaters.Put(w)
		}
		p.short = bytes.Clone(out.Bytes())
	})
	return p.short
}

// deflaters are kept, for each has some hundred KB: as many as work at once.
var deflaters = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, flate.DefaultCompression)
	if err != nil {
		panic(err) // the level is one of its own
	}
	return w
}}
