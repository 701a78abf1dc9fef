package gallery

import (
	"hash/maphash"
	"net/netip"
	"sync"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery/figures"
	"sandlot/internal/domain/publish"
)

// The most that one network adds to the numbers of one project on a public instance. Loads and likes beyond are served and not counted, so
// that a script makes nobody popular. A school class behind one address still counts.
const (
	playsAtOnce   = 60
	playsAnHour   = 240
	likesAtOnce   = 20
	likesAnHour   = 60
	playersAtOnce = 50
	hostsAtOnce   = 4 // that are new as the ones that led to it
	hostsAnHour   = 1
)

// crowds returns the networks whose bounds a player from an address counts in; none on an instance that is not public.
func (c *Counters) crowds(from netip.Addr) []Crowd {
	if !c.public {
		return nil
	}
	var list []Crowd
	for _, n := range publish.Networks(from) {
		list = append(list, Crowd{n.Prefix, n.Share * playersAtOnce})
	}
	return list
}

// countCells is how many cells a countLimit has, in 512 KiB.
const countCells = 1 << 16

// A countLimit bounds how much each network adds to each project. Each pair of network and project has a cell by its hash, and pairs with the
// same hash share one. So the memory is fixed, and nobody can make the countLimit forget what they used up. Where pairs share a cell less is
// counted, never more. It may be used concurrently.
type countLimit struct {
	every time.Duration // until there is one more
	most  time.Duration // until all are there again, when none is left
	seed  maphash.Seed
	mu    sync.Mutex
	full  []int64 // when all are there again, in ns since 1970
}

func newCountLimit(atOnce, anHour int) *countLimit {
	every := time.Hour / time.Duration(anHour)
	return &countLimit{every: every, most: every * time.Duration(atOnce), seed: maphash.MakeSeed(), full: make([]int64, countCells)}
}

// take reports whether an address may add one to a project now. If so, one is taken from each of the address's networks; otherwise nothing
// is.
func (l *countLimit) take(id sandlot.ProjectID, from netip.Addr, now time.Time) bool {
	type cell struct {
		project sandlot.ProjectID
		network netip.Prefix
	}
	var next [3]int64
	var at [3]uint64
	list := publish.Networks(from)
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, n := range list {
		at[i] = maphash.Comparable(l.seed, cell{id, n.Prefix}) % countCells
		none := now.Add(l.most).UnixNano()
		l.full[at[i]] = min(l.full[at[i]], none) // it is later where the clock was ahead
		if next[i] = max(l.full[at[i]], now.UnixNano()) + int64(l.every)/int64(n.Share); next[i] > none {
			return false
		}
	}
	for i := range list {
		l.full[at[i]] = max(l.full[at[i]], next[i])
	}
	return true
}

// hostBits is how many bits a hostLimit has, in 256 KiB: a hundred thousand hosts of a day, of all projects and networks, leave one in twenty
// taken for one that was named.
const hostBits = 1 << 21

// A hostLimit bounds how many hosts each network names that led it to a project, for a day has room for figures.MostSources and everybody can
// make some up. It may be used concurrently.
type hostLimit struct {
	fresh *countLimit
	seed  maphash.Seed
	mu    sync.Mutex
	day   int64    // since 1970, of named
	named []uint64 // a bit for each project, network and host, by its hash
}

func newHostLimit() *hostLimit {
	return &hostLimit{fresh: newCountLimit(hostsAtOnce, hostsAnHour), seed: maphash.MakeSeed(), named: make([]uint64, hostBits/64)}
}

// source is under which host a play counts: one that its network has not named today is one of the others once it has named so many.
func (l *hostLimit) source(id sandlot.ProjectID, p Player, now time.Time) string {
	if p.Source == "" {
		return ""
	}
	type name struct {
		project sandlot.ProjectID
		network netip.Prefix
		host    string
	}
	at := maphash.Comparable(l.seed, name{id, publish.Networks(p.From)[0].Prefix, p.Source}) % hostBits
	l.mu.Lock()
	defer l.mu.Unlock()
	if day := figures.DayOf(now.UTC()); day != l.day {
		l.day = day
		clear(l.named)
	}
	word, bit := &l.named[at/64], uint64(1)<<(at%64)
	if *word&bit == 0 && !l.fresh.take(id, p.From, now) {
		return figures.Others
	}
	*word |= bit
	return p.Source
}
