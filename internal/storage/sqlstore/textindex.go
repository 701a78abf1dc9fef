package sqlstore

import (
	"math/bits"
	"slices"
	"strings"
	"sync"
)

const (
	// segmentSize is of how many projects, in the order of their numbers, a segment tells.
	segmentSize = 1024
	// segmentSlots is how many rows of bits it has: a text has some 100 grams, which share them.
	segmentSlots = 1024
	segmentBytes = segmentSlots*segmentSize/8 + segmentSize*16
	// indexBytes bounds what is kept of texts, unless KeepForSearches says less: some 85,000 of them
	// where all projects are listed. Others take room, too, unless a thousand in a row are not listed.
	indexBytes = 16 << 20
	// indexStep is how many older texts a search that wants some has brought in: some 10 ms.
	indexStep = 4096
)

// A textIndex keeps the texts of the newest listed projects, as they were filed last,
// and finds those with some words.
//
// Each gram of a text (one, two or three characters in a row) sets the project's bit in one
// of the rows of its segment. What has the bits of a word may have the word, and its text
// tells. Bits are never taken away: they would have to be counted, and texts change rarely.
//
// Methods may be called concurrently. Who adds texts holds filling.
type textIndex struct {
	most int // bytes that are kept, but one segment always
	step int // texts that are brought in at a time

	filling sync.Mutex
	mu      sync.RWMutex
	ready   bool
	seen    int64      // the filing up to which it follows
	floor   int64      // texts of projects with lower numbers are not here
	list    []*segment // the highest numbers first
	bytes   int
}

type segment struct {
	base  int64 // the lowest number
	texts [segmentSize]string
	rows  [segmentSlots][segmentSize / 64]uint64
}

// A heldText is what an index keeps of a project; an empty text says to forget it. One
// that is due is not to be kept.
type heldText struct {
	project int64
	text    string
	due     int
}

func newTextIndex() *textIndex { return &textIndex{most: indexBytes, step: indexStep} }

// slot is the row of a gram.
func slot(letters []rune) int {
	h := uint32(2166136261)
	for _, r := range letters {
		h = (h ^ uint32(r)) * 16777619
	}
	return int((h ^ h>>15) % segmentSlots)
}

// slots are the rows of a text's grams, of which some may come twice. The longest, which tell
// most, come first.
func slots(text string) (list []int) {
	for n := 3; n > 0; n-- {
		for word := range strings.FieldsSeq(text) {
			letters := []rune(word)
			for i := 0; i+n <= len(letters); i++ {
				list = append(list, slot(letters[i:i+n]))
			}
		}
	}
	return list
}

// state tells up to which filing the index follows, and from which number on it has the texts.
func (x *textIndex) state() (seen, floor int64, ready bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.seen, x.floor, x.ready
}

// begin has the index hold these texts alone, which are all from a number on, and follow
// from a filing on.
func (x *textIndex) begin(texts []heldText, floor, seen int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.ready, x.seen, x.list, x.bytes = true, seen, nil, 0
	x.put(texts, floor)
}

// extend adds all texts of the projects from a number up to the floor, the newest first.
func (x *textIndex) extend(texts []heldText, floor int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.put(texts, floor)
}

// follow takes in what was filed up to a number.
func (x *textIndex) follow(texts []heldText, seen int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.seen = seen
	x.put(texts, x.floor)
}

// full reports whether there is no room for another step of older texts.
func (x *textIndex) full() bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.bytes > x.most/8*7
}

// put adds texts that are not below a new floor, and has the oldest make room for them.
func (x *textIndex) put(texts []heldText, floor int64) {
	x.floor = floor
	for _, t := range texts {
		if t.project < x.floor {
			continue
		}
		s, at := x.of(t.project, t.text != ""), t.project%segmentSize
		if s == nil {
			continue
		}
		x.bytes += len(t.text) - len(s.texts[at])
		s.texts[at] = t.text
		for _, row := range slots(t.text) {
			s.rows[row][at/64] |= 1 << (at % 64)
		}
		for len(x.list) > 1 && x.bytes > x.most {
			x.dropOldest()
		}
	}
}

func (x *textIndex) dropOldest() {
	last := x.list[len(x.list)-1]
	x.list, x.floor = x.list[:len(x.list)-1], last.base+segmentSize
	x.bytes -= segmentBytes
	for _, t := range last.texts {
		x.bytes -= len(t)
	}
}

// of is the segment of a project. Where there is none, one is made if that is said.
func (x *textIndex) of(project int64, made bool) *segment {
	base := project / segmentSize * segmentSize
	i, found := slices.BinarySearchFunc(x.list, base, func(s *segment, base int64) int { return int(base - s.base) })
	if !found {
		if !made {
			return nil
		}
		x.list = slices.Insert(x.list, i, &segment{base: base})
		x.bytes += segmentBytes
	}
	return x.list[i]
}

// matching returns the newest projects below a number whose texts have all the words, most
// of them or a few more where there are as many, and how far it looked: at all from that number
// on. At the end it has looked at all that is here.
func (x *textIndex) matching(words []string, before int64, most int) (list []int64, from int64, end bool) {
	rows := slots(strings.Join(words, "\n"))
	x.mu.RLock()
	defer x.mu.RUnlock()
	for _, s := range x.list {
		if s.base >= before {
			continue
		}
		if list, from = s.matching(list, rows, words, before, most); len(list) >= most {
			return list, from, false
		}
	}
	return list, min(before, x.floor), true
}

// matching adds those projects of the segment that are below a number and have the words.
func (s *segment) matching(list []int64, rows []int, words []string, before int64, most int) (more []int64, from int64) {
	for i := segmentSize/64 - 1; i >= 0 && len(list) < most; i-- {
		from = s.base + int64(i)*64
		set := ^uint64(0)
		if n := before - from; n <= 0 {
			continue
		} else if n < 64 {
			set = 1<<n - 1
		}
		for _, row := range rows {
			if set &= s.rows[row][i]; set == 0 {
				break
			}
		}
		for ; set != 0; set &^= 1 << (bits.Len64(set) - 1) {
			at := i*64 + bits.Len64(set) - 1
			if hasAll(s.texts[at], words) {
				list = append(list, s.base+int64(at))
			}
		}
	}
	return list, from
}

// often tells how many of the newest projects may have a gram.
func (x *textIndex) often(letters []rune) (n int) {
	row := slot(letters)
	x.mu.RLock()
	defer x.mu.RUnlock()
	for _, s := range x.list[:min(len(x.list), 8)] {
		for _, set := range s.rows[row] {
			n += bits.OnesCount64(set)
		}
	}
	return n
}

// hasAll reports whether a text has all the words.
func hasAll(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}
