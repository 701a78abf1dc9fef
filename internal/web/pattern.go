package web

import (
	"crypto/sha256"
	"image/color"
	"math/rand/v2"

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
type pattern struct {
	hue   int // of hues
	tiles [columns * rows]tile
}

// hues are the colours of pictures.
var hues = [...][tones]color.RGBA{
	{{0xc8, 0x70, 0x3a, 0xff}, {0xe5, 0xb9, 0x8a, 0xff}, {0xec, 0xdf, 0xcb, 0xff}}, // clay
	{{0x7d, 0x8a, 0x4a, 0xff}, {0xbc, 0xc4, 0x8f, 0xff}, {0xe2, 0xe4, 0xcc, 0xff}}, // moss
	{{0x3f, 0x85, 0x83, 0xff}, {0x9c, 0xc5, 0xbf, 0xff}, {0xd7, 0xe6, 0xe1, 0xff}}, // sea
	{{0x55, 0x75, 0x9e, 0xff}, {0xa9, 0xbf, 0xd8, 0xff}, {0xdb, 0xe4, 0xed, 0xff}}, // slate
	{{0x8a, 0x5f, 0x86, 0xff}, {0xc9, 0xab, 0xc6, 0xff}, {0xe9, 0xde, 0xe8, 0xff}}, // plum
	{{0xc3, 0x9a, 0x2f, 0xff}, {0xe3, 0xcb, 0x83, 0xff}, {0xef, 0xe6, 0xc8, 0xff}}, // sand
}

func pictureOf(id publish.ProjectID) pattern {
	random := rand.New(rand.NewChaCha8(sha256.Sum256([]byte(id))))
	shapes := [...]int{nothing, quarter, quarter, quarter, quarter, disc, disc}
	p := pattern{hue: random.IntN(len(hues))}
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
