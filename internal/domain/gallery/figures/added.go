package figures

import (
	"maps"
	"time"
)

// A Cell is the figures of one day, or of one version.
type Cell struct {
	Plays   int64
	Likes   int64 // that were given, less those that were taken back
	Players int64 // of days that are over
	Seen    Sketch
	Lengths Lengths
}

// Merge adds another cell to this one. It leaves the other as it is.
func (c *Cell) Merge(other Cell) {
	c.Plays += other.Plays
	c.Likes += other.Likes
	c.Players += other.Players
	c.Seen.Merge(other.Seen)
	c.Lengths.Merge(other.Lengths)
}

// People returns how many players there were: each once a day. There are not more than plays, however a sketch errs.
func (c Cell) People() int64 { return min(c.Players+c.Seen.Count(), max(c.Plays, 0)) }

// Added is what was counted of a project since the last batch was written: what a version was played, and the plays that others' sites led
// to. Version 0 is the one that is current when the batch is written. The zero value is empty.
type Added struct {
	Versions map[int]Cell
	Sources  map[string]int64 // at most MostSources hosts, and Others
}

// Play counts a play of a version by a player whom a source led there, if any, and returns what Led does.
func (a *Added) Play(version int, player, source string) string {
	a.change(version, func(c *Cell) { c.Plays++; c.Seen.Add(player) })
	return a.Led(source, 1)
}

// Length counts how long a version was played.
func (a *Added) Length(version int, d time.Duration) {
	a.change(version, func(c *Cell) { c.Lengths.Add(d) })
}

// Led counts plays to which a source led; an empty one is none. It returns the source under which they are counted: beyond MostSources it is
// Others.
func (a *Added) Led(source string, plays int64) string {
	if source == "" || plays == 0 {
		return source
	}
	if a.Sources == nil {
		a.Sources = map[string]int64{}
	}
	if _, known := a.Sources[source]; !known && len(a.Sources) >= MostSources {
		source = Others
	}
	a.Sources[source] += plays
	return source
}

// Merge adds what was added elsewhere. It leaves that as it is.
func (a *Added) Merge(other Added) {
	for version, c := range other.Versions {
		a.change(version, func(into *Cell) { into.Merge(c) })
	}
	for source, n := range other.Sources {
		a.Led(source, n)
	}
}

// Move counts so many plays more of a version and of a source, as Play returned it, whose players are counted elsewhere.
func (a *Added) Move(version int, source string, plays int64) {
	a.change(version, func(c *Cell) { c.Plays += plays })
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

// Copy returns what Move may change while a stays as it is. The sketches are shared: nothing may be added to either.
func (a Added) Copy() Added { return Added{maps.Clone(a.Versions), maps.Clone(a.Sources)} }

func (a *Added) change(version int, by func(*Cell)) {
	if a.Versions == nil {
		a.Versions = map[int]Cell{}
	}
	c := a.Versions[version]
	by(&c)
	a.Versions[version] = c
}

// Whole is what was added of all versions together.
func (a Added) Whole() (c Cell) {
	for _, of := range a.Versions {
		c.Merge(of)
	}
	return c
}
