package web

import (
	"fmt"
	"image/color"
	"strings"

	"github.com/boombuler/barcode/qr"
)

// quietZone is how many light modules stand on each side of a QR code: ISO/IEC 18004
// wants four, and cameras do not find a code that has less.
const quietZone = 4

// qrCode draws an address as a QR code with its quiet zone. It is dark on light
// whatever the page is: not every camera reads the inverse.
func qrCode(address string) ([]byte, error) {
	code, err := qr.Encode(address, qr.M, qr.Unicode)
	if err != nil {
		return nil, fmt.Errorf("draw the code of %s: %w", address, err)
	}
	size := code.Bounds().Dx()
	dark := func(x, y int) bool { return x < size && code.At(x, y) == color.Black }
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h%[1]dv%[1]dH0z"/><path d="`, size+2*quietZone, size+2*quietZone)
	for y := range size {
		for x := 0; x < size; x++ {
			from := x
			for dark(x, y) {
				x++
			}
			if x > from {
				fmt.Fprintf(&out, "M%d %dh%dv1H%dz", from+quietZone, y+quietZone, x-from, from+quietZone)
			}
		}
	}
	out.WriteString(`"/></svg>`)
	return []byte(out.String()), nil
}
