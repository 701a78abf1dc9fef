package players

import (
	"hash/maphash"
	"sync"
	"time"
)

// A pace limits how often each of many keys does something. Each key has a cell by its hash. The number of cells is
// fixed, so a flood of keys makes a pace forget nothing; keys that share a cell also share its units. A pace may be used
// concurrently.
type pace struct {
	every time.Duration // time until one more is available
	most  time.Duration // time until all are available again after none was left
	seed  maphash.Seed
	mu    sync.Mutex
	full  []int64 // when all are available again, in ns since 1970
}

func newPace(atOnce, anHour, cells int) *pace {
	every := time.Hour / time.Duration(anHour)
	return &pace{every: every, most: every * time.Duration(atOnce), seed: maphash.MakeSeed(), full: make([]int64, cells)}
}

// A claim is a key with its share: a key with the share 4 may do four times as much as one with the share 1.
type claim struct {
	key   any
	share int
}

// take takes a unit of each claim. If a claim has none left, it takes nothing, and returns the time until it has one.
func (p *pace) take(now time.Time, claims ...claim) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if wait := p.wait(now, claims...); wait > 0 {
		return wait
	}
	for _, c := range claims {
		at := p.cell(c)
		p.full[at] = max(p.full[at], p.next(now, c))
	}
	return 0
}

// left returns the time until each claim has a unit left; 0 is now.
func (p *pace) left(now time.Time, claims ...claim) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.wait(now, claims...)
}

func (p *pace) wait(now time.Time, claims ...claim) (wait time.Duration) {
	for _, c := range claims {
		wait = max(wait, time.Duration(p.next(now, c)-now.Add(p.most).UnixNano()))
	}
	return wait
}

func (p *pace) cell(c claim) uint64 { return maphash.Comparable(p.seed, c.key) % uint64(len(p.full)) }

// next returns the time at which all units would be available again if the claim took one, in ns since 1970.
func (p *pace) next(now time.Time, c claim) int64 {
	full := min(p.full[p.cell(c)], now.Add(p.most).UnixNano()) // it is later if the clock was ahead
	return max(full, now.UnixNano()) + int64(p.every)/int64(c.share)
}
