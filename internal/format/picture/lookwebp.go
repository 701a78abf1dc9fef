package picture

import (
	"encoding/binary"
	"errors"

	"golang.org/x/image/webp"
)

var (
	errMoves    = errors.New("it moves")
	errLossless = errors.New("it has data without loss")
	errDamaged  = errors.New("it is damaged")
)

// webp walks the chunks of a WebP. Each must lie in data: the decoder trusts their lengths. A picture without loss, or
// with transparency, which is stored without loss, is not read: 41 bytes of one make the decoder allocate 178 MB.
func (l *look) webp(data []byte) error {
	l.decode = webp.Decode
	for rest := data[12:]; len(rest) >= 8; {
		size := int64(binary.LittleEndian.Uint32(rest[4:]))
		if 8+size > int64(len(rest)) {
			return errDamaged
		}
		name, body := string(rest[:4]), rest[8:8+size]
		rest = rest[min(8+size+size&1, int64(len(rest))):]
		switch name {
		case "ANIM", "ANMF":
			return errMoves
		case "ALPH", "VP8L":
			return errLossless
		case "VP8X":
			if len(body) < 10 {
				return errDamaged
			}
			if body[0]&2 != 0 {
				return errMoves
			}
		case "VP8 ":
			if len(body) < 10 || l.width != 0 { // a still picture has no second frame
				return errDamaged
			}
			l.width = int(binary.LittleEndian.Uint16(body[6:]) & 0x3fff)
			l.height = int(binary.LittleEndian.Uint16(body[8:]) & 0x3fff)
			l.memory = 2*int64(l.width)*int64(l.height) + size
		case "EXIF":
			l.orientation = max(orientationOf(body), 1)
		}
	}
	if l.width == 0 {
		return errDamaged
	}
	return nil
}
