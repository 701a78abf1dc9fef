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

// The limits on the additions of one network to the numbers of one project on a public instance. Loads and likes beyond
// them are served but not counted, so that a script makes nobody popular. A school class behind one address still
// counts.
const (
	playsAtOnce   = 60
	playsAnHour   = 240
	likesAtOnce   = 20
	likesAnHour   = 60
	playersAtOnce = 50
	hostsAtOnce   = 4 // new hosts as a source
	hostsAnHour   = 1
)

// crowds returns the networks in whose limits a player with the address counts; none on an instance that is not public.
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

// countCells is the number of cells of a countLimit, in 128 KiB: the collector lets garbage grow with what is kept.
const countCells = 1 << 14

// A countLimit limits the additions of each network to each project. Each pair of network and project has a cell by its
// hash, and pairs with the same hash share one. So the memory is fixed, and nobody can make the countLimit forget their
// use. Pairs that share a cell count less, never more. It may be used concurrently.
type countLimit struct {
	every time.Duration // time until one more is available
	most  time.Duration // time until all are available again after none was left
	seed  maphash.Seed
	mu    sync.Mutex
	full  []int64 // when all are available again, in ns since 1970
}

func newCountLimit(atOnce, anHour int) *countLimit {
	every := time.Hour / time.Duration(anHour)
	return &countLimit{every: every, most: every * time.Duration(atOnce), seed: maphash.MakeSeed(), full: make([]int64, countCells)}
}

// take reports whether an address may add one to a project now. If so, it takes one from each of the address's
// networks; otherwise it takes nothing.
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
		l.full[at[i]] = min(l.full[at[i]], none) // it is later if the clock was ahead
		if next[i] = max(l.full[at[i]], now.UnixNano()) + int64(l.every)/int64(n.Share); next[i] > none {
			return false
		}
	}
	for i := range list {
		l.full[at[i]] = max(l.full[at[i]], next[i])
	}
	return true
}

// hostBits is the number of bits of a hostLimit, in 256 KiB: with a hundred thousand hosts in a day, over all projects
// and networks, one new host in twenty is mistaken for a known one.
const hostBits = 1 << 21

// A hostLimit limits how many source hosts each network can name for a project, since a day has room for
// figures.MostSources and hosts are easy to make up. It may be used concurrently.
type hostLimit struct {
	fresh *countLimit
	seed  maphash.Seed
	mu    sync.Mutex
	day   int64    // the day of named, since 1970
	named []uint64 // a bit for each project, network and host, by their hash
}

func newHostLimit() *hostLimit {
	return &hostLimit{fresh: newCountLimit(hostsAtOnce, hostsAnHour), seed: maphash.MakeSeed(), named: make([]uint64, hostBits/64)}
}

// source returns the host under which a play counts: figures.Others for a host that is new today once the network has
// reached its limit.
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
