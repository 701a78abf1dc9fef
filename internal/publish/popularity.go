package publish

import (
	"hash/maphash"
	"net/netip"
	"sync"
	"time"
)

// A Visitor is whoever loads or plays a project.
type Visitor struct {
	ID   PlayerID
	From netip.Addr // counts together with all of its network; what is not valid is a network of its own; never kept
}

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

// A Crowd is a network, and how many of its players of one project count at once.
type Crowd struct {
	Network netip.Prefix
	Most    int
}

// A network is one of those that an address belongs to. Its share says how many
// times as much as the narrowest it may add.
type network struct {
	prefix netip.Prefix
	share  int
}

// widerShares are those of a /56 and a /48.
var widerShares = [2]int{4, 16}

// networks returns those that count, narrowest first: an IPv4 address, or the /64
// of an IPv6 address, and the /56 and /48, of which one customer may have all.
func networks(a netip.Addr) []network {
	a = a.Unmap().WithZone("")
	if !a.Is6() {
		return []network{{netip.PrefixFrom(a, a.BitLen()), 1}}
	}
	list := []network{{share: 1}, {share: widerShares[0]}, {share: widerShares[1]}}
	for i, bits := range [...]int{64, 56, 48} {
		list[i].prefix = netip.PrefixFrom(a, bits).Masked()
	}
	return list
}

// crowds returns those that a player from an address is of.
func (s *Service) crowds(from netip.Addr) []Crowd {
	if !s.Public {
		return nil
	}
	var list []Crowd
	for _, n := range networks(from) {
		list = append(list, Crowd{n.prefix, n.share * playersAtOnce})
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
func (l *countLimit) take(id ProjectID, from netip.Addr, now time.Time) bool {
	type cell struct {
		project ProjectID
		network netip.Prefix
	}
	var next [3]int64
	var at [3]uint64
	list := networks(from)
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, n := range list {
		at[i] = maphash.Comparable(l.seed, cell{id, n.prefix}) % countCells
		none := now.Add(l.most).UnixNano()
		l.full[at[i]] = min(l.full[at[i]], none) // it is later where the clock was ahead
		if next[i] = max(l.full[at[i]], now.UnixNano()) + int64(l.every)/int64(n.share); next[i] > none {
			return false
		}
	}
	for i := range list {
		l.full[at[i]] = max(l.full[at[i]], next[i])
	}
	return true
}
