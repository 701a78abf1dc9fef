package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/draw"
)

const (
	fewColours = 256 // in a palette
	crispWidth = 480 // up to which a picture of few colours is enlarged pixel by pixel

	// mostEnlarged bounds the sides of a picture enlarged so.
	mostEnlarged = 1280
)

// qualities of JPEG, tried until the bytes fit.
var qualities = [...]int{84, 76, 68, 58, 46, 34, 24}

// write writes a picture in all widths of a shape: as PNG if it has few colours, and takes few bytes so.
func write(img *image.RGBA, s Shape) (made Made, err error) {
	colours := len(coloursOf(img))
	crisp := colours <= fewColours/2 && img.Bounds().Dx() <= crispWidth
	scaled := func(width int) *image.RGBA {
		switch have := img.Bounds().Dx(); {
		case crisp && have < width:
			return enlarged(img, max(1, min(width, mostEnlarged)/have))
		case have <= width:
			return img // each copy counts: the decoded picture is often still in memory
		}
		return shrink(img, img.Bounds(), width, false)
	}
	if middle := s.Widths[len(s.Widths)/2]; colours <= fewColours {
		b, err := asPNG(scaled(middle.Pixels), middle.Bytes)
		made.PNG = err == nil && len(b) <= middle.Bytes
	}
	encode := asJPEG
	if made.PNG {
		encode = asPNG
	}
	for _, w := range s.Widths {
		b, err := encode(scaled(w.Pixels), w.Bytes)
		if err != nil {
			return Made{}, err
		}
		made.Sizes = append(made.Sizes, Size{w.Pixels, b})
	}
	return made, nil
}

// enlarged repeats each pixel that many times across and down.
func enlarged(img *image.RGBA, times int) *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, times*img.Bounds().Dx(), times*img.Bounds().Dy()))
	draw.NearestNeighbor.Scale(out, out.Bounds(), img, img.Bounds(), draw.Src, nil)
	return out
}

func asJPEG(img *image.RGBA, most int) ([]byte, error) {
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

func asPNG(img *image.RGBA, _ int) ([]byte, error) {
	var out bytes.Buffer
	var small image.Image = img
	if colours := coloursOf(img); len(colours) <= fewColours {
		small = paletted(img, colours)
	}
	err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, small)
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

// paletted returns a picture of these colours with a palette.
func paletted(img *image.RGBA, colours map[color.RGBA]uint8) *image.Paletted {
	list := make(color.Palette, len(colours))
	for c, i := range colours {
		list[i] = c
	}
	out := image.NewPaletted(img.Bounds(), list)
	for i := range out.Pix {
		out.Pix[i] = colours[color.RGBA{img.Pix[4*i], img.Pix[4*i+1], img.Pix[4*i+2], 255}]
	}
	return out
}
