package card

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"slices"
)

const (
	mostBytes = 300_000 // of a card: messengers ignore larger ones
	coarsest  = 4       // pixels a side: noise then takes half of mostBytes
)

func encoded(img image.Image) ([]byte, error) {
	var out bytes.Buffer
	err := png.Encode(&out, img)
	return out.Bytes(), err
}

// A hue is a colour of five bits a channel, with the number of a card's pixels that have it and the sum of their
// channels.
type hue struct {
	key   int // five bits of red, of green, of blue
	count int
	sum   [3]int
}

func keyOf(pix []uint8) int { return int(pix[0])>>3<<10 | int(pix[1])>>3<<5 | int(pix[2])>>3 }

func (h hue) channel(n int) int { return h.key >> (10 - 5*n) & 31 }

// reduced returns the card in 256 colours at most, chosen from its own pixels by median cut.
func reduced(img *image.RGBA) *image.Paletted {
	hues := make([]hue, 1<<15)
	for at := 0; at < len(img.Pix); at += 4 {
		h := &hues[keyOf(img.Pix[at:])]
		h.count++
		for n := range h.sum {
			h.sum[n] += int(img.Pix[at+n])
		}
	}
	for key := range hues {
		hues[key].key = key
	}
	boxes := cut(slices.DeleteFunc(hues, func(h hue) bool { return h.count == 0 }), 256)
	out := image.NewPaletted(img.Bounds(), make(color.Palette, len(boxes)))
	var index [1 << 15]uint8
	for i, b := range boxes {
		out.Palette[i] = b.mean()
		for _, h := range b.hues {
			index[h.key] = uint8(i)
		}
	}
	for i := range out.Pix {
		out.Pix[i] = index[keyOf(img.Pix[i*4:])]
	}
	return out
}

// A box is a set of hues that become one colour.
type box struct {
	hues   []hue
	weight int // the gain of cutting it
	along  int // the channel in which they differ most
}

func newBox(hues []hue) box {
	b := box{hues: hues}
	pixels, most := 0, 0
	for n := range 3 {
		low, high := 31, 0
		for _, h := range hues {
			low, high = min(low, h.channel(n)), max(high, h.channel(n))
		}
		if high-low > most {
			b.along, most = n, high-low
		}
	}
	for _, h := range hues {
		pixels += h.count
	}
	b.weight = pixels * most
	return b
}

func (b box) mean() color.RGBA {
	count, sum := 0, [3]int{}
	for _, h := range b.hues {
		count += h.count
		for n := range sum {
			sum[n] += h.sum[n]
		}
	}
	return color.RGBA{uint8(sum[0] / count), uint8(sum[1] / count), uint8(sum[2] / count), 0xff}
}

// cut splits hues into at most that many boxes: it always halves the box of the largest weight, with as many pixels on
// each side.
func cut(hues []hue, most int) []box {
	boxes := []box{newBox(hues)}
	for len(boxes) < most {
		at := 0
		for i, b := range boxes {
			if b.weight > boxes[at].weight {
				at = i
			}
		}
		b := boxes[at]
		if b.weight == 0 {
			break
		}
		slices.SortFunc(b.hues, func(x, y hue) int { return x.channel(b.along) - y.channel(b.along) })
		middle := b.middle()
		boxes[at] = newBox(b.hues[:middle])
		boxes = append(boxes, newBox(b.hues[middle:]))
	}
	return boxes
}

// middle returns the index that splits the pixels into halves, with at least one hue on each side.
func (b box) middle() int {
	all, seen := 0, 0
	for _, h := range b.hues {
		all += h.count
	}
	for i, h := range b.hues[:len(b.hues)-1] {
		if seen += h.count; seen*2 >= all {
			return i + 1
		}
	}
	return len(b.hues) - 1
}
