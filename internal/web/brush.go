package web

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
	"golang.org/x/text/unicode/norm"

	"sandlot/internal/publish"
)

// A card is of the size that Open Graph asks for, in pixels: words on the left,
// the left of the project's picture on the right.
const (
	cardWidth  = 1200
	cardHeight = 630

	cardTile    = cardHeight / rows // a side of a tile
	cardColumns = 2

	cardLeft     = 80  // where words begin
	cardWords    = 740 // how wide they may be
	cardLines    = 4   // of a title
	cardLine     = 84  // from one to the next
	cardMaxTitle = 200 // characters that are looked at; four lines hold fewer
)

// The colours of the pages in daylight.
var (
	cardPaper = color.RGBA{0xfb, 0xf9, 0xf5, 0xff}
	cardInk   = color.RGBA{0x23, 0x21, 0x1d, 0xff}
	cardQuiet = color.RGBA{0x6a, 0x65, 0x5c, 0xff}
	cardField = color.RGBA{0xf2, 0xee, 0xe6, 0xff}
)

// A brush draws cards. It must not be used concurrently.
type brush struct {
	bold                     *opentype.Font
	title, handle, word, big font.Face
}

// newBrush panics only if an embedded font is broken, which every test rules out.
func newBrush() *brush {
	bold, regular := mustParse(gobold.TTF), mustParse(goregular.TTF)
	return &brush{bold, mustFace(bold, 72), mustFace(regular, 38), mustFace(bold, 38), mustFace(bold, 112)}
}

func mustParse(ttf []byte) *opentype.Font {
	f, err := opentype.Parse(ttf)
	if err != nil {
		panic(err)
	}
	return f
}

func mustFace(f *opentype.Font, pixels float64) font.Face {
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: pixels, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		panic(err)
	}
	return face
}

// card draws a project's card as a PNG. A title that the font cannot write is left
// out: half of it would be worse.
func (b *brush) card(p publish.Project) ([]byte, error) {
	img := image.NewRGBA(image.Rect(0, 0, cardWidth, cardHeight))
	draw.Draw(img, img.Bounds(), image.NewUniform(cardPaper), image.Point{}, draw.Src)
	b.strip(img, pictureOf(p.ID))
	title := short(norm.NFC.String(p.Title))
	if title == "" || !b.covers(title) || !b.covers(p.Handle) {
		write(img, b.big, cardInk, 350, "sandlot")
	} else {
		y := 150
		for _, line := range wrap(b.title, title) {
			write(img, b.title, cardInk, y, line)
			y += cardLine
		}
		write(img, b.handle, cardQuiet, y-10, "@"+p.Handle)
		write(img, b.word, cardInk, 570, "sandlot")
	}
	var out bytes.Buffer
	err := png.Encode(&out, img)
	return out.Bytes(), err
}

// strip draws the columns of a picture that a card has room for.
func (b *brush) strip(img draw.Image, p pattern) {
	left := cardWidth - cardColumns*cardTile
	draw.Draw(img, image.Rect(left, 0, cardWidth, cardHeight), image.NewUniform(cardField), image.Point{}, draw.Src)
	for i, t := range p.tiles {
		if i%columns < cardColumns {
			paint(img, t, hues[p.hue][t.tone], left+i%columns*cardTile, i/columns*cardTile)
		}
	}
}

// short is a title without more characters than a card could show.
func short(title string) string {
	if all := []rune(title); len(all) > cardMaxTitle {
		title = string(all[:cardMaxTitle])
	}
	return strings.Join(strings.Fields(title), " ")
}

// covers reports whether the font has a shape for all of a text.
func (b *brush) covers(text string) bool {
	for _, r := range text {
		if i, err := b.bold.GlyphIndex(nil, r); err != nil || i == 0 {
			return false
		}
	}
	return true
}

func write(img draw.Image, face font.Face, c color.Color, y int, text string) {
	d := font.Drawer{Dst: img, Src: image.NewUniform(c), Face: face, Dot: fixed.P(cardLeft, y)}
	d.DrawString(text)
}

// wrap breaks a title into lines that fit, inside a word where it must. What
// does not fit is left out, and the last line says so.
func wrap(face font.Face, title string) []string {
	var lines []string
	rest := []rune(title)
	for len(rest) > 0 && len(lines) < cardLines {
		n := fit(face, rest)
		lines = append(lines, strings.TrimSpace(string(rest[:n])))
		rest = rest[n:]
	}
	if len(rest) > 0 {
		last := []rune(lines[cardLines-1])
		for len(last) > 1 && font.MeasureString(face, string(last)+"…").Ceil() > cardWords {
			last = last[:len(last)-1]
		}
		lines[cardLines-1] = strings.TrimSpace(string(last)) + "…"
	}
	return lines
}

// fit is how many characters make the next line.
func fit(face font.Face, text []rune) int {
	space := 0
	for n := 1; n <= len(text); n++ {
		if text[n-1] == ' ' {
			space = n
			continue
		}
		if font.MeasureString(face, string(text[:n])).Ceil() <= cardWords {
			continue
		}
		if space > 0 {
			return space
		}
		return max(n-1, 1)
	}
	return len(text)
}

// arc is where the handles of a Bézier curve are that is a quarter of a circle of
// radius 1: 4/3·(√2-1).
const arc = 0.5522848

// paint draws one tile with its corner at x, y.
func paint(img draw.Image, t tile, tone color.Color, x, y int) {
	z := vector.NewRasterizer(cardTile, cardTile)
	switch t.shape {
	case nothing:
		return
	case quarter:
		centre, from, to := t.corners()
		sector(z, centre, from, to, cardTile, 0)
	case disc:
		square := [4][2]int{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}
		for i := range square {
			sector(z, [2]int{}, square[i], square[(i+1)%4], cardTile/2.0, cardTile/2.0)
		}
	}
	at := image.Rect(x, y, x+cardTile, y+cardTile)
	z.Draw(img, at, image.NewUniform(tone), image.Point{})
}

// sector adds a quarter of a disc; its points are in units of scale and begin at offset.
func sector(z *vector.Rasterizer, c, from, to [2]int, scale, offset float32) {
	at := func(p [2]float32) (float32, float32) { return offset + scale*p[0], offset + scale*p[1] }
	whole := func(p [2]int) [2]float32 { return [2]float32{float32(p[0]), float32(p[1])} }
	// The handle at an end points the way the other end lies.
	handle := func(end, other [2]int) [2]float32 {
		return [2]float32{float32(end[0]) + arc*float32(other[0]-c[0]), float32(end[1]) + arc*float32(other[1]-c[1])}
	}
	cx, cy := at(whole(c))
	fx, fy := at(whole(from))
	tx, ty := at(whole(to))
	ax, ay := at(handle(from, to))
	bx, by := at(handle(to, from))
	z.MoveTo(cx, cy)
	z.LineTo(fx, fy)
	z.CubeTo(ax, ay, bx, by, tx, ty)
	z.ClosePath()
}
