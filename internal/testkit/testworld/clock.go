package testworld

import (
	"strings"
	"sync"
	"time"
)

// A Clock shows the time that tests set. It may be read and moved at once.
type Clock struct {
	mu sync.Mutex
	at time.Time
}

// NewClock makes a clock that shows at.
func NewClock(at time.Time) *Clock { return &Clock{at: at} }

// Now is what the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// Move sets the clock forward by d, or back if d is negative.
func (c *Clock) Move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// Logs is a log in memory. It may be written and read at once.
type Logs struct {
	mu  sync.Mutex
	all strings.Builder
}

// Write implements io.Writer. It never fails.
func (l *Logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(p)
}

// String is all that was logged so far.
func (l *Logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}
