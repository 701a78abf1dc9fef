package redis

import (
	"math/rand/v2"
	"sync"
	"time"
)

const (
	// opensAfter is how many calls in a row must fail before the breaker stops calls.
	opensAfter = 3
	// pause is how long it stops them; up to as long again is added at random, so that nodes do not come back together.
	pause = time.Second
)

// State is the state of a Client's server.
type State int

const (
	Up     State = iota // calls are made
	Down                // none are made, for a second or two
	Trying              // one call is under way, and the others wait for its result
)

// String returns the state's name in metrics.
func (s State) String() string { return [...]string{"up", "down", "trying"}[s] }

// breaker stops calls to a server that fails them.
type breaker struct {
	changed func(State, error) // called when the state becomes Up, or is Up no longer

	mu       sync.Mutex
	state    State
	failures int // in a row, while Up
	until    time.Time
	err      error
}

func newBreaker(changed func(State, error)) *breaker { return &breaker{changed: changed} }

func (b *breaker) now() (State, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state, b.err
}

// allow reports whether a call may be made, and whether it is the trial that the others wait for. Each allowed call
// must be reported.
func (b *breaker) allow() (trial, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.state == Up:
		return false, true
	case b.state == Down && !time.Now().Before(b.until):
		b.state = Trying
		return true, true
	}
	return false, false
}

// report records the result of a call. A call that its caller gave up says nothing about the server.
func (b *breaker) report(trial bool, err error, gaveUp bool) {
	was, is, why := b.settle(trial, err, gaveUp)
	if (was == Up) != (is == Up) {
		b.changed(is, why)
	}
}

// settle returns the state before and after; for a trial, Down stands for before.
func (b *breaker) settle(trial bool, err error, gaveUp bool) (was, is State, why error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if was = b.state; trial {
		was = Down
	}
	switch {
	case trial && err == nil:
		b.state, b.failures, b.err = Up, 0, nil
	case trial && gaveUp:
		b.state = Down // and the next caller tries
	case trial:
		b.open(err)
	case b.state != Up: // a call from before
	case err == nil:
		b.failures = 0
	case !gaveUp:
		if b.failures++; b.failures >= opensAfter {
			b.open(err)
		}
	}
	return was, b.state, b.err
}

// open makes no calls for a while.
func (b *breaker) open(err error) {
	b.state, b.err, b.until = Down, err, time.Now().Add(pause+rand.N(pause))
}
