package turns

import (
	"context"
	"sync"
)

// Locks lets one holder at a time have a key, in this process. It keeps nothing for keys that
// nobody holds or waits for. Its methods may be called concurrently.
type Locks[K comparable] struct {
	mu   sync.Mutex
	held map[K]*turn
}

// turn is a key that somebody holds or waits for.
type turn struct {
	free  chan struct{} // holds one token while nobody has the key
	users int           // holders and waiters
}

// NewLocks makes Locks that nobody holds.
func NewLocks[K comparable]() *Locks[K] { return &Locks[K]{held: map[K]*turn{}} }

// Lock waits for the key until ctx ends, whose error it then returns. Otherwise it returns the
// function that gives the key back, which is called once. Who waits longest does not
// necessarily come first.
func (l *Locks[K]) Lock(ctx context.Context, key K) (func(), error) {
	t := l.join(key)
	select {
	case <-t.free:
		return func() { t.free <- struct{}{}; l.leave(key, t) }, nil
	case <-ctx.Done():
		l.leave(key, t)
		return nil, ctx.Err()
	}
}

// Try takes the key if nobody has it or waits for it.
func (l *Locks[K]) Try(key K) (unlock func(), ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held[key] != nil {
		return nil, false
	}
	t := &turn{free: make(chan struct{}, 1), users: 1}
	l.held[key] = t
	return func() { t.free <- struct{}{}; l.leave(key, t) }, true
}

// join lets the caller wait for a key.
func (l *Locks[K]) join(key K) *turn {
	l.mu.Lock()
	defer l.mu.Unlock()
	t, ok := l.held[key]
	if !ok {
		t = &turn{free: make(chan struct{}, 1)}
		t.free <- struct{}{}
		l.held[key] = t
	}
	t.users++
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
