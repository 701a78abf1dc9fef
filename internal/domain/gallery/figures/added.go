package figures

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"sort"
	"time"
)

// A Cell holds the figures of one day, or of one version.
type Cell struct {
	Plays   int64
	Likes   int64 // likes given, less likes taken back
	Players int64 // of past days
	Seen    Sketch
	Lengths Lengths
}

// Merge adds another cell to this one. It does not change the other.
func (c *Cell) Merge(other Cell) {
	c.Plays += other.Plays
	c.Likes += other.Likes
	c.Players += other.Players
	c.Seen.Merge(other.Seen)
	c.Lengths.Merge(other.Lengths)
}

// People returns the number of players, each counted once a day. It never exceeds the plays, even by the error of the
// sketch.
func (c Cell) People() int64 { return min(c.Players+c.Seen.Count(), max(c.Plays, 0)) }

// Added holds the counts of a project since the last batch was written: the figures of its versions, and the plays led
// to it by other sites. Version 0 is the version that is current when the batch is written. The zero value is empty.
type Added struct {
	Versions map[int]Cell
	Sources  map[string]int64 // at most MostSources hosts, and Others
}

// Play counts a play of a version by a player, with the source that led there, if any, and returns the result of Led.
func (a *Added) Play(version int, player, source string) string {
	a.change(version, func(c *Cell) { c.Plays++; c.Seen.Add(player) })
	return a.Led(source, 1)
}

// Length counts the length of a stay in a version.
func (a *Added) Length(version int, d time.Duration) {
	a.change(version, func(c *Cell) { c.Lengths.Add(d) })
}

// Led counts plays led by a source; an empty source counts nothing. It returns the source under which they are counted:
// beyond MostSources it is Others.
func (a *Added) Led(source string, plays int64) string {
	if _, known := a.Sources[source]; !known && len(a.Sources) >= MostSources && source != "" {
		source = Others
	}
	a.lead(source, plays)
	return source
}

// lead adds plays, which may be negative, to a source; none to an empty one.
func (a *Added) lead(source string, plays int64) {
	if source == "" {
		return
	}
	if a.Sources == nil {
		a.Sources = map[string]int64{}
	}
	if a.Sources[source] += plays; a.Sources[source] == 0 {
		delete(a.Sources, source)
	}
}

// Merge adds the counts of other. It does not change other.
func (a *Added) Merge(other Added) {
	for version, c := range other.Versions {
		a.change(version, func(into *Cell) { into.Merge(c) })
	}
	for source, n := range other.Sources {
		a.Led(source, n)
	}
}

// Move adds plays, which may be negative, to a version and a source, as Play returned it. Their players are counted
// elsewhere.
func (a *Added) Move(version int, source string, plays int64) {
	a.change(version, func(c *Cell) { c.Plays += plays })
	a.lead(source, plays)
}

// Copy returns a copy that Move does not change. The sketches are shared: no player may be added to either.
func (a Added) Copy() Added { return Added{maps.Clone(a.Versions), maps.Clone(a.Sources)} }

func (a *Added) change(version int, by func(*Cell)) {
	if a.Versions == nil {
		a.Versions = map[int]Cell{}
	}
	c := a.Versions[version]
	by(&c)
	a.Versions[version] = c
}

// Plays returns the plays of all versions.
func (a Added) Plays() (n int64) {
	for _, of := range a.Versions {
		n += of.Plays
	}
	return n
}

// Whole returns the sum over all versions.
func (a Added) Whole() (c Cell) {
	for _, of := range a.Versions {
		c.Merge(of)
	}
	return c
}

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
