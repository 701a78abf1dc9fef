package picture

import "encoding/binary"

// lookPNG reads the header of a PNG, and walks its chunks.
func (h *held) lookPNG() (l look, ok bool) {
	b := h.at(0, 33)
	if len(b) < 33 || string(b[12:16]) != "IHDR" {
		return l, false
	}
	w, t := binary.BigEndian.Uint32(b[16:]), binary.BigEndian.Uint32(b[20:])
	if w > 1<<30 || t > 1<<30 {
		w, t = 1<<30, 1<<30
	}
	l.width, l.height, l.orientation = int(w), int(t), 1
	depth, kind, interlaced := int(b[24]), b[25], b[28] != 0
	// What the decoder makes of it: a byte for grey and palettes, four for colours, twice that for 16 bits.
	perPixel := int64(4)
	switch {
	case depth <= 8 && (kind == 0 || kind == 3):
		perPixel = 4 // grey with a transparent colour becomes four
		if kind == 3 {
			perPixel = 1
		}
	case depth == 16:
		perPixel = 8
	}
	l.memory = int64(l.width)*int64(l.height)*perPixel + 16*int64(l.width)
	if interlaced {
		l.memory *= 2 // each pass is a picture of its own until it is merged
	}
	l.memory += h.passedOver()
	return l, true
}

// passedOver is the memory of the chunks that the decoder passes over: it makes room for a piece of each, anew. Such are all that it does not
// know, and parts of the picture that come when it has all of it: programs write longer parts than those that are counted.
func (h *held) passedOver() (memory int64) {
	const room, short = 4 << 10, 8 << 10
	for off := int64(8); memory <= maxMemory; {
		b := h.at(off, 8)
		if len(b) < 8 {
			break
		}
		size := int64(binary.BigEndian.Uint32(b))
		switch kind := string(b[4:]); {
		case kind == "IEND":
			return memory
		case kind != "IHDR" && kind != "IDAT" || kind == "IDAT" && size < short:
			memory += room
		}
		off += 12 + size
	}
	return memory
}
