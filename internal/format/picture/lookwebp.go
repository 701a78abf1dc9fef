package picture

import (
	"encoding/binary"
	"errors"

	"golang.org/x/image/webp"
)

var (
	errMoves   = errors.New("it moves")
	errDamaged = errors.New("it is damaged")
)

// webp walks the chunks of a WebP. Each must lie in data: the decoder trusts their lengths.
func (l *look) webp(data []byte) error {
	l.decode = webp.Decode
	var wide, high int // the sides of the canvas, if there is one
	for rest := data[12:]; len(rest) >= 8; {
		size := int64(binary.LittleEndian.Uint32(rest[4:]))
		if 8+size > int64(len(rest)) {
			return errDamaged
		}
		name, body := string(rest[:4]), rest[8:8+size]
		rest = rest[min(8+size+size&1, int64(len(rest))):]
		if least := map[string]int{"VP8X": 10, "ALPH": 1, "VP8 ": 10, "VP8L": 5}[name]; len(body) < least {
			return errDamaged
		}
		ok := true
		switch canvas := int64(wide) * int64(high); name {
		case "VP8X":
			wide, high = 1+u24(body[4:]), 1+u24(body[7:])
			if body[0]&2 != 0 {
				return errMoves
			}
		case "ANIM", "ANMF":
			return errMoves
		case "ALPH":
			l.memory += 9 * canvas
			ok = body[0]&3 != 1 || l.codes(body[1:], wide, high)
		case "VP8 ":
			l.size(int(binary.LittleEndian.Uint16(body[6:])&0x3fff), int(binary.LittleEndian.Uint16(body[8:])&0x3fff))
			l.memory += 2*int64(l.width)*int64(l.height) + size
		case "VP8L":
			bits := binary.LittleEndian.Uint32(body[1:])
			l.size(int(bits&0x3fff)+1, int(bits>>14&0x3fff)+1)
			l.memory += 8 * int64(l.width) * int64(l.height) // the pixels, and once more with a palette
			ok = l.codes(body[5:], l.width, l.height)
		case "EXIF":
			l.orientation = max(orientationOf(body), 1)
		}
		if !ok {
			return errDamaged
		}
	}
	// The decoder takes the transparency from the canvas, and the colours from the frame: with different sizes it would
	// fail.
	if l.width == 0 || wide != 0 && (wide != l.width || high != l.height) {
		return errDamaged
	}
	return nil
}

// size sets the sides of the frame. A still picture has no second one.
func (l *look) size(w, h int) {
	if l.width != 0 {
		w, h = 1<<30, 1<<30
	}
	l.width, l.height = w, h
}

// codes adds the memory of the codes of a lossless picture, unless it takes too much already, and reports whether they
// can be read.
func (l *look) codes(data []byte, wide, high int) bool {
	if pixels := int64(wide) * int64(high); pixels > MaxPixels || l.memory > maxMemory {
		return true
	}
	n, ok := lossless(data, wide, high)
	l.memory += n
	return ok
}

func u24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
