package turns

import (
	"context"
	"sync"
)

// A Load bounds calls that need much memory: few are in their heaviest part at once, and a callback learns when there
// are any. Its methods may be called concurrently.
type Load struct {
	heaviest chan struct{}
	heard    func(bool)
	mu       sync.Mutex
	calls    int
}

// NewLoad returns a Load that lets most calls be in their heaviest part at once. It calls heard with true when there is
// a first call, and with false when there is none any more, one after the other; heard may be nil.
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

// Heaviest waits until the heaviest part of a call may begin, or ctx ends, and then returns the error of ctx. Otherwise
// it returns the function that ends the part, which is called once. Others wait for everything that the part waits for,
// so it must not wait for a client.
func (l *Load) Heaviest(ctx context.Context) (end func(), err error) {
	select {
	case l.heaviest <- struct{}{}:
		return func() { <-l.heaviest }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
