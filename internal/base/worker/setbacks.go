package worker

import (
	"sync"
	"time"
)

const (
	// MaxSetbacks is the most failed items that a worker remembers: some 100 bytes each, 400 KiB. More fail at a time
	// only if a whole disk does.
	MaxSetbacks = 4096

	firstSetback   = 10 * time.Second // doubles with each further failure
	longestSetback = 24 * time.Hour
)

// Setbacks remembers which items of a worker failed, so that the worker goes on with the others and retries these
// later: 10 s after the first failure, twice as long after each further one, up to a day. A restart forgets them all.
// The zero value remembers none. It may be used concurrently.
type Setbacks[K comparable] struct {
	mu    sync.Mutex
	items map[K]setback
}

// setback is an item that has failed.
type setback struct {
	wait time.Duration
	due  time.Time
}

// waits reports whether the item is still put off. An item that seems to wait longer than the longest wait got its time
// from a wrong clock.
func (b setback) waits(now time.Time) bool {
	left := b.due.Sub(now)
	return left > 0 && left <= longestSetback
}

// Failed puts an item off, and reports whether there was room to remember it, among MaxSetbacks. An item that is not
// remembered comes again in the next round.
func (s *Setbacks[K]) Failed(item K, now time.Time) (remembered bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.items == nil {
		s.items = map[K]setback{}
	}
	last, again := s.items[item]
	if !again && len(s.items) >= MaxSetbacks {
		s.forgetGone(now)
	}
	if !again && len(s.items) >= MaxSetbacks {
		return false
	}
	wait := min(max(2*last.wait, firstSetback), longestSetback)
	s.items[item] = setback{wait, now.Add(wait)}
	return true
}

// forgetGone drops items that were due long ago and did not come again: they no longer exist.
func (s *Setbacks[K]) forgetGone(now time.Time) {
	for item, b := range s.items {
		if now.Sub(b.due) > longestSetback {
			delete(s.items, item)
		}
	}
}

// Worked forgets an item: its next failure counts as the first.
func (s *Setbacks[K]) Worked(item K) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.items, item)
}

// Waits reports whether an item is still put off.
func (s *Setbacks[K]) Waits(item K, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.items[item].waits(now)
}

// Waiting returns the items that are still put off.
func (s *Setbacks[K]) Waiting(now time.Time) (items []K) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for item, b := range s.items {
		if b.waits(now) {
			items = append(items, item)
		}
	}
	return items
}
