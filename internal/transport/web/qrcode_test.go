package web

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

// TestTheCodeReadsAsTheAddress reads the drawing as a camera's program does, after ISO/IEC 18004.
func TestTheCodeReadsAsTheAddress(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"http://x.yz/p/a-1", // version 2
		"https://example.com/p/game-abc123",
		"https://sandlot.example.com/p/harbor-lights-at-night-k3x9p2",
		"https://games.sandlot.example.com:8443/p/harbor-lights-at-night-k3x9p2",
		"https://games.some-university.sandlot.example.com:8443/p/harbor-lights-at-night-k3x9p2x", // version 6
	} {
		t.Run(address, func(t *testing.T) {
			drawn, err := qrCode(address)
			expect.OK(t, err)
			code := modules(t, string(drawn))
			size := len(code) - 2*quietZone
			for y := range code {
				for x := range code {
					if code[y][x] && (min(x, y) < quietZone || max(x, y) >= quietZone+size) {
						t.Fatalf("the quiet zone has a dark module at %d, %d", x, y)
					}
				}
			}
			inner := make([][]bool, size)
			for y := range inner {
				inner[y] = code[y+quietZone][quietZone : quietZone+size]
			}
			expect.Equal(t, "it reads as", readCode(t, inner), address)
		})
	}
}

// modules are those of the drawing, true for dark.
func modules(t *testing.T, drawn string) [][]bool {
	t.Helper()
	size := regexp.MustCompile(`viewBox="0 0 (\d+) (\d+)"`).FindStringSubmatch(drawn)
	if size == nil || size[1] != size[2] || !strings.Contains(drawn, `<path fill="#fff" d="M0 0h`+size[1]+"v"+size[1]+`H0z"/>`) {
		t.Fatalf("it has no size, or no ground: %s", drawn)
	}
	n, _ := strconv.Atoi(size[1])
	out := make([][]bool, n)
	for y := range out {
		out[y] = make([]bool, n)
	}
	for _, run := range regexp.MustCompile(`M(\d+) (\d+)h(\d+)v1H(\d+)z`).FindAllStringSubmatch(drawn, -1) {
		var x, y, w int
		_, _ = fmt.Sscan(run[1]+" "+run[2]+" "+run[3], &x, &y, &w)
		for i := range w {
			out[y][x+i] = true
		}
	}
	return out
}

// masks are the patterns that one of was laid over the data.
var masks = []func(x, y int) bool{
	func(x, y int) bool { return (y+x)%2 == 0 },
	func(_, y int) bool { return y%2 == 0 },
	func(x, _ int) bool { return x%3 == 0 },
	func(x, y int) bool { return (y+x)%3 == 0 },
	func(x, y int) bool { return (y/2+x/3)%2 == 0 },
	func(x, y int) bool { return y*x%2+y*x%3 == 0 },
	func(x, y int) bool { return (y*x%2+y*x%3)%2 == 0 },
	func(x, y int) bool { return ((y+x)%2+y*x%3)%2 == 0 },
}

// readCode reads a code of version 2 to 6 with level M that has one byte segment.
func readCode(t *testing.T, code [][]bool) string {
	t.Helper()
	size := len(code)
	version := (size - 17) / 4
	format := 0
	for x := range 5 {
		format <<= 1
		if code[8][x] {
			format |= 1
		}
	}
	format ^= 0b10101
	if version < 2 || version > 6 || format>>3 != 0 { // 0 is level M
		t.Fatalf("it is of version %d, its format %05b", version, format)
	}
	mask := masks[format&7]
	centre := size - 7 // of the one alignment pattern
	isData := func(x, y int) bool {
		finder := x < 9 && y < 9 || x < 9 && y >= size-8 || x >= size-8 && y < 9
		align := max(x-centre, centre-x) < 3 && max(y-centre, centre-y) < 3
		return !finder && !align && x != 6 && y != 6
	}
	var bits []bool
	for right, up := size-1, true; right > 0; right, up = right-2, !up {
		if right == 6 {
			right--
		}
		for i := range size {
			y := i
			if up {
				y = size - 1 - i
			}
			for _, x := range []int{right, right - 1} {
				if isData(x, y) {
					bits = append(bits, code[y][x] != mask(x, y))
				}
			}
		}
	}
	var words []byte
	for i := 0; i+8 <= len(bits); i += 8 {
		var b byte
		for _, bit := range bits[i : i+8] {
			b <<= 1
			if bit {
				b |= 1
			}
		}
		words = append(words, b)
	}
	// Blocks of equal length, a word of each in turn.
	blocks, each := []int{0, 0, 1, 1, 2, 2, 4}[version], []int{0, 0, 28, 44, 32, 43, 27}[version]
	var data []byte
	for b := range blocks {
		for i := range each {
			data = append(data, words[i*blocks+b])
		}
	}
	if data[0]>>4 != 4 {
		t.Fatalf("its mode is %d", data[0]>>4)
	}
	n := int(data[0]&15)<<4 | int(data[1]>>4)
	var text strings.Builder
	for i := range n {
		text.WriteByte(data[i+1]<<4 | data[i+2]>>4)
	}
	return text.String()
}
