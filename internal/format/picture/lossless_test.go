package picture

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"slices"
	"testing"
)

// written is bits, the first of each byte first.
type written struct {
	bytes []byte
	n     int
}

func (w *written) put(bits, value int) {
	for i := range bits {
		if w.n%8 == 0 {
			w.bytes = append(w.bytes, 0)
		}
		w.bytes[w.n/8] |= byte(value >> i & 1 << (w.n % 8))
		w.n++
	}
}

// naming returns a lossless WebP of one colour that names so many sets of codes, and has as many as has says: none of
// them needs more than 20 bits.
func naming(w, h, sets, has int) []byte {
	b := &written{}
	b.put(8, 0x2f)
	b.put(14, w-1)
	b.put(14, h-1)
	b.put(4, 0)
	b.put(3, 0b100) // as it is, no colours of before, several sets
	b.put(3, 7)     // for tiles of 512 pixels
	b.put(1, 0)
	for _, only := range []int{(sets - 1) & 255, (sets - 1) >> 8, 0, 0, 0} {
		b.put(3, 0b101)
		b.put(8, only)
	}
	for range 5 * has {
		b.put(4, 0b0001)
	}
	b.put(64, 0)
	return riff(part("VP8L", string(b.bytes)))
}

// pieces returns the parts of a WebP that are without loss, without their headers.
func pieces(sent []byte) (list [][]byte) {
	for off := 12; off+8 < len(sent); {
		size := int(binary.LittleEndian.Uint32(sent[off+4:]))
		switch string(sent[off : off+4]) {
		case "VP8L":
			list = append(list, sent[off+13:off+8+size])
		case "ALPH":
			list = append(list, sent[off+9:off+8+size])
		}
		off += 8 + size + size&1
	}
	return list
}

// FuzzLossless compares the memory computed for a lossless WebP with the memory of a decoder, which may never be more.
func FuzzLossless(f *testing.F) {
	for _, name := range []string{"alpha.webp", "lossless.webp", "lossless-sets.webp"} {
		for _, p := range pieces(sample(f, name)) {
			f.Add(p, uint16(96), uint16(54))
		}
	}
	f.Add(naming(64, 36, 300, 300)[25:], uint16(64), uint16(36))
	f.Add(naming(64, 36, 65_536, 0)[25:], uint16(64), uint16(36))
	f.Fuzz(func(t *testing.T, sent []byte, wide, high uint16) {
		w, h := uint32(wide%600), uint32(high%600)
		header := append([]byte{0x2f}, binary.LittleEndian.AppendUint32(nil, w|h<<14)...)
		file := riff(part("VP8L", string(slices.Concat(header, sent))))
		l, err := lookAt(file)
		if err != nil || l.affordable(len(file)) != nil {
			return
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _ = l.decode(bytes.NewReader(file))
		runtime.ReadMemStats(&after)
		if took := int64(after.TotalAlloc - before.TotalAlloc); took > l.memory+256<<10 {
			t.Errorf("it took %d bytes, and was to take %d", took, l.memory)
		}
	})
}
