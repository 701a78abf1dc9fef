package picture

import (
	"image"
	"image/color"

	"golang.org/x/image/draw"
)

// onTile draws an icon with round corners into the middle of a shape, on a gradient from one corner to the other.
func onTile(icon *image.RGBA, s Shape, near, far color.RGBA) *image.RGBA {
	w := s.Widths[0].Pixels
	out := image.NewRGBA(image.Rect(0, 0, w, w*s.H/s.W))
	Gradient(out, near, far)
	side := out.Bounds().Dy() * 5 / 9
	plate := image.NewRGBA(image.Rect(0, 0, side, side))
	if n := icon.Bounds().Dx(); n <= side && len(coloursOf(icon)) <= fewColours/2 {
		side = side / n * n
		plate = image.NewRGBA(image.Rect(0, 0, side, side))
		draw.NearestNeighbor.Scale(plate, plate.Bounds(), icon, icon.Bounds(), draw.Src, nil)
	} else {
		draw.CatmullRom.Scale(plate, plate.Bounds(), icon, icon.Bounds(), draw.Src, nil)
	}
	at := image.Pt((out.Bounds().Dx()-side)/2, (out.Bounds().Dy()-side)/2)
	draw.DrawMask(out, plate.Bounds().Add(at), plate, image.Point{}, roundCorners{side, side / 6}, image.Point{}, draw.Over)
	return out
}

// Gradient fills a picture with colours from its first corner to the last.
func Gradient(out *image.RGBA, near, far color.RGBA) {
	b := out.Bounds()
	whole := b.Dx() + b.Dy()
	for y := range b.Dy() {
		for x := range b.Dx() {
			at := x + y
			mix := func(a, z uint8) uint8 { return uint8((int(a)*(whole-at) + int(z)*at) / whole) }
			p := out.Pix[y*out.Stride+4*x:]
			p[0], p[1], p[2], p[3] = mix(near.R, far.R), mix(near.G, far.G), mix(near.B, far.B), 255
		}
	}
}

// roundCorners is a mask: a square without its corners.
type roundCorners struct{ side, radius int }

func (m roundCorners) ColorModel() color.Model { return color.AlphaModel }
func (m roundCorners) Bounds() image.Rectangle { return image.Rect(0, 0, m.side, m.side) }

// At returns the coverage of a pixel, from sixteen points in it.
func (m roundCorners) At(x, y int) color.Color {
	in := 0
	for j := range 4 {
		for i := range 4 {
			dx, dy := m.outside(4*x+i), m.outside(4*y+j)
			if dx*dx+dy*dy <= 16*m.radius*m.radius {
				in++
			}
		}
	}
	return color.Alpha{uint8(in * 255 / 16)}
}

// outside returns how far a quarter of a pixel lies beyond the beginning of the corner.
func (m roundCorners) outside(at int) int {
	return max(4*m.radius-at, at-(4*(m.side-m.radius)-1), 0)
}
