package turns

import (
	"context"
	"time"
)

// Lists bounds the cost of calls that build a long answer for a client, such as a list of 10,000 files: few are built
// at once, for all callers, and for each key few are held until they are sent, however slowly their client reads.
// Methods may be called concurrently.
type Lists[K comparable] struct {
	made *Load
	held *Locks[K]
	wait time.Duration
}

// NewLists returns Lists: most of them are built at once, and each key has up to each of them until they are sent. A
// call waits for others as long as wait.
func NewLists[K comparable](most, each int, wait time.Duration) *Lists[K] {
	return &Lists[K]{NewLoad(most, nil), NewShares[K](each), wait}
}

// Busy reports whether the key holds as many lists as it may.
func (l *Lists[K]) Busy(key K) bool { return l.held.Full(key) }

// Begin waits until a list may be built. It returns functions to report that it is built, and then that it was sent;
// each is called once. Before the first call the caller must not wait for a client. If the wait takes too long, or ctx
// ends, the error is that of the context.
func (l *Lists[K]) Begin(ctx context.Context, key K) (made, sent func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, l.wait)
	defer cancel()
	if sent, err = l.held.Lock(ctx, key); err != nil {
		return nil, nil, err
	}
	if made, err = l.made.Heaviest(ctx); err != nil {
		sent()
		return nil, nil, err
	}
	return made, sent, nil
}
