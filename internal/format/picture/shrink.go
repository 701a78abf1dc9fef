package picture

import (
	"image"
	"slices"
)

// cutOf returns the largest part in the middle of a picture that has the shape; turned reports whether the picture will
// be turned on its side.
func cutOf(b image.Rectangle, s Shape, turned bool) image.Rectangle {
	across, down := s.W, s.H
	if turned {
		across, down = s.H, s.W
	}
	w, h := b.Dx(), (b.Dx()*down+across/2)/across
	if h > b.Dy() {
		w, h = min(b.Dx(), (b.Dy()*across+down/2)/down), b.Dy()
	}
	x, y := b.Min.X+(b.Dx()-w)/2, b.Min.Y+(b.Dy()-h)/2
	return image.Rect(x, y, x+w, y+h)
}

// shrink draws the part of a picture with at most so many pixels across, or down if it will be turned. Each pixel is
// the mean of the area it stands for; only two rows are in memory at a time.
func shrink(src image.Image, part image.Rectangle, most int, turned bool) *image.RGBA {
	sw, sh := part.Dx(), part.Dy()
	across := sw
	if turned {
		across = sh
	}
	dw, dh := sw, sh
	if across > most {
		dw, dh = max(1, (sw*most+across/2)/across), max(1, (sh*most+across/2)/across)
	}
	a := area{
		sw: sw, sh: sh, dw: dw, dh: dh, sums: make([]uint32, 3*dw), column: make([]uint64, 3*dw),
		to: image.NewRGBA(image.Rect(0, 0, dw, dh)),
	}
	rows := newRower(src, part)
	for y := range sh {
		a.add(y, rows.row(y))
	}
	return a.to
}

// An area scales a picture down, row by row: each of its sw pixels is dw parts wide, each of the dw new ones sw parts,
// and so they fit without a remainder.
type area struct {
	sw, sh, dw, dh int
	sums           []uint32 // of the row, by new pixel
	column         []uint64 // of the rows of the new row
	to             *image.RGBA
}

func (a *area) add(y int, row []uint8) {
	a.sum(row)
	first, last := y*a.dh/a.sh, ((y+1)*a.dh-1)/a.sh
	for d := first; d <= last; d++ {
		weight := uint64(min((d+1)*a.sh, (y+1)*a.dh) - max(d*a.sh, y*a.dh))
		for i, v := range a.sums {
			a.column[i] += weight * uint64(v)
		}
		if (d+1)*a.sh <= (y+1)*a.dh {
			a.write(d)
		}
	}
}

// sum adds up a row.
func (a *area) sum(row []uint8) {
	clear(a.sums)
	d, end := 0, a.sw // of the new pixel, in parts
	for x := range a.sw {
		px := row[4*x : 4*x+3]
		for left, at := a.dw, x*a.dw; left > 0; {
			n := min(left, end-at)
			s := a.sums[3*d : 3*d+3]
			s[0] += uint32(n) * uint32(px[0])
			s[1] += uint32(n) * uint32(px[1])
			s[2] += uint32(n) * uint32(px[2])
			left, at = left-n, at+n
			if at == end {
				d, end = d+1, end+a.sw
			}
		}
	}
}

// write writes the new row d, and begins with the next.
func (a *area) write(d int) {
	whole := uint64(a.sw) * uint64(a.sh)
	out := a.to.Pix[d*a.to.Stride:]
	for x := range a.dw {
		for c := range 3 {
			out[4*x+c] = uint8((a.column[3*x+c] + whole/2) / whole)
		}
		out[4*x+3] = 255
	}
	clear(a.column)
}

// upright turns a picture by its orientation in EXIF, from 1 to 8.
func upright(img *image.RGBA, orientation int) *image.RGBA {
	if orientation <= 1 {
		return img
	}
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	aside := orientation >= 5
	mirrored := slices.Contains([]int{2, 3, 7, 8}, orientation)
	flipped := slices.Contains([]int{3, 4, 6, 7}, orientation)
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	if aside {
		out = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	for y := range out.Bounds().Dy() {
		for x := range out.Bounds().Dx() {
			sx, sy := x, y
			if aside {
				sx, sy = y, x
			}
			if mirrored {
				sx = w - 1 - sx
			}
			if flipped {
				sy = h - 1 - sy
			}
			copy(out.Pix[out.PixOffset(x, y):][:4], img.Pix[img.PixOffset(sx, sy):][:4])
		}
	}
	return out
}
