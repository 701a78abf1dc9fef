package figures

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/bits"
	"slices"
	"sort"
)

// A Sketch counts the different players that were added to it, and to the sketches merged into it, without keeping who
// they are. Up to 96 players it is exact, except for one hash collision in a million; beyond that it is a HyperLogLog
// of 512 registers, whose error is 4.6 % in two of three cases and stays below 14 % in 997 of 1000. It has at most 512
// bytes, is stored as it is, and is nil when empty.
//
// Up to 96 players it holds their hashes, of 32 bits each, in order; beyond that the registers.
type Sketch []byte

const (
	registers  = 512
	indexBits  = 9  // registers is 2 to this power
	rankBits   = 23 // the remaining bits of a hash
	mostHashes = 96
)

// Add adds a player. It may change the bytes of the sketch in place.
func (s *Sketch) Add(player string) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(player))
	s.add(uint32(mix(h.Sum64()) >> 32))
}

// mix spreads the differences between two hashes over all bits.
func mix(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

func (s *Sketch) add(hash uint32) {
	if len(*s) == registers {
		s.register(hash)
		return
	}
	i, there := s.find(hash)
	switch {
	case there:
	case len(*s) == 4*mostHashes:
		hashes := *s
		*s = make(Sketch, registers)
		for len(hashes) > 0 {
			s.register(binary.BigEndian.Uint32(hashes))
			hashes = hashes[4:]
		}
		s.register(hash)
	default:
		*s = slices.Insert(*s, i, binary.BigEndian.AppendUint32(nil, hash)...)
	}
}

// find returns the place of a hash in the sketch, and whether it is there.
func (s *Sketch) find(hash uint32) (at int, there bool) {
	at, there = sort.Find(len(*s)/4, func(i int) int { return cmp.Compare(hash, binary.BigEndian.Uint32((*s)[4*i:])) })
	return 4 * at, there
}

func (s *Sketch) register(hash uint32) {
	i := hash >> rankBits
	rank := min(bits.LeadingZeros32(hash<<indexBits), rankBits) + 1
	(*s)[i] = max((*s)[i], byte(rank))
}

// Merge adds all players of another sketch, which it does not change. It may change the bytes of s in place.
func (s *Sketch) Merge(other Sketch) {
	if len(other) != registers {
		for ; len(other) >= 4; other = other[4:] {
			s.add(binary.BigEndian.Uint32(other))
		}
		return
	}
	hashes := *s
	*s = slices.Clone(other)
	if len(hashes) != registers {
		s.Merge(hashes)
		return
	}
	for i, rank := range hashes {
		(*s)[i] = max((*s)[i], rank)
	}
}

// Count returns the number of players.
func (s Sketch) Count() int64 {
	if len(s) != registers {
		return int64(len(s) / 4)
	}
	return int64(math.Round(min(s.estimate(), 1<<32))) // full registers give no finite number
}

// estimate implements O. Ertl, "New cardinality estimation algorithms for HyperLogLog sketches" (2017), which has no
// bias at any number.
func (s Sketch) estimate() float64 {
	var have [rankBits + 2]float64 // registers of each rank
	for _, rank := range s {
		have[min(rank, rankBits+1)]++
	}
	z := registers * tau(1-have[rankBits+1]/registers)
	for k := rankBits; k >= 1; k-- {
		z = (z + have[k]) / 2
	}
	z += registers * sigma(have[0]/registers)
	return registers * registers / (2 * math.Ln2 * z)
}

func sigma(x float64) float64 {
	if x == 1 {
		return math.Inf(1)
	}
	for y, z := 1.0, x; ; y *= 2 {
		x *= x
		before := z
		if z += x * y; z == before {
			return z
		}
	}
}

func tau(x float64) float64 {
	if x == 0 || x == 1 {
		return 0
	}
	for y, z := 0.5, 1-x; ; y /= 2 {
		x = math.Sqrt(x)
		before := z
		if z -= (1 - x) * (1 - x) * y; z == before {
			return z / 3
		}
	}
}
