// Package card draws the share pictures of projects: the cover, or a tile of the project's colour, with the title and
// the creator's handle, in every script that has an installed font. It depends on texts and pictures alone.
package card

import (
	"image"
	"image/color"
	"log/slog"
	"slices"

	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// The size of a card in pixels, as Open Graph recommends it.
const (
	Width  = 1200
	Height = 630
)

const (
	margin    = 72                           // around all words
	baseline  = 560                          // of the lowest line
	mostLines = 3                            // lines of a title
	gap       = 28                           // between the title and the line below it
	mostTall  = baseline - margin - gap - 38 // the height of a title
)

// The font sizes tried for a title, and for the line below it, in pixels.
var (
	titleSizes = []int{112, 96, 84, 72, 62, 54}
	smallSizes = []int{38}
)

// A Card holds the content of one card.
type Card struct {
	Title   string
	Handle  string // with its @
	Lang    string // of the title, a BCP 47 tag; may be empty
	Picture []byte // a PNG or a JPEG; nil or undecodable: the tile is drawn
	Tile    [2]color.RGBA
}

// A Press draws cards. It must not be used concurrently.
type Press struct {
	fonts Fonts
	shelf shelf
	own   ownFaces
	mark  block
	log   *slog.Logger
	brush vector.Rasterizer
}

// New returns a Press that writes with its embedded fonts and with those given. It panics only if an embedded font is
// broken, which every test rules out.
func New(fonts Fonts, log *slog.Logger) *Press {
	p := &Press{fonts: fonts, shelf: shelf{most: fonts.keep}, own: openOwn(), log: log}
	p.mark, _ = p.newSetting("").set("sandlot", smallSizes, 1, Width) // the display face has the letters of the name
	return p
}

// Draw returns a card as a JPEG of at most 300 KB. If no font can write the whole title, the card shows the handle
// instead: half a title would be worse.
func (p *Press) Draw(c Card) ([]byte, error) {
	title, small := p.words(c)
	img := image.NewRGBA(image.Rect(0, 0, Width, Height))
	y := baseline
	if len(small.lines) > 0 {
		y -= small.above + gap + title.below
	}
	if picture := decode(c.Picture); picture != nil {
		drawPicture(img, picture)
		shade(img, y-title.step()*(len(title.lines)-1)-title.above)
	} else {
		drawTile(img, c.Tile)
	}
	p.sign(img, title.rtl)
	p.write(img, title, y, paper)
	p.write(img, small, baseline, quiet)
	return encoded(img)
}

// words sets the title and the line below it. Both have the title's direction.
func (p *Press) words(c Card) (title, small block) {
	const wide = Width - 2*margin
	s := p.newSetting(c.Lang)
	beside := wide - p.signWidth() - margin/2
	title, ok := p.guarded(s, c.Title, wide)
	if !ok {
		title, _ = p.newSetting("").set(c.Handle, titleSizes, mostLines, beside) // on the line of the mark
		return title, block{}
	}
	small, _ = p.newSetting("").set(c.Handle, smallSizes, 1, beside)
	small.rtl = title.rtl
	return title, small
}

// guarded sets a title with the system's fonts. A font that makes the parser panic must not end the server.
func (p *Press) guarded(s *setting, title string, wide int) (b block, ok bool) {
	defer func() {
		if fault := recover(); fault != nil {
			p.log.Warn("a font of the system cannot be used", "fonts", s.used(), "fault", fault)
			b, ok = block{}, false
		}
	}()
	return s.set(title, titleSizes, mostLines, wide)
}

// A block holds the lines of a text that was set.
type block struct {
	lines        []line
	size         int
	above, below int // how far the shapes reach from a baseline
	rtl          bool
}

// A line holds outlines, in pixels from the start of its baseline.
type line struct {
	runs  [][]stroke
	width fixed.Int26_6
}

// step returns the distance between two baselines: some scripts reach far up and down.
func (b block) step() int { return max(b.size*115/100, b.above+b.below+b.size/12) }

// measure sets how far the shapes reach above and below a baseline, at least as far as most letters do.
func (b *block) measure() {
	above, below := float32(b.size)*0.72, float32(b.size)*0.1
	for _, l := range b.lines {
		for _, strokes := range l.runs {
			for _, s := range strokes {
				for _, p := range s.points {
					above, below = max(above, -p[1]), max(below, p[1])
				}
			}
		}
	}
	// A title on three lines has to fit with every font.
	b.above, b.below = min(int(above), b.size*13/10), min(int(below), b.size*7/10)
}

// write paints lines along the margin where reading begins; the last line has the baseline y.
func (p *Press) write(img *image.RGBA, b block, y int, c color.Color) {
	for _, l := range slices.Backward(b.lines) {
		x := margin
		if b.rtl {
			x = Width - margin - l.width.Ceil()
		}
		for _, strokes := range l.runs {
			p.fill(img, strokes, float32(x), float32(y), 1, c)
		}
		y -= b.step()
	}
}
