package browser

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
)

// A look compares the screenshots of a page.
type look struct {
	taken  int
	moved  bool
	last   *image.RGBA
	shot   []byte // of last, as it came
	best   []byte // of the screenshots that show something
	detail int    // the detail of best
}

// Shares of a screenshot's pixels, in a thousand: those that must change for the page to have moved, more than by a
// blinking caret, and those that must differ from the rest for it not to be blank.
const (
	movedShare = 0.5
	blankShare = 0.5
)

// at adds a screenshot.
func (l *look) at(shot []byte) {
	size, err := png.DecodeConfig(bytes.NewReader(shot))
	if err != nil || size.Width > 2*width || size.Height > 2*height {
		return
	}
	decoded, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		return
	}
	now := image.NewRGBA(decoded.Bounds())
	draw.Draw(now, now.Bounds(), decoded, decoded.Bounds().Min, draw.Src)
	l.taken++
	l.moved = l.moved || l.last != nil && differ(l.last, now)
	l.last, l.shot = now, shot
	if d := detail(now); d > l.detail {
		l.best, l.detail = shot, d
	}
}

// blank reports whether all screenshots had one colour.
func (l *look) blank() bool { return l.taken > 0 && l.best == nil }

// picture returns the best of the screenshots, nil if none shows anything.
func (l *look) picture() []byte {
	if l.best == nil {
		return nil
	}
	decoded, err := png.Decode(bytes.NewReader(l.best))
	if err != nil {
		return nil
	}
	return packed(l.best, decoded, mostShot)
}

// packed returns a screenshot with at most that many bytes: as it is, or as JPEG; nil if neither is small enough.
func packed(shot []byte, decoded image.Image, most int) []byte {
	if len(shot) <= most {
		return shot
	}
	for _, quality := range []int{85, 60, 30, 10} {
		var out bytes.Buffer
		if err := jpeg.Encode(&out, decoded, &jpeg.Options{Quality: quality}); err == nil && out.Len() <= most {
			return out.Bytes()
		}
	}
	return nil
}

// differ reports whether enough pixels changed from one screenshot to the next.
func differ(a, b *image.RGBA) bool {
	if a.Bounds() != b.Bounds() {
		return true
	}
	changed := 0
	for i := 0; i+3 < len(a.Pix); i += 4 {
		if far(a.Pix[i:i+3], b.Pix[i:i+3]) {
			changed++
		}
	}
	return float64(changed) > float64(len(a.Pix)/4)*movedShare/1000
}

// far reports whether two colours differ at a glance.
func far(a, b []byte) bool {
	sum := 0
	for i := range a {
		sum += max(int(a[i])-int(b[i]), int(b[i])-int(a[i]))
	}
	return sum > 48
}

// detail measures the content of a screenshot: its pixels that differ from the one before, and more for each colour; 0
// if nearly all have one colour.
func detail(m *image.RGBA) int {
	edges, other := 0, 0
	first := m.RGBAAt(m.Bounds().Dx()/2, 0)
	colors := map[color.RGBA]struct{}{}
	for i := 4; i+3 < len(m.Pix); i += 4 {
		if far(m.Pix[i-4:i-1], m.Pix[i:i+3]) {
			edges++
		}
		if far(m.Pix[i:i+3], []byte{first.R, first.G, first.B}) {
			other++
			colors[color.RGBA{m.Pix[i] >> 5, m.Pix[i+1] >> 5, m.Pix[i+2] >> 5, 0}] = struct{}{}
		}
	}
	if float64(other) < float64(len(m.Pix)/4)*blankShare/1000 {
		return 0
	}
	return edges + 1000*len(colors)
}
