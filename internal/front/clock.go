package front

import (
	"context"
	"sync"
	"time"
)

// sleepEvery is how often a process that runs looks at its clock.
const sleepEvery = 250 * time.Millisecond

// A Clock tells for how long the process did not run, because it was stopped
// (SIGSTOP) or its machine was paused. Clients must not be cut for that time. The
// zero value is ready, Run must run meanwhile, and all methods may be called
// concurrently. A nil Clock has never slept.
type Clock struct {
	mu    sync.Mutex
	last  time.Time // when it was looked at
	slept time.Duration
}

// Run looks at the time every 250 ms until ctx ends: a much longer time between two
// looks was sleep.
func (c *Clock) Run(ctx context.Context) {
	tick := time.NewTicker(sleepEvery)
	defer tick.Stop()
	for {
		c.Slept()
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// Slept returns for how long the process has slept since Run began. Differences
// between two calls count; the value alone means nothing.
func (c *Clock) Slept() time.Duration {
	if c == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	// A busy machine is late, too, but not by as much as a look and another.
	if gap := now.Sub(c.last); !c.last.IsZero() && gap > 3*sleepEvery {
		c.slept += gap
	}
	c.last = now
	return c.slept
}

// A sleepyDeadline is a connection's deadline for reads, which waits for as long as
// the process slept.
type sleepyDeadline struct {
	clock *Clock
	mu    sync.Mutex
	due   time.Time
	slept time.Duration // when due was set
}

// put sets a deadline by set.
func (d *sleepyDeadline) put(t time.Time, set func(time.Time) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.due, d.slept = t, d.clock.Slept()
	return set(t)
}

// putOff sets a deadline that has passed later by the time that the process slept
// since it was set. It reports whether it is still to come.
func (d *sleepyDeadline) putOff(set func(time.Time) error) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	slept := d.clock.Slept()
	due := d.due.Add(slept - d.slept)
	if d.due.IsZero() || !due.After(time.Now()) {
		return false
	}
	d.due, d.slept = due, slept
	return set(due) == nil
}
