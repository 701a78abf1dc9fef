package card

import (
	"bytes"
	"image"
	"image/color"
	_ "image/jpeg" // covers are one or the other
	_ "image/png"
	"math"

	"github.com/go-text/typesetting/font/opentype"
	"golang.org/x/image/draw"
)

// The colours of the words and of the mark; dusk lies between them and a picture.
var (
	paper = color.RGBA{0xff, 0xff, 0xff, 0xff}
	quiet = color.RGBA{0xff, 0xe9, 0xcb, 0xff}
	light = color.RGBA{0xff, 0x8d, 0x63, 0xff}
	dusk  = color.RGBA{0x12, 0x0c, 0x24, 0xff}
)

// maxSide bounds the sides of a picture in pixels: covers are at most 1280 wide.
const maxSide = 1280

// decode returns the picture, or nil if it cannot be decoded or is too large.
func decode(picture []byte) image.Image {
	look, _, err := image.DecodeConfig(bytes.NewReader(picture))
	if err != nil || min(look.Width, look.Height) < 1 || max(look.Width, look.Height) > maxSide {
		return nil
	}
	decoded, _, _ := image.Decode(bytes.NewReader(picture)) // nil with an error
	return decoded
}

// drawPicture fills a card with a picture, cropped where it has another aspect ratio.
func drawPicture(img *image.RGBA, picture image.Image) {
	from := picture.Bounds()
	if tall := from.Dx() * Height / Width; tall <= from.Dy() {
		from.Min.Y += (from.Dy() - tall) / 2
		from.Max.Y = from.Min.Y + max(tall, 1)
	} else {
		wide := from.Dy() * Width / Height
		from.Min.X += (from.Dx() - wide) / 2
		from.Max.X = from.Min.X + max(wide, 1)
	}
	draw.Draw(img, img.Bounds(), image.NewUniform(dusk), image.Point{}, draw.Src) // below transparent pixels
	draw.ApproxBiLinear.Scale(img, img.Bounds(), picture, from, draw.Over, nil)
}

// shade darkens a picture from a little above top downwards, so that white text is legible on any picture.
func shade(img *image.RGBA, top int) {
	begin, under := max(top-140, 0), [3]float64{float64(dusk.R), float64(dusk.G), float64(dusk.B)}
	for y := begin; y < Height; y++ {
		t := min(float64(y-begin)/140, 1)
		much := t * t * (3 - 2*t) * 0.78
		row := img.Pix[y*img.Stride : y*img.Stride+Width*4]
		for i := range row {
			if i%4 != 3 {
				row[i] = uint8(float64(row[i])*(1-much) + under[i%4]*much)
			}
		}
	}
}

// drawTile fills a card with a diagonal gradient of the tile's colours.
func drawTile(img *image.RGBA, hue [2]color.RGBA) {
	mix := func(a, b uint8, t float64) uint8 { return uint8(math.Round(float64(a)*(1-t) + float64(b)*t)) }
	var steps [1024]color.RGBA
	for i := range steps {
		t := float64(i) / float64(len(steps)-1)
		steps[i] = color.RGBA{mix(hue[0].R, hue[1].R, t), mix(hue[0].G, hue[1].G, t), mix(hue[0].B, hue[1].B, t), 0xff}
	}
	for y := range Height {
		for x := range Width {
			c := steps[(x*Height+y*Width)*len(steps)/(2*Width*Height)]
			copy(img.Pix[y*img.Stride+x*4:], []byte{c.R, c.G, c.B, c.A})
		}
	}
}

// fill fills scaled outlines that begin at x, y.
func (p *Press) fill(img *image.RGBA, strokes []stroke, x, y, scale float32, c color.Color) {
	top, bottom := float32(Height), float32(0)
	for _, s := range strokes {
		for _, at := range s.points {
			top, bottom = min(top, y+at[1]*scale), max(bottom, y+at[1]*scale)
		}
	}
	from, to := max(int(top)-1, 0), min(int(bottom)+2, Height)
	if from >= to {
		return
	}
	z := &p.brush
	z.Reset(Width, to-from)
	for _, s := range strokes {
		var q [3][2]float32
		for i, at := range s.points {
			q[i] = [2]float32{x + at[0]*scale, y + at[1]*scale - float32(from)}
		}
		switch s.op {
		case opentype.SegmentOpMoveTo:
			z.ClosePath()
			z.MoveTo(q[0][0], q[0][1])
		case opentype.SegmentOpLineTo:
			z.LineTo(q[0][0], q[0][1])
		case opentype.SegmentOpQuadTo:
			z.QuadTo(q[0][0], q[0][1], q[1][0], q[1][1])
		case opentype.SegmentOpCubeTo:
			z.CubeTo(q[0][0], q[0][1], q[1][0], q[1][1], q[2][0], q[2][1])
		}
	}
	z.ClosePath()
	z.Draw(img, image.Rect(0, from, Width, to), image.NewUniform(c), image.Point{})
}
