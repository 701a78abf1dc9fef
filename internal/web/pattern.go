package web

import (
	"crypto/sha256"
	"math/rand/v2"

	"sandlot/internal/publish"
)

// The shapes of tiles.
const (
	nothing = iota
	quarter // of a disc, around a corner
	disc
)

// A tile is one square of a pattern.
type tile struct {
	shape int
	turn  int // of a quarter: 0 to 3, clockwise
	tone  int // 0 to tones-1
}

// pattern gives n tiles, always the same for a project: it is told by them where
// there is no picture of it.
func pattern(id publish.ProjectID, n int) []tile {
	random := rand.New(rand.NewChaCha8(sha256.Sum256([]byte(id))))
	shapes := [...]int{nothing, quarter, quarter, quarter, disc}
	out := make([]tile, n)
	for i := range out {
		out[i] = tile{shapes[random.IntN(len(shapes))], random.IntN(4), random.IntN(tones)}
	}
	return out
}

// corners are those of a quarter in a square of 1: its centre, and the ends of its
// arc, which runs clockwise.
func (t tile) corners() (centre, from, to [2]int) {
	square := [4][2]int{{0, 0}, {1, 0}, {1, 1}, {0, 1}}
	return square[t.turn], square[(t.turn+1)%4], square[(t.turn+3)%4]
}
