package blocks

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"sandlot/internal/base/meter"
	"sandlot/internal/base/worker"
)

// Every is how often a Blocklist looks whether another process has changed the list.
const Every = time.Second

// A Blocklist keeps the whole blocklist of an installation in memory, and checks calls against it. It implements
// publish.Blocklist. It reads the list when it is first used, Every while it runs, and where a step of this process found
// another one. It may be used concurrently.
type Blocklist struct {
	Store    Store
	Networks *Networks
	Now      func() time.Time
	Contact  string // of the operator, for refused callers; empty: none
	Log      *slog.Logger
	Failures *worker.Failures
	Refused  *meter.Counts[string] // by kind; nil: not counted

	mu     sync.Mutex // held while the list is read
	loaded *table     // nil before that
	moved  bool       // whether it is to be read again
}

// Refusals returns a count for each kind.
func Refusals() *meter.Counts[string] { return meter.NewCounts(Kinds()...) }

// Counts returns the number of blocked values by kind.
func (b *Blocklist) Counts() map[string]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.loaded == nil {
		return nil
	}
	return b.loaded.counts
}

// Run follows the list until ctx ends.
func (b *Blocklist) Run(ctx context.Context) {
	worker.Every(ctx, Every, func() {
		if err := b.Follow(ctx); err != nil && ctx.Err() == nil {
			b.Failures.Add(1)
			b.Log.Warn("the blocklist could not be read; calls are checked against the one before", "error", err)
			return
		}
		b.Failures.Worked()
	})
}

// Follow reads the list again if there is another one.
func (b *Blocklist) Follow(ctx context.Context) error {
	n, err := b.Store.Generation(ctx)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.moved = b.moved || b.loaded != nil && b.loaded.generation != n
	return b.load(ctx)
}

// Moved has the next check read the list again.
func (b *Blocklist) Moved() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.moved = true
}

// now returns the list at this time, read again if a step has found another one.
func (b *Blocklist) now(ctx context.Context) (moment, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	err := b.load(ctx)
	return moment{b.loaded, b.Now()}, err
}

// load reads the list if it was never read, or has moved.
func (b *Blocklist) load(ctx context.Context) error {
	var known map[int64]List
	if b.loaded != nil {
		if !b.moved {
			return nil
		}
		known = b.loaded.lists
	}
	in, err := b.Store.Load(ctx, known)
	if err == nil {
		b.loaded, b.moved = newTable(in), false
	}
	return err
}
