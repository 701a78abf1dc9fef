package linediff

import (
	"slices"
	"sort"
)

const (
	// maxDepth is how often what lies between matched lines is looked at for lines that are in both
	// once: with each time there is less of it. Texts of people need three or four.
	maxDepth = 32
	// maxEdits is how many lines may be other between two matched ones for the shortest way to be
	// looked for; its trace has the square of that, in 4 bytes each: 1 MiB.
	maxEdits = 512
	// maxSteps bounds all of these searches of one comparison: some 50 ms.
	maxSteps = 8 << 20
)

// span is a part of a text: lines from, and without, to.
type span struct{ from, to int }

func (s span) empty() bool { return s.from >= s.to }

// A matcher finds for lines of a the same in b.
type matcher struct {
	a, b  []int32 // each text's lines; equal numbers are equal lines
	to    []int32 // where each line of a is in b; -1: nowhere
	inA   []int32 // for each number, how often it is in what is looked at
	inB   []int32
	at    []int32 // and where it was seen last in b
	steps int     // that are left
}

func newMatcher(a, b []string) *matcher {
	numbers := make(map[string]int32, len(a))
	number := func(lines []string) []int32 {
		out := make([]int32, len(lines))
		for i, l := range lines {
			n, ok := numbers[l]
			if !ok {
				n = int32(len(numbers))
				numbers[l] = n
			}
			out[i] = n
		}
		return out
	}
	m := &matcher{a: number(a), b: number(b), to: slices.Repeat([]int32{-1}, len(a)), steps: maxSteps}
	m.inA, m.inB, m.at = make([]int32, len(numbers)), make([]int32, len(numbers)), make([]int32, len(numbers))
	return m
}

// between matches the lines of two parts.
func (m *matcher) between(a, b span, depth int) {
	for !a.empty() && !b.empty() && m.a[a.from] == m.b[b.from] {
		m.to[a.from] = int32(b.from)
		a.from, b.from = a.from+1, b.from+1
	}
	for !a.empty() && !b.empty() && m.a[a.to-1] == m.b[b.to-1] {
		a.to, b.to = a.to-1, b.to-1
		m.to[a.to] = int32(b.to)
	}
	if a.empty() || b.empty() {
		return
	}
	anchors := m.anchors(a, b)
	if len(anchors) == 0 || depth == 0 {
		m.shortest(a, b)
		return
	}
	for _, at := range anchors {
		m.to[at.a] = int32(at.b)
		m.between(span{a.from, at.a}, span{b.from, at.b}, depth-1)
		a.from, b.from = at.a+1, at.b+1
	}
	m.between(a, b, depth-1)
}

// pair is a line of a and one of b that are the same.
type pair struct{ a, b int }

// anchors are most of the lines that are in either part once, such that they come in the same order.
func (m *matcher) anchors(a, b span) []pair {
	for i := a.from; i < a.to; i++ {
		m.inA[m.a[i]]++
	}
	for j := b.from; j < b.to; j++ {
		m.inB[m.b[j]]++
		m.at[m.b[j]] = int32(j)
	}
	var both []pair
	for i := a.from; i < a.to; i++ {
		if n := m.a[i]; m.inA[n] == 1 && m.inB[n] == 1 {
			both = append(both, pair{i, int(m.at[n])})
		}
	}
	for i := a.from; i < a.to; i++ {
		m.inA[m.a[i]] = 0
	}
	for j := b.from; j < b.to; j++ {
		m.inB[m.b[j]] = 0
	}
	return rising(both)
}

// rising is the longest part of pairs, which come in the order of a, that is in the order of b too.
func rising(pairs []pair) []pair {
	ends, before := []int{}, make([]int, len(pairs)) // the pair that ends the best row of each length; of each pair, the one before it
	for i, p := range pairs {
		n := sort.Search(len(ends), func(k int) bool { return pairs[ends[k]].b > p.b })
		before[i] = -1
		if n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	out := make([]pair, len(ends))
	if len(ends) == 0 {
		return out
	}
	for n, i := len(ends)-1, ends[len(ends)-1]; n >= 0; n-- {
		out[n] = pairs[i]
		i = before[i]
	}
	return out
}

// shortest matches two parts by the shortest way from one to the other, after Myers, if there is
// one of few edits; else it matches none of them.
func (m *matcher) shortest(a, b span) {
	n, k := a.to-a.from, b.to-b.from
	most := min(maxEdits, n+k)
	far := make([]int32, 2*most+2) // how far into a each diagonal was followed; that of k is at most+k
	var trace [][]int32
	for d := 0; d <= most; d++ {
		trace = append(trace, slices.Clone(far[most-d:most+d+1]))
		for diagonal := -d; diagonal <= d; diagonal += 2 {
			x := 0
			switch {
			case d == 0:
			case diagonal == -d || diagonal != d && far[most+diagonal-1] < far[most+diagonal+1]:
				x = int(far[most+diagonal+1])
			default:
				x = int(far[most+diagonal-1]) + 1
			}
			start := x
			for y := x - diagonal; x < n && y < k && y >= 0 && m.a[a.from+x] == m.b[b.from+y]; y++ {
				x++
			}
			far[most+diagonal] = int32(x)
			if x >= n && x-diagonal >= k {
				m.back(a, b, trace)
				return
			}
			if m.steps -= 1 + x - start; m.steps < 0 {
				return
			}
		}
	}
}

// back follows the way that was found from its end, and matches the lines on it that are the same.
func (m *matcher) back(a, b span, trace [][]int32) {
	x, y := a.to-a.from, b.to-b.from
	for d := len(trace) - 1; d >= 0; d-- {
		diagonal, begin, next := x-y, 0, 0 // where the same lines begin, and where the way was before
		if far := trace[d]; d > 0 {
			if diagonal == -d || diagonal != d && far[d+diagonal-1] < far[d+diagonal+1] {
				next = int(far[d+diagonal+1])
				begin, diagonal = next, diagonal+1
			} else {
				next = int(far[d+diagonal-1])
				begin, diagonal = next+1, diagonal-1
			}
		}
		for x > begin {
			x, y = x-1, y-1
			m.to[a.from+x] = int32(b.from + y)
		}
		x, y = next, next-diagonal
	}
}
