package picture

import "encoding/binary"

const mostChunks = 1000

// lookWebP walks the chunks of a WebP. Each must lie in what was sent: the decoder believes what they say.
func (h *held) lookWebP() (l look, moves, ok bool) {
	l.orientation = 1
	var canvas int64 // pixels of it, where there is one
	var wide, high int
	off := int64(12)
	for range mostChunks {
		b := h.at(off, 18)
		if len(b) < 8 {
			break
		}
		size := int64(binary.LittleEndian.Uint32(b[4:]))
		if off+8+size > int64(h.size) || len(b) < 18 && size >= 10 {
			return l, false, false
		}
		switch body := b[8:]; string(b[:4]) {
		case "VP8X":
			if size < 10 {
				return l, false, false
			}
			if body[0]&2 != 0 {
				return l, true, false
			}
			wide, high = 1+int(u24(body[4:])), 1+int(u24(body[7:]))
			canvas = int64(wide) * int64(high)
		case "ANIM", "ANMF":
			return l, true, false
		case "ALPH":
			l.memory += 9 * canvas
			if size > 0 && body[0]&3 == 1 && !l.codes(h, off+9, size-1, wide, high) {
				return l, false, false
			}
		case "VP8 ":
			if size < 10 {
				return l, false, false
			}
			l.size(int(binary.LittleEndian.Uint16(body[6:])&0x3fff), int(binary.LittleEndian.Uint16(body[8:])&0x3fff))
			l.memory += 2*int64(l.width)*int64(l.height) + size
		case "VP8L":
			if size < 5 {
				return l, false, false
			}
			bits := binary.LittleEndian.Uint32(body[1:])
			l.size(int(bits&0x3fff)+1, int(bits>>14&0x3fff)+1)
			l.memory += 8 * int64(l.width) * int64(l.height) // the pixels, once more with a palette, and what tells them from others
			if !l.codes(h, off+13, size-5, l.width, l.height) {
				return l, false, false
			}
		case "EXIF":
			if o := orientationOf(h.at(off+8, int(min(size, 64<<10)))); o != 0 {
				l.orientation = o
			}
		}
		off += 8 + size + size&1
	}
	// The decoder takes how far one sees through from the canvas, and the colours from the frame: of another size, it would fail.
	fits := canvas == 0 || wide == l.width && high == l.height
	return l, false, l.width > 0 && canvas <= MaxPixels && fits
}

// size takes the sides of a frame. A second one is not there in a picture that stands still.
func (l *look) size(w, h int) {
	if l.width != 0 {
		w, h = 1<<30, 1<<30
	}
	l.width, l.height = w, h
}

// codes adds what the codes of a picture without loss take, unless it takes too much already, and tells whether they can be read.
func (l *look) codes(h *held, off, size int64, wide, high int) bool {
	if pixels := int64(wide) * int64(high); pixels > MaxPixels || l.memory > maxMemory {
		return true
	}
	n, ok := h.lossless(off, size, wide, high)
	l.memory += n
	return ok
}

func u24(b []byte) uint32 { return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 }
