package picture

import (
	"cmp"
	"slices"
)

const (
	setSize  = 5 * 544 // the decoder's allocation for five codes before it reads the first
	codeSize = 600     // and, for a while, for each code beside its symbols
	longest  = 15      // bits of a symbol
)

// A code holds symbols, the shortest first, with the number of them for each length. A single symbol has a length of 0.
type code struct {
	count   [longest + 1]int
	symbols []int
}

// set reads the codes of green, red, blue, transparency, and distances.
func (r *codeReader) set(recent int) (s [5]code) {
	for i, n := range [...]int{256 + 24, 256, 256, 256, 40} {
		if i == 0 && recent > 0 {
			n += 1 << recent
		}
		s[i] = r.code(n)
	}
	return s
}

// code reads a code of n symbols.
func (r *codeReader) code(n int) (c code) {
	if r.bits(1) == 0 {
		return r.coded(r.lengths(n))
	}
	more := r.bits(1)
	c.symbols = append(c.symbols, r.bits(1+7*r.bits(1)))
	if more == 1 {
		c.symbols = append(c.symbols, r.bits(8))
	}
	c.count[more] = 1 + more
	r.damaged = r.damaged || slices.Max(c.symbols) >= n
	r.memory += 32
	return c
}

// coded returns the code whose symbols have these lengths: every possible bit sequence must stand for one.
func (r *codeReader) coded(lengths []int) (c code) {
	for symbol, n := range lengths {
		if n > 0 {
			c.count[n]++
			c.symbols = append(c.symbols, symbol)
		}
	}
	r.memory += int64(16*len(c.symbols)+8*len(lengths)) + codeSize
	if len(c.symbols) == 1 {
		return code{count: [longest + 1]int{1}, symbols: c.symbols}
	}
	left := 1
	for _, n := range c.count[1:] {
		if left = 2*left - n; left < 0 {
			break
		}
	}
	r.damaged = r.damaged || left != 0
	slices.SortStableFunc(c.symbols, func(a, b int) int { return cmp.Compare(lengths[a], lengths[b]) })
	return c
}

// lengths reads the lengths of the symbols of a code, which are in a code themselves.
func (r *codeReader) lengths(n int) []int {
	order := [...]int{17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	short := make([]int, len(order))
	for _, i := range order[:4+r.bits(4)] {
		short[i] = r.bits(3)
	}
	c, most := r.coded(short), n
	if r.bits(1) == 1 {
		most = 2 + r.bits(2+2*r.bits(3))
		r.damaged = r.damaged || most > n
	}
	lengths, last := make([]int, 0, n), 8
	for ; len(lengths) < n && most > 0 && !r.damaged; most-- {
		l, times := r.next(c), 1
		switch l {
		case 16:
			l, times = last, 3+r.bits(2)
		case 17:
			l, times = 0, 3+r.bits(3)
		case 18:
			l, times = 0, 11+r.bits(7)
		}
		if l != 0 {
			last = l
		}
		r.damaged = r.damaged || times > n-len(lengths)
		for range times {
			lengths = append(lengths, l)
		}
	}
	return append(lengths, make([]int, max(0, n-len(lengths)))...)
}

// next reads a symbol.
func (r *codeReader) next(c code) int {
	if c.count[0] == 1 {
		return c.symbols[0]
	}
	code, first, at := 0, 0, 0
	for _, n := range c.count[1:] {
		code |= r.bits(1)
		if code-first < n {
			return c.symbols[at+code-first]
		}
		at, first, code = at+n, (first+n)<<1, code<<1
	}
	r.damaged = true
	return 0
}
