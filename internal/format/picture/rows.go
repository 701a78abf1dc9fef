package picture

import (
	"image"
	"image/color"
	"image/draw"
)

// A rower reads rows of the part of a picture, with transparent pixels laid on a ground colour.
type rower struct {
	src    image.Image
	part   image.Rectangle
	ground *image.Uniform
	to     *image.RGBA // one row
}

func newRower(src image.Image, part image.Rectangle) *rower {
	return &rower{src, part, image.NewUniform(groundOf(src, part)), image.NewRGBA(image.Rect(0, 0, part.Dx(), 1))}
}

// row returns a row, counted from 0, in four bytes per pixel, which stay until the next one is read.
func (r *rower) row(y int) []uint8 {
	draw.Draw(r.to, r.to.Rect, r.ground, image.Point{}, draw.Src)
	draw.Draw(r.to, r.to.Rect, r.src, r.part.Min.Add(image.Pt(0, y)), draw.Over)
	return r.to.Pix
}

// The grounds of transparent pictures: for dark ones and for light ones.
var (
	lightGround = color.RGBA{0xf6, 0xf4, 0xf0, 255}
	darkGround  = color.RGBA{0x1d, 0x1b, 0x26, 255}
)

// groundOf returns the ground for the part of a picture.
func groundOf(src image.Image, part image.Rectangle) color.RGBA {
	if o, ok := src.(interface{ Opaque() bool }); ok && o.Opaque() {
		return lightGround
	}
	const points = 48 // samples, across and down
	var light, all uint64
	for j := range points {
		for i := range points {
			c := color.NRGBAModel.Convert(src.At(part.Min.X+i*part.Dx()/points, part.Min.Y+j*part.Dy()/points)).(color.NRGBA)
			light += uint64(c.A) * (299*uint64(c.R) + 587*uint64(c.G) + 114*uint64(c.B)) / 1000
			all += uint64(c.A)
		}
	}
	if all > 0 && light/all > 140 {
		return darkGround
	}
	return lightGround
}
