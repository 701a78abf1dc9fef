package picture

import (
	"cmp"
	"slices"
)

// A codeReader reads the codes of a lossless picture in a WebP. A few bytes can name 65,536 sets of codes, and a
// decoder allocates all of them before it reads the first: their number and memory are known once the small pictures
// before them are read. A picture that is not a valid WebP, or is cut, is damaged.
type codeReader struct {
	data    []byte
	at      int // in bits
	memory  int64
	damaged bool
}

// lossless returns the memory of the codes of a picture of so many pixels; data does not include its header.
func lossless(data []byte, wide, high int) (memory int64, ok bool) {
	r := &codeReader{data: data}
	var seen [4]bool
	for r.bits(1) == 1 {
		kind := r.bits(2)
		if r.damaged || seen[kind] {
			return 0, false
		}
		seen[kind] = true
		switch kind {
		case 0, 1: // the prediction of tiles from their neighbours, and from their other colours
			side := 2 + r.bits(3)
			r.picture(tiles(wide, side), tiles(high, side))
		case 3: // a palette; with few colours several pixels share one
			n := 1 + r.bits(8)
			r.picture(n, 1)
			switch {
			case n <= 2:
				wide = tiles(wide, 3)
			case n <= 4:
				wide = tiles(wide, 2)
			case n <= 16:
				wide = tiles(wide, 1)
			}
		}
	}
	recent, sets := r.recent(), 1
	if r.bits(1) == 1 {
		side := 2 + r.bits(3)
		for _, p := range r.picture(tiles(wide, side), tiles(high, side)) {
			sets = max(sets, 1+int(p>>8&0xffff))
		}
	}
	r.memory += int64(sets) * setSize
	for range sets {
		if r.damaged || r.memory > maxMemory {
			break
		}
		r.set(recent)
	}
	return r.memory, !r.damaged
}

// tiles returns how many tiles of 1<<side pixels cover n pixels.
func tiles(n, side int) int { return (n + 1<<side - 1) >> side }

// bits reads a number of n bits.
func (r *codeReader) bits(n int) (v int) {
	for i := range n {
		if r.at == 8*len(r.data) {
			r.damaged = true
			return 0
		}
		v |= int(r.data[r.at/8]>>(r.at%8)&1) << i
		r.at++
	}
	return v
}

// recent reads the bits of an index into the cache of recent colours; 0: there is no cache.
func (r *codeReader) recent() int {
	if r.bits(1) == 0 {
		return 0
	}
	n := r.bits(4)
	if n < 1 || n > 11 {
		r.damaged = true
		return 1
	}
	return n
}

// picture reads a small picture before the codes.
func (r *codeReader) picture(wide, high int) []uint32 {
	recent := r.recent()
	s, kept := r.set(recent), make([]uint32, 1<<recent)
	pixels := make([]uint32, 0, wide*high)
	put := func(p uint32) {
		pixels = append(pixels, p)
		kept[p*0x1e35a7bd>>(32-recent)] = p // a shift by 32 gives the first
	}
	for len(pixels) < wide*high && !r.damaged {
		switch g := r.next(s[0]); {
		case g < 256:
			red := r.next(s[1])
			blue := r.next(s[2])
			put(uint32(r.next(s[3]))<<24 | uint32(red)<<16 | uint32(g)<<8 | uint32(blue))
		case g < 256+24:
			n := r.number(g - 256)
			back := distance(r.number(r.next(s[4])), wide)
			if r.damaged || back > len(pixels) || n > wide*high-len(pixels) {
				r.damaged = true
				break
			}
			for range n {
				put(pixels[len(pixels)-back])
			}
		default:
			put(kept[g-256-24])
		}
	}
	return pixels
}

// number reads a length, or a distance, whose magnitude the symbol gives.
func (r *codeReader) number(symbol int) int {
	if symbol < 4 {
		return symbol + 1
	}
	more := (symbol - 2) >> 1
	return (2+symbol&1)<<more + r.bits(more) + 1
}

// distance returns how many pixels back a distance leads: the first 120 are the nearest ones, above and to the left.
func distance(n, wide int) int {
	if n > len(nearest) {
		return n - len(nearest)
	}
	return max(1, nearest[n-1].y*wide+nearest[n-1].x)
}

type place struct{ x, y int } // to the left, and up

// nearest are the places near a pixel, the nearest first.
var nearest = placesNear()

func placesNear() (list []place) {
	for y := range 8 {
		for x := -7; x <= 8; x++ {
			if y > 0 || x > 0 {
				list = append(list, place{x, y})
			}
		}
	}
	slices.SortFunc(list, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.x*a.x+a.y*a.y, b.x*b.x+b.y*b.y), cmp.Compare(a.x*a.x, b.x*b.x), cmp.Compare(b.x, a.x))
	})
	return list
}
