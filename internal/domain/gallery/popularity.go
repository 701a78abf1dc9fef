package gallery

import (
	"hash/maphash"
	"net/netip"
	"sync"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// The limits on the additions of one network to the numbers of one project on a public instance: a script makes nobody
// popular, and a school class behind one address still counts.
const (
	playsAtOnce   = 60
	playsAnHour   = 240
	likesAtOnce   = 20
	likesAnHour   = 60
	playersAtOnce = 50
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

// countCells is the number of cells of a countLimit, in 128 KiB: the collector lets garbage grow with the memory in
// use.
const countCells = 1 << 14

// A countLimit limits the additions of each network to each project. Each pair of these has a cell by its hash, and pairs
// with the same hash share one: the memory is fixed, nobody can make the countLimit forget their use, and pairs that
// share a cell count less, never more. It may be used concurrently.
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
