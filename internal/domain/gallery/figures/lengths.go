package figures

import (
	"encoding/binary"
	"math"
	"slices"
	"sort"
	"time"
)

// Lengths counts play lengths by size, so that only their median is known. The first size is below ten seconds; each
// further one reaches 19 % higher, up to four hours, the size of all longer ones. So the error of a median is below 19
// %. It is nil when empty.
type Lengths []int64

const (
	sizes     = 43
	firstSize = 10 * time.Second
	perOctave = 4
)

// below returns the upper end of a size, which the size excludes.
func below(size int) time.Duration {
	return time.Duration(float64(firstSize) * math.Exp2(float64(size)/perOctave))
}

// Add counts a length.
func (l *Lengths) Add(d time.Duration) {
	size := sort.Search(sizes-1, func(i int) bool { return d < below(i) })
	l.grow(size + 1)
	(*l)[size]++
}

func (l *Lengths) grow(n int) {
	if n > len(*l) {
		*l = append(*l, make(Lengths, n-len(*l))...)
	}
}

// Merge adds the counts of other.
func (l *Lengths) Merge(other Lengths) {
	l.grow(len(other))
	for i, n := range other {
		(*l)[i] += n
	}
}

// Median returns the median of the lengths, and false if there are none.
func (l Lengths) Median() (time.Duration, bool) {
	var all int64
	for _, n := range l {
		all += n
	}
	if all == 0 {
		return 0, false
	}
	half, i := float64(all)/2, 0
	for ; float64(l[i]) < half; i++ {
		half -= float64(l[i])
	}
	from := time.Duration(0)
	if i > 0 {
		from = below(i - 1)
	}
	return from + time.Duration(float64(below(i)-from)*half/float64(l[i])), true
}

// Bytes returns the stored form of lengths: at most 4 bytes for each size, up to 268 million lengths in it. It is nil
// without lengths.
func (l Lengths) Bytes() (b []byte) {
	for _, n := range l {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return b
}

// ReadLengths parses the result of Bytes. Damaged bytes are no lengths.
func ReadLengths(b []byte) Lengths {
	var l Lengths
	for len(b) > 0 && len(l) < sizes {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > math.MaxInt64 {
			return nil
		}
		l, b = append(l, int64(n)), b[size:]
	}
	return slices.Clip(l)
}
