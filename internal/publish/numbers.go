package publish

import "math/bits"

// Numbers is a set of part numbers, one bit each: 1,250 bytes for MaxParts. What is
// asked of an upload costs the same however many parts have come. It never changes.
type Numbers []byte

// Has reports whether n is in the set.
func (s Numbers) Has(n int) bool { return n > 0 && n/8 < len(s) && s[n/8]>>(n%8)&1 == 1 }

// With is the set with n, which is 1 or more.
func (s Numbers) With(n int) Numbers {
	next := make(Numbers, max(len(s), n/8+1))
	copy(next, s)
	next[n/8] |= 1 << (n % 8)
	return next
}

// Count is how many numbers there are.
func (s Numbers) Count() (n int) {
	for _, b := range s {
		n += bits.OnesCount8(b)
	}
	return n
}

// Highest is the highest number, 0 if there is none.
func (s Numbers) Highest() int {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] != 0 {
			return i*8 + bits.Len8(s[i]) - 1
		}
	}
	return 0
}

// first lists the lowest numbers up to last that are in the set, or that are not; at
// most limit.
func (s Numbers) first(in bool, last, limit int) []int {
	list := []int{}
	for n := 1; n <= last && len(list) < limit; n++ {
		if s.Has(n) == in {
			list = append(list, n)
		}
	}
	return list
}
