package picture

import (
	"image"
	"image/color"
)

// A rower reads rows of a picture as red, green and blue, with transparent parts laid on a ground colour.
type rower struct {
	src     image.Image
	ground  [3]uint32
	palette [][3]uint8 // of a picture that has one
}

func newRower(src image.Image, part image.Rectangle) *rower {
	r := &rower{src: src, ground: groundOf(src, part)}
	if p, ok := src.(*image.Paletted); ok {
		for _, c := range p.Palette {
			r.palette = append(r.palette, r.flat(color.NRGBAModel.Convert(c).(color.NRGBA)))
		}
	}
	return r
}

// flat returns a colour laid on the ground.
func (r *rower) flat(c color.NRGBA) [3]uint8 {
	a := uint32(c.A)
	on := func(v uint8, ground uint32) uint8 { return uint8((uint32(v)*a + ground*(255-a) + 127) / 255) }
	return [3]uint8{on(c.R, r.ground[0]), on(c.G, r.ground[1]), on(c.B, r.ground[2])}
}

// row reads the row y from x0 on into three bytes per pixel.
func (r *rower) row(y, x0 int, to []uint8) {
	n := len(to) / 3
	switch src := r.src.(type) {
	case *image.YCbCr:
		for i := range n {
			yi, ci := src.YOffset(x0+i, y), src.COffset(x0+i, y)
			to[3*i], to[3*i+1], to[3*i+2] = color.YCbCrToRGB(src.Y[yi], src.Cb[ci], src.Cr[ci])
		}
	case *image.Gray:
		for i, v := range src.Pix[src.PixOffset(x0, y):][:n] {
			to[3*i], to[3*i+1], to[3*i+2] = v, v, v
		}
	case *image.RGBA: // opaque, as decoded
		for i, from := 0, src.Pix[src.PixOffset(x0, y):][:4*n]; i < n; i++ {
			to[3*i], to[3*i+1], to[3*i+2] = from[4*i], from[4*i+1], from[4*i+2]
		}
	case *image.NRGBA:
		for i, from := 0, src.Pix[src.PixOffset(x0, y):][:4*n]; i < n; i++ {
			if from[4*i+3] == 255 {
				to[3*i], to[3*i+1], to[3*i+2] = from[4*i], from[4*i+1], from[4*i+2]
				continue
			}
			c := r.flat(color.NRGBA{from[4*i], from[4*i+1], from[4*i+2], from[4*i+3]})
			to[3*i], to[3*i+1], to[3*i+2] = c[0], c[1], c[2]
		}
	case *image.NRGBA64: // of 16 bits, the upper half
		for i, from := 0, src.Pix[src.PixOffset(x0, y):][:8*n]; i < n; i++ {
			c := r.flat(color.NRGBA{from[8*i], from[8*i+2], from[8*i+4], from[8*i+6]})
			to[3*i], to[3*i+1], to[3*i+2] = c[0], c[1], c[2]
		}
	case *image.RGBA64:
		for i, from := 0, src.Pix[src.PixOffset(x0, y):][:8*n]; i < n; i++ {
			to[3*i], to[3*i+1], to[3*i+2] = from[8*i], from[8*i+2], from[8*i+4]
		}
	case *image.CMYK:
		for i, from := 0, src.Pix[src.PixOffset(x0, y):][:4*n]; i < n; i++ {
			to[3*i], to[3*i+1], to[3*i+2] = color.CMYKToRGB(from[4*i], from[4*i+1], from[4*i+2], from[4*i+3])
		}
	case *image.Paletted:
		for i, v := range src.Pix[src.PixOffset(x0, y):][:n] {
			if int(v) < len(r.palette) {
				copy(to[3*i:3*i+3], r.palette[v][:])
			}
		}
	default:
		r.any(y, x0, to)
	}
}

// any reads a row of any kind of picture. It leaves garbage for each pixel, which the others do not.
func (r *rower) any(y, x0 int, to []uint8) {
	for i := range len(to) / 3 {
		c := r.flat(color.NRGBAModel.Convert(r.src.At(x0+i, y)).(color.NRGBA))
		copy(to[3*i:3*i+3], c[:])
	}
}

// The grounds of transparent pictures: for dark ones and for light ones.
var (
	lightGround = [3]uint32{0xf6, 0xf4, 0xf0}
	darkGround  = [3]uint32{0x1d, 0x1b, 0x26}
)

// groundOf returns the ground for the part of a picture.
func groundOf(src image.Image, part image.Rectangle) [3]uint32 {
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
