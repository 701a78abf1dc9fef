package publish

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// Failures counts what a worker could not do, since the process began. A nil one
// counts nothing. It may be used concurrently.
type Failures struct{ n atomic.Int64 }

// Add counts n more.
func (f *Failures) Add(n int) {
	if f != nil {
		f.n.Add(int64(n))
	}
}

// Count returns how many there were.
func (f *Failures) Count() int64 {
	if f == nil {
		return 0
	}
	return f.n.Load()
}

const (
	// MaxSetbacks is how many items that fail a worker remembers: some 100 bytes each,
	// 400 KiB. More fail at a time only where a whole disk does.
	MaxSetbacks = 4096

	firstSetback   = 10 * time.Second // doubles with each further failure
	longestSetback = 24 * time.Hour
)

// Setbacks remembers which items of a worker failed, so that the worker goes on with the others
// and comes back to these after a while: 10 s after the first failure, twice as long after each
// further one, up to a day. A restart forgets them all. The zero value remembers none. It may
// be used concurrently.
type Setbacks[K comparable] struct {
	mu    sync.Mutex
	items map[K]setback
}

// setback is an item that has failed.
type setback struct {
	wait time.Duration
	due  time.Time
}

// waits reports whether the item is to be left alone. One that seems to wait longer
// than the longest wait got its time from a wrong clock.
func (b setback) waits(now time.Time) bool {
	left := b.due.Sub(now)
	return left > 0 && left <= longestSetback
}

// Failed puts an item off, and reports whether there was room to remember it: there is for
// MaxSetbacks. One that is not remembered comes again in the next round.
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

// forgetGone drops items that were due long ago and did not come again: there are
// no such items any more.
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

// Guarded does a worker's work on one item and returns its error. A panic is an error of that
// item like any other, with its stack: it must not end the process, which would begin with the
// same item again.
func Guarded(work func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return work()
}

// errorsTold is how many errors of one round are told; the others are counted.
const errorsTold = 10

// Errors gathers the errors of a round of work that goes on past them. The zero value
// has none. It is for one goroutine at a time.
type Errors struct {
	told []error
	more int
}

// Add adds an error; nil adds nothing.
func (e *Errors) Add(err error) {
	switch {
	case err == nil:
	case len(e.told) < errorsTold:
		e.told = append(e.told, err)
	default:
		e.more++
	}
}

// Err returns the first ten errors joined, and how many more there were, or nil if there
// were none.
func (e *Errors) Err() error {
	if e.more == 0 {
		return errors.Join(e.told...)
	}
	return errors.Join(append(e.told, fmt.Errorf("and %d more failures", e.more))...)
}
