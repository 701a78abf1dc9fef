package web

import (
	"crypto/sha256"
	"fmt"
	"html/template"
	"image/color"
	"math/rand/v2"
	"strconv"
	"sync"

	"sandlot/internal/publish"
)

// A picture is that many tiles wide and high, in tones of one hue.
const (
	columns = 6
	rows    = 4
	tones   = 3
)

// The shapes of tiles.
const (
	nothing = iota
	quarter // of a disc, around a corner
	disc
)

// A tile is one square of a picture.
type tile struct {
	shape int
	turn  int // of a quarter: 0 to 3, clockwise
	tone  int // 0 to tones-1
}

// A picture stands for a project where nothing that others made is shown: it is drawn from the id alone, and always the same.
type picture struct {
	hue   int // of hues
	tiles [columns * rows]tile
}

// hues are the colours of pictures by daylight, as the style sheet has them.
var hues = [...][tones]color.RGBA{
	{{0xc8, 0x70, 0x3a, 0xff}, {0xe5, 0xb9, 0x8a, 0xff}, {0xec, 0xdf, 0xcb, 0xff}}, // clay
	{{0x7d, 0x8a, 0x4a, 0xff}, {0xbc, 0xc4, 0x8f, 0xff}, {0xe2, 0xe4, 0xcc, 0xff}}, // moss
	{{0x3f, 0x85, 0x83, 0xff}, {0x9c, 0xc5, 0xbf, 0xff}, {0xd7, 0xe6, 0xe1, 0xff}}, // sea
	{{0x55, 0x75, 0x9e, 0xff}, {0xa9, 0xbf, 0xd8, 0xff}, {0xdb, 0xe4, 0xed, 0xff}}, // slate
	{{0x8a, 0x5f, 0x86, 0xff}, {0xc9, 0xab, 0xc6, 0xff}, {0xe9, 0xde, 0xe8, 0xff}}, // plum
	{{0xc3, 0x9a, 0x2f, 0xff}, {0xe3, 0xcb, 0x83, 0xff}, {0xef, 0xe6, 0xc8, 0xff}}, // sand
}

func pictureOf(id publish.ProjectID) picture {
	random := rand.New(rand.NewChaCha8(sha256.Sum256([]byte(id))))
	shapes := [...]int{nothing, quarter, quarter, quarter, quarter, disc, disc}
	p := picture{hue: random.IntN(len(hues))}
	for i := range p.tiles {
		p.tiles[i] = tile{shapes[random.IntN(len(shapes))], random.IntN(4), random.IntN(tones)}
	}
	return p
}

// corners are those of a quarter in a square of 1: its centre, and the ends of its
// arc, which runs clockwise.
func (t tile) corners() (centre, from, to [2]int) {
	square := [4][2]int{{0, 0}, {1, 0}, {1, 1}, {0, 1}}
	return square[t.turn], square[(t.turn+1)%4], square[(t.turn+3)%4]
}

// Picture is the picture of a project.
func (v view) Picture(id publish.ProjectID) template.HTML {
	return template.HTML(pictureOf(id).draw(nil))
}

// draw adds the picture as an SVG with a path for each tone.
func (p picture) draw(to []byte) []byte {
	drawn := paths()
	to = append(to, `<svg class="tiles hue`...)
	to = strconv.AppendInt(to, int64(p.hue), 10)
	to = append(to, viewBox...)
	for tone := range tones {
		to = append(to, `<path class="tone`...)
		to = strconv.AppendInt(to, int64(tone), 10)
		to = append(to, `" d="`...)
		for i, t := range p.tiles {
			if t.tone == tone {
				to = append(to, drawn[t.shape][t.turn][i]...)
			}
		}
		to = append(to, `"/>`...)
	}
	return append(to, "</svg>"...)
}

var viewBox = fmt.Sprintf(`" viewBox="0 0 %d %d" preserveAspectRatio="xMidYMid slice" aria-hidden="true" focusable="false">`, columns, rows)

// path adds what draws a tile with its corner at x, y.
func (t tile) path(to []byte, x, y int) []byte {
	number := func(before string, n int) {
		to = strconv.AppendInt(append(to, before...), int64(n), 10)
	}
	switch t.shape {
	case quarter:
		c, begin, end := t.corners()
		number("M", x+c[0])
		number(" ", y+c[1])
		number("l", begin[0]-c[0])
		number(" ", begin[1]-c[1])
		number("a1 1 0 0 1 ", end[0]-begin[0])
		number(" ", end[1]-begin[1])
		to = append(to, 'z')
	case disc:
		number("M", x)
		number(" ", y)
		to = append(to, ".5a.5.5 0 1 1 1 0a.5.5 0 1 1-1 0z"...)
	}
	return to
}

// paths are what draws each tile at each place, made once: a page of a list has five hundred of them.
var paths = sync.OnceValue(func() *[disc + 1][4][columns * rows]string {
	var list [disc + 1][4][columns * rows]string
	for shape := range list {
		for turn := range list[shape] {
			for at := range list[shape][turn] {
				list[shape][turn][at] = string(tile{shape: shape, turn: turn}.path(nil, at%columns, at/columns))
			}
		}
	}
	return &list
})
