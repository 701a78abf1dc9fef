package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
)

const (
	fewColours = 256 // in a palette
	crispWidth = 480 // up to which a picture of few colours is enlarged pixel by pixel

	// mostEnlarged bounds the sides of a picture enlarged so.
	mostEnlarged = 1280
)

// qualities of JPEG, tried until the bytes fit.
var qualities = [...]int{84, 76, 68, 58, 46, 34, 24}

// write writes a picture in all widths of a shape: as PNG if that takes fewer bytes.
func write(img *image.RGBA, s Shape) (Made, error) {
	colours := coloursOf(img)
	crisp := len(colours) <= fewColours/2 && img.Bounds().Dx() <= crispWidth
	scaled := func(width int) image.Image {
		if crisp && img.Bounds().Dx() < width {
			return enlarged(img, min(width, mostEnlarged)/img.Bounds().Dx(), colours)
		}
		if img.Bounds().Dx() <= width {
			return img // each copy counts: the decoded picture is often still in memory
		}
		return shrink(img, img.Bounds(), width, false)
	}
	made := Made{PNG: len(colours) <= fewColours && smallerAsPNG(scaled(s.Widths[len(s.Widths)/2].Pixels), s)}
	for _, w := range s.Widths {
		encode := asJPEG
		if made.PNG {
			encode = asPNG
		}
		b, err := encode(scaled(w.Pixels), w.Bytes)
		if err != nil {
			return Made{}, err
		}
		made.Sizes = append(made.Sizes, Size{w.Pixels, b})
	}
	return made, nil
}

// smallerAsPNG reports whether a picture takes fewer bytes as PNG, and no more than its limit.
func smallerAsPNG(img image.Image, s Shape) bool {
	most := s.Widths[len(s.Widths)/2].Bytes
	a, errA := asPNG(img, most)
	b, errB := asJPEG(img, most)
	return errA == nil && errB == nil && len(a) <= len(b) && len(a) <= most
}

func asJPEG(img image.Image, most int) ([]byte, error) {
	var out bytes.Buffer
	for _, q := range qualities {
		out.Reset()
		if err := jpeg.Encode(&out, img, &jpeg.Options{Quality: q}); err != nil {
			return nil, err
		}
		if out.Len() <= most {
			break
		}
	}
	return bytes.Clone(out.Bytes()), nil
}

func asPNG(img image.Image, _ int) ([]byte, error) {
	if all, ok := img.(*image.RGBA); ok {
		if colours := coloursOf(all); len(colours) <= fewColours {
			img = paletted(all, 1, colours)
		}
	}
	var out bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestCompression}
	err := e.Encode(&out, img)
	return out.Bytes(), err
}

// coloursOf returns the colours of a picture, numbered in order of appearance; it stops after fewColours.
func coloursOf(img *image.RGBA) map[color.RGBA]uint8 {
	found := map[color.RGBA]uint8{}
	for i := 0; i < len(img.Pix); i += 4 {
		c := color.RGBA{img.Pix[i], img.Pix[i+1], img.Pix[i+2], 255}
		if _, known := found[c]; !known {
			found[c] = uint8(len(found))
			if len(found) > fewColours {
				break
			}
		}
	}
	return found
}

// enlarged repeats each pixel of a picture of few colours that many times across and down.
func enlarged(img *image.RGBA, times int, colours map[color.RGBA]uint8) image.Image {
	return paletted(img, max(times, 1), colours)
}

func paletted(img *image.RGBA, times int, colours map[color.RGBA]uint8) *image.Paletted {
	list := make(color.Palette, len(colours))
	for c, i := range colours {
		list[i] = c
	}
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	out := image.NewPaletted(image.Rect(0, 0, times*w, times*h), list)
	for y := range h {
		row := out.Pix[y*times*out.Stride:][:out.Stride]
		for x := range w {
			p := img.Pix[img.PixOffset(x, y):]
			i := colours[color.RGBA{p[0], p[1], p[2], 255}]
			for k := range times {
				row[x*times+k] = i
			}
		}
		for k := 1; k < times; k++ {
			copy(out.Pix[(y*times+k)*out.Stride:], row)
		}
	}
	return out
}
