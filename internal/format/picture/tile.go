package picture

import (
	"image"
	"image/color"

	"golang.org/x/image/draw"
)

// onTile draws an icon into the middle of a shape, on a gradient from one corner to the other.
func onTile(icon *image.RGBA, s Shape, near, far color.RGBA) *image.RGBA {
	w := s.Widths[0].Pixels
	out := image.NewRGBA(image.Rect(0, 0, w, w*s.H/s.W))
	gradient(out, near, far)
	side, scale := out.Bounds().Dy()*5/9, draw.Scaler(draw.CatmullRom)
	if n := icon.Bounds().Dx(); n <= side && len(coloursOf(icon)) <= fewColours/2 {
		side, scale = side/n*n, draw.NearestNeighbor
	}
	at := image.Pt((out.Bounds().Dx()-side)/2, (out.Bounds().Dy()-side)/2)
	scale.Scale(out, image.Rect(0, 0, side, side).Add(at), icon, icon.Bounds(), draw.Src, nil)
	return out
}

// gradient fills a picture with colours from its first corner to the last.
func gradient(out *image.RGBA, near, far color.RGBA) {
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
