package gallery

import (
	"hash/maphash"
	"net/netip"
	"sync"
	"time"

	"sandlot/internal/publish"
)

// What one network adds to the numbers of one project on a public instance. What
// is over is served and not counted, so that nobody becomes popular by a script.
// They let a school class behind one address count.
const (
	playsAtOnce   = 60
	playsAnHour   = 240
	likesAtOnce   = 20
	likesAnHour   = 60
	playersAtOnce = 50
)

// crowds returns those that a player from an address is of.
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

// A countLimit bounds how much each network adds to each project. A network and a
// project share a cell with the others of one hash: so the memory is fixed, nobody
// can have it forget what they used up, and in a crowd too large for it less is
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

// take uses one up, if there is one in each of the address's networks.
func (l *countLimit) take(id publish.ProjectID, from netip.Addr, now time.Time) bool {
	type cell struct {
		project publish.ProjectID
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
