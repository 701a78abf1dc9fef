package front

import (
	"context"
	"sync"
	"time"
)

// sleepEvery is the interval at which a running process reads its clock.
const sleepEvery = 250 * time.Millisecond

// A Clock measures the time for which the process did not run because it was stopped or its machine was paused, by which
// deadlines of clients are put off. The zero value can be used; Run must run while it is. All methods may be called
// concurrently. A nil Clock reports that the process was never stopped.
type Clock struct {
	mu    sync.Mutex
	last  time.Time // time of the last look
	slept time.Duration
}

// Run reads the time every 250 ms until ctx ends. If much more has passed between two looks, the process was stopped.
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

// Slept returns the time for which the process was stopped. Only the difference between two calls has a meaning.
func (c *Clock) Slept() time.Duration {
	if c == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	// A busy machine is late, too, but not by three looks.
	if gap := now.Sub(c.last); !c.last.IsZero() && gap > 3*sleepEvery {
		c.slept += gap
	}
	c.last = now
	return c.slept
}

// A sleepyDeadline is a connection's deadline for reads, put off by the time for which the process was stopped.
type sleepyDeadline struct {
	clock *Clock
	mu    sync.Mutex
	due   time.Time
	slept time.Duration // when due was set
}

// put sets the deadline t, by calling set.
func (d *sleepyDeadline) put(t time.Time, set func(time.Time) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.due, d.slept = t, d.clock.Slept()
	return set(t)
}

// putOff moves a deadline that has passed by the time for which the process was stopped since it was set, and reports
// whether the new one is still to come.
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
