package main

import (
	"image"
	"image/color"
)

// The sheet is drawn with whole numbers only, so that it is the same, byte for byte, on every machine. One pixel of it is one cell of the
// field. Where each picture lies is told once more in paint.js, which cuts them out.
const sheetWidth, sheetHeight = 256, 128

// sheet is the picture that everything is drawn on.
type sheet struct{ *image.NRGBA }

func rgb(v uint32) color.NRGBA {
	return color.NRGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 255}
}

func fade(c color.NRGBA, alpha uint8) color.NRGBA {
	c.A = alpha
	return c
}

// ramps run from shadow to light.
var (
	clay   = []color.NRGBA{rgb(0x5b3230), rgb(0x7d4638), rgb(0xa05f45), rgb(0xbf7c57), rgb(0xd99c72), rgb(0xf0c49a)}
	amber  = []color.NRGBA{rgb(0x9a5a1c), rgb(0xc47a22), rgb(0xe79a2e), rgb(0xf6b645), rgb(0xffd06e), rgb(0xffe6a6)}
	rose   = []color.NRGBA{rgb(0x7e2347), rgb(0xa8305a), rgb(0xd0466f), rgb(0xe8638a), rgb(0xf58ca8), rgb(0xffbfcb)}
	teal   = []color.NRGBA{rgb(0x0f5a60), rgb(0x167a7c), rgb(0x219b96), rgb(0x3dbbaf), rgb(0x74d6c6), rgb(0xb9eee2)}
	cork   = []color.NRGBA{rgb(0x6a4630), rgb(0x8a5f3e), rgb(0xa97a50), rgb(0xc49566), rgb(0xdbb184), rgb(0xeecfa6)}
	moon   = []color.NRGBA{rgb(0xb9b3c9), rgb(0xcfcad6), rgb(0xe2dee2), rgb(0xf0ecea), rgb(0xf8f4ee), rgb(0xfffcf4)}
	sun    = []color.NRGBA{rgb(0xffbe6b), rgb(0xffcb7d), rgb(0xffd891), rgb(0xffe4a8), rgb(0xffeec2), rgb(0xfff6dc)}
	bands  = [kinds][]color.NRGBA{amber, rose, teal}
	glyphs = [kinds][]string{
		{"..##..", ".####.", "######", "######", ".####.", "..##.."},
		{"..###.", ".##...", "##....", "##....", ".##...", "..###."},
		{"..##..", ".####.", "######", "######", ".####.", "..##.."},
	}
)

// urnHalf is the outline of an urn: half its width, row by row, from the rim down to the spout.
var urnHalf = []int{9, 10, 10, 7, 7, 8, 10, 11, 12, 13, 13, 13, 13, 13, 13, 12, 12, 11, 10, 8, 7, 5, 4, 4, 5, 5}

func drawSheet() *image.NRGBA {
	s := sheet{image.NewNRGBA(image.Rect(0, 0, sheetWidth, sheetHeight))}
	for kind := range kinds {
		s.urn(16+32*kind, 0, bands[kind], kind)
		s.plaque(104, 16*kind, bands[kind], kind)
	}
	s.jar(128, 0)
	s.stopper(160, 0)
	s.ball(208, 16, 10, sun)
	s.ball(240, 16, 9, moon)
	s.craters(240, 16)
	s.dunes(48, 38, 128, 22, 64, 7)
	s.dunes(88, 40, 256, 22, 128, 9)
	return s.NRGBA
}

// shade picks from a ramp by a level of 0 to 255, with a checkerboard where two tones meet.
func shade(ramp []color.NRGBA, level, x, y int) color.NRGBA {
	v := max(0, level) * (len(ramp)*2 - 1) / 256
	return ramp[min(len(ramp)-1, (v+(x+y)&1)/2)]
}

// round is the light on a column at x of a round body of the given half width, lit from the left.
func round(x, half int) int {
	d := x + half*2/5
	return max(0, 235-d*d*200/max(1, half*half))
}

func (s sheet) urn(cx, top int, band []color.NRGBA, kind int) {
	for y, half := range urnHalf {
		for x := -half; x <= half; x++ {
			ramp := clay
			if y >= 9 && y <= 16 {
				ramp = band
			}
			level := round(x, half)
			if y == 8 || y == 17 || y == 3 {
				level = level * 3 / 5
			}
			s.SetNRGBA(cx+x, top+y, shade(ramp, level, x, y))
		}
	}
	s.glyph(cx-3, top+10, kind, rgb(0xfffaf0))
}

// glyph stamps the mark of a kind, so that kinds can be told apart without their colours: a disc, a crescent, a ring.
func (s sheet) glyph(x0, y0, kind int, c color.NRGBA) {
	for y, row := range glyphs[kind] {
		for x, dot := range row {
			hole := kind == 2 && x >= 2 && x <= 3 && y >= 2 && y <= 3
			if dot == '#' && !hole {
				s.SetNRGBA(x0+x, y0+y, c)
			}
		}
	}
}

func (s sheet) plaque(x0, y0 int, ramp []color.NRGBA, kind int) {
	for y := range 10 {
		for x := range 16 {
			corner := (x == 0 || x == 15) && (y == 0 || y == 9)
			if !corner {
				s.SetNRGBA(x0+x, y0+y, shade(ramp, 150-y*9, x, y))
			}
		}
	}
	s.glyph(x0+5, y0+2, kind, rgb(0xfffaf0))
}

// jar is what lies over the sand in a jar of 22 by 20 cells: walls, lip and reflections.
func (s sheet) jar(x0, y0 int) {
	white := rgb(0xffffff)
	for y := range 22 {
		s.SetNRGBA(x0+1, y0+y, fade(white, 150))
		s.SetNRGBA(x0+24, y0+y, fade(white, 105))
		if y > 2 && y < 19 {
			s.SetNRGBA(x0+4, y0+y, fade(white, 85))
			s.SetNRGBA(x0+5, y0+y, fade(white, 45))
			s.SetNRGBA(x0+22, y0+y, fade(white, 35))
		}
	}
	for x := range 26 {
		s.SetNRGBA(x0+x, y0, fade(white, 190))
		s.SetNRGBA(x0+x, y0+1, fade(white, 60))
		if x > 0 && x < 25 {
			s.SetNRGBA(x0+x, y0+21, fade(white, 120))
		}
	}
}

func (s sheet) stopper(x0, y0 int) {
	for y := range 7 {
		half := 13
		if y > 2 {
			half = 11
		}
		for x := -half; x < half; x++ {
			s.SetNRGBA(x0+13+x, y0+y, shade(cork, round(x, half)-y*8, x*3+y, y))
		}
	}
}

func (s sheet) ball(cx, cy, r int, ramp []color.NRGBA) {
	for y := -r; y <= r; y++ {
		for x := -r; x <= r; x++ {
			if x*x+y*y <= r*r+r/2 {
				dx, dy := x+r/3, y+r/3
				s.SetNRGBA(cx+x, cy+y, shade(ramp, max(0, 255-(dx*dx+dy*dy)*150/(r*r)), x, y))
			}
		}
	}
}

func (s sheet) craters(cx, cy int) {
	for _, c := range [][3]int{{-3, -2, 1}, {3, 2, 2}, {-3, 5, 1}, {4, -5, 0}} {
		for y := -c[2]; y <= c[2]; y++ {
			for x := -c[2]; x <= c[2]; x++ {
				if x*x+y*y <= c[2]*c[2]+1 {
					s.SetNRGBA(cx+c[0]+x, cy+c[1]+y, moon[1])
				}
			}
		}
	}
}

// dunes draws a range of dunes as a mask that tiles sideways: sharp crests where parabolas meet, softened at the very top. Its colour is
// given when it is painted.
func (s sheet) dunes(top, height, long, high, short, low int) {
	crest := func(x, period, rise int) int {
		t := x % period
		return rise - 4*rise*t*(period-t)/(period*period)
	}
	for x := range sheetWidth {
		line := top + height - 8 - crest(x, long, high) - crest(x+short/3, short, low)
		for y := line; y < top+height; y++ {
			alpha := uint8(255)
			if y-line < 2 && (x+y)&1 == 0 {
				alpha = 150
			}
			s.SetNRGBA(x, y, fade(rgb(0xffffff), alpha))
		}
	}
}
