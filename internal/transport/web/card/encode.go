package card

import (
	"bytes"
	"image"
	"image/jpeg"
)

const (
	mostBytes = 300_000 // of a card: messengers ignore larger ones
	best      = 90      // quality of most cards
	least     = 10      // quality at which noise takes half of mostBytes
)

// encoded returns a card as a JPEG of the best quality that fits.
func encoded(img image.Image) ([]byte, error) {
	var out bytes.Buffer
	for quality := best; ; quality -= 20 {
		out.Reset()
		err := jpeg.Encode(&out, img, &jpeg.Options{Quality: quality})
		if err != nil || out.Len() <= mostBytes || quality <= least {
			return out.Bytes(), err
		}
	}
}
