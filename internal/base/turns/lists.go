package turns

import (
	"context"
	"time"
)

// Lists bound what calls weigh that make something long for a client, such as a list of 10,000 files: few are made at once, whoever asks, and
// of each key few are held until they were sent, however slowly their client reads. Methods may be called concurrently.
type Lists[K comparable] struct {
	made *Load
	held *Locks[K]
	wait time.Duration
}

// NewLists makes Lists of which most are made at once, and each key has so many until they were sent. A call waits for those of others as long
// as wait.
func NewLists[K comparable](most, each int, wait time.Duration) *Lists[K] {
	return &Lists[K]{NewLoad(most, nil), NewShares[K](each), wait}
}

// Busy tells whether of a key no more may be held.
func (l *Lists[K]) Busy(key K) bool { return l.held.Full(key) }

// Begin waits until a list may be made. It returns the functions that say that it is made, and then that it was sent; each is called once. In
// between no client is waited for. Where the wait takes too long, or ctx ends, its error is that of the context.
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
