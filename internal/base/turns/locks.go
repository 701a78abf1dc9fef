package turns

import (
	"context"
	"sync"
)

// Locks let one holder at a time have a key, or a few, in this process. They keep nothing for keys that nobody holds or
// waits for. Their methods may be called concurrently.
type Locks[K comparable] struct {
	each int // the most holders of a key
	mu   sync.Mutex
	held map[K]*turn
}

// turn is a key that somebody holds or waits for.
type turn struct {
	free  chan struct{} // holds a token for each further holder that there may be
	users int           // holders and waiters
	fails *failure      // of the work that Do does next
}

// failure is the error of some work. done is closed once it is set.
type failure struct {
	done chan struct{}
	err  error
}

// NewLocks returns Locks that nobody holds.
func NewLocks[K comparable]() *Locks[K] { return NewShares[K](1) }

// NewShares returns Locks of whose keys each may have so many holders at once.
func NewShares[K comparable](each int) *Locks[K] {
	return &Locks[K]{each: each, held: map[K]*turn{}}
}

// Lock waits for the key until ctx ends, and then returns the error of ctx. Otherwise it returns the function that
// releases the key, which is called once. The longest wait does not necessarily end first.
func (l *Locks[K]) Lock(ctx context.Context, key K) (func(), error) {
	t, _ := l.join(key)
	select {
	case <-t.free:
		return func() { t.free <- struct{}{}; l.leave(key, t) }, nil
	case <-ctx.Done():
		l.leave(key, t)
		return nil, ctx.Err()
	}
}

// Do waits for the key as Lock does, and holds it during the work. If the work fails, and ctx has not ended, all calls
// that wait in Do for the key by then get its error, too: a failure of one is a failure of each, and tried one after
// the other the last would wait for the failures of all before. An error for which answers returns true, such as "not
// found", is the caller's alone; answers may be nil.
func (l *Locks[K]) Do(ctx context.Context, key K, answers func(error) bool, work func() error) error {
	t, before := l.join(key)
	defer l.leave(key, t)
	select {
	case <-t.free:
		defer func() { t.free <- struct{}{} }()
	case <-before.done:
		return before.err
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-before.done: // both had happened
		return before.err
	default:
	}
	err := work()
	if err != nil && ctx.Err() == nil && (answers == nil || !answers(err)) {
		l.fail(t, err)
	}
	return err
}

// fail passes the failure to the calls that wait for a turn now.
func (l *Locks[K]) fail(t *turn, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t.fails.err = err
	close(t.fails.done)
	t.fails = newFailure()
}

func newFailure() *failure { return &failure{done: make(chan struct{})} }

// Try takes the key if nobody holds it or waits for it.
func (l *Locks[K]) Try(key K) (unlock func(), ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held[key] != nil {
		return nil, false
	}
	t := l.add(key)
	t.users++
	<-t.free
	return func() { t.free <- struct{}{}; l.leave(key, t) }, true
}

// Full reports whether a key has as many holders as it may have.
func (l *Locks[K]) Full(key K) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.held[key]
	return t != nil && len(t.free) == 0
}

// join adds the caller to the key's users, and returns the failure that would end the wait.
func (l *Locks[K]) join(key K) (*turn, *failure) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t, ok := l.held[key]
	if !ok {
		t = l.add(key)
	}
	t.users++
	return t, t.fails
}

// add adds a key that nobody holds.
func (l *Locks[K]) add(key K) *turn {
	t := &turn{free: make(chan struct{}, l.each), fails: newFailure()}
	for range l.each {
		t.free <- struct{}{}
	}
	l.held[key] = t
	return t
}

// leave ends the holding of a key, or the wait for it.
func (l *Locks[K]) leave(key K, t *turn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.users--; t.users == 0 {
		delete(l.held, key)
	}
}
