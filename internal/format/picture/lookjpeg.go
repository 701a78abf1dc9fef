package picture

import (
	"bytes"
	"encoding/binary"
)

// mostSegments bounds the parts of a JPEG before its picture.
const mostSegments = 1000

// lookJPEG walks the segments up to the frame, which says how large it is and in which form.
func (h *held) lookJPEG() (l look, ok bool) {
	l.orientation = 1
	off, exif := int64(2), false
	for range mostSegments {
		b := h.at(off, 10)
		if len(b) < 4 || b[0] != 0xff {
			return l, false
		}
		marker, length := b[1], int64(binary.BigEndian.Uint16(b[2:]))
		switch {
		case marker == 0xff: // filling
			off++
			continue
		case marker == 0xd8 || marker >= 0xd0 && marker <= 0xd7 || marker == 0x01:
			off += 2
			continue
		case length < 2, marker == 0: // behind nothing a decoder goes on at once
			return l, false
		case marker >= 0xc0 && marker <= 0xc2:
			return l, h.frame(&l, off, int(length), marker == 0xc2)
		case marker >= 0xc3 && marker <= 0xcf && marker != 0xc4 && marker != 0xcc, marker == 0xd9, marker == 0xda:
			return l, false // a frame of a kind that is not read, or none
		case marker == 0xe1 && !exif && string(h.at(off+4, 6)) == "Exif\x00\x00":
			exif = true // the first counts
			if o := orientationOf(h.at(off+4, int(length)-2)); o != 0 {
				l.orientation = o
			}
		}
		off += 2 + length
	}
	return l, false
}

// frame reads the start of a frame.
func (h *held) frame(l *look, off int64, length int, progressive bool) bool {
	b := h.at(off+4, length-2)
	if len(b) < 6 {
		return false
	}
	n := int(b[5])
	if len(b) < 6+3*n || n < 1 || n > 4 {
		return false
	}
	l.height, l.width = int(binary.BigEndian.Uint16(b[1:])), int(binary.BigEndian.Uint16(b[3:]))
	var across, down int64 = 1, 1
	for i := range n {
		across, down = max(across, int64(b[7+3*i]>>4)), max(down, int64(b[7+3*i]&15))
	}
	// Blocks of all components, as the decoder has them: whole ones, of 64 samples each.
	wide := (int64(l.width) + 8*across - 1) / (8 * across)
	high := (int64(l.height) + 8*down - 1) / (8 * down)
	samples := int64(0)
	for i := range n {
		samples += 64 * wide * high * int64(b[7+3*i]>>4) * int64(b[7+3*i]&15)
	}
	l.memory = samples
	pixels := int64(l.width) * int64(l.height)
	switch { // what is not YCbCr is written once more, or twice
	case n == 4:
		l.memory += 8 * pixels
	case n == 3 && (b[6] == 'R' || h.adobe()):
		l.memory += 4 * pixels
	}
	if progressive { // four bytes for each coefficient, until the last scan
		l.memory += 4 * samples
	}
	return true
}

// adobe tells whether a segment says in which colours the picture is. It may stand anywhere, and one that stands
// after the frame counts, too.
func (h *held) adobe() bool {
	const across = 16 // of two chunks, to each side
	for i, c := range h.chunks {
		if adobeIn(c) || adobeIn(h.at(int64(i+1)*chunk-across, 2*across)) {
			return true
		}
	}
	return false
}

func adobeIn(piece []byte) bool {
	for {
		at := bytes.Index(piece, []byte("Adobe"))
		if at < 0 {
			return false
		}
		if at >= 4 && string(piece[at-4:at-2]) == "\xff\xee" {
			return true
		}
		piece = piece[at+len("Adobe"):]
	}
}
