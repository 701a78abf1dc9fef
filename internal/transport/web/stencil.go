package web

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"html/template"
	"slices"
	"sync"
)

// A stencil is a page that is the same for all who look, but for its holes: they are filled in for each. It is packed piece by piece, once
// each. What is in a hole is never packed, so the length of the answer tells nothing of it.
type stencil []*piece

// A piece of a stencil is a text, or a hole.
type piece struct {
	hole  string // its name; empty: a text
	text  []byte
	once  sync.Once
	short []byte // the text as deflate makes it; ends at a whole byte
}

// A filler writes what belongs into a hole.
type filler func(to *bytes.Buffer, name string)

// hole marks in what a template writes the place of something that moves. Nobody else can write
// it: a NUL is escaped everywhere.
const hole = "\x00"

// holeOf is the place of what moves.
func holeOf(name string) template.HTML { return template.HTML(hole + name + hole) }

// The holes of every page.
const (
	themeHole = "theme" // within <html>
	whoHole   = "who"
)

func newStencil(body []byte) (s stencil) {
	before, after, whole := bytes.Cut(body, []byte(htmlTag))
	if whole {
		s = stencil{{text: slices.Concat(before, []byte(htmlTag))}, {hole: themeHole}}
		body = after
	}
	return append(s, textPieces(body)...)
}

// textPieces cuts what a template wrote at its holes.
func textPieces(body []byte) (s stencil) {
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

// with is the stencil with some of its holes filled for all.
func (s stencil) with(texts map[string]string) stencil {
	s = slices.Clone(s)
	for i, p := range s {
		if text, ok := texts[p.hole]; ok && p.hole != "" {
			s[i] = &piece{text: []byte(text)}
		}
	}
	return s
}

// write writes the page.
func (s stencil) write(to *bytes.Buffer, fill filler) {
	for _, p := range s {
		if p.hole == "" {
			to.Write(p.text)
		} else {
			fill(to, p.hole)
		}
	}
}

// pack writes the page as gzip does.
func (s stencil) pack(to *bytes.Buffer, fill filler) {
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
