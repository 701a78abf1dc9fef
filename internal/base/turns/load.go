package turns

import (
	"context"
	"sync"
)

// A Load is what calls weigh that hold much memory: few are in their heaviest part at once, and somebody hears
// while there is any. Its methods may be called concurrently.
type Load struct {
	heaviest chan struct{}
	heard    func(bool)
	mu       sync.Mutex
	calls    int
}

// NewLoad makes a Load that lets most calls be in their heaviest part at once. heard is called with true when there is a first call, and
// with false when there is none any more, one after the other; it may be nil.
func NewLoad(most int, heard func(bool)) *Load {
	if heard == nil {
		heard = func(bool) {}
	}
	return &Load{heaviest: make(chan struct{}, most), heard: heard}
}

// Begin counts a call. It returns the function that ends it, which is called once.
func (l *Load) Begin() (end func()) {
	l.count(1)
	return func() { l.count(-1) }
}

func (l *Load) count(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.calls > 0
	l.calls += n
	if now := l.calls > 0; now != before {
		l.heard(now)
	}
}

// Heaviest waits until the heaviest part of a call may begin, or ctx ends, whose error it then returns. Otherwise it returns the
// function that ends it, which is called once. What is waited for in it others wait for too, so it must not be a client.
func (l *Load) Heaviest(ctx context.Context) (end func(), err error) {
	select {
	case l.heaviest <- struct{}{}:
		return func() { <-l.heaviest }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
