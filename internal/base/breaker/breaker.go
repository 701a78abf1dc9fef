// Package breaker stops calls to a server that does not answer, so that nobody waits for it in vain.
package breaker

import (
	"math/rand/v2"
	"sync"
	"time"
)

const (
	// OpensAfter is how many calls in a row must fail before a Breaker stops calls.
	OpensAfter = 3
	// pause is how long it stops them; up to as long again is added at random, so that nodes do not come back together.
	pause = time.Second
)

// Pause returns how long to wait before the next call to a server that failed one: a second or two.
func Pause() time.Duration { return pause + rand.N(pause) }

// A Breaker stops calls after a few failures in a row. Then one call every second or two tries, until one succeeds. Its
// methods may be called concurrently.
type Breaker struct {
	changed func(why error)

	mu       sync.Mutex
	failures int
	until    time.Time // when the next call tries
	why      error     // nil while calls are made
}

// New returns a Breaker that stops nothing yet. It calls changed with the last error when it stops calls, and with nil
// when one succeeded again.
func New(changed func(why error)) *Breaker { return &Breaker{changed: changed} }

// Err returns the error that stopped the calls; nil while they are made.
func (b *Breaker) Err() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.why
}

// Allow reports whether a call may be made.
func (b *Breaker) Allow() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.why != nil {
		if time.Now().Before(b.until) {
			return false
		}
		b.until = time.Now().Add(Pause()) // for the others
	}
	return true
}

// Report records the result of a call. A call that its caller gave up says nothing about the server, and is not
// reported.
func (b *Breaker) Report(err error) {
	if was, is := b.settle(err); (was == nil) != (is == nil) {
		b.changed(is)
	}
}

func (b *Breaker) settle(err error) (was, is error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	was = b.why
	if err == nil {
		b.failures, b.why = 0, nil
	} else if b.failures++; b.failures >= OpensAfter {
		b.why, b.until = err, time.Now().Add(Pause())
	}
	return was, b.why
}
