package blocks

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
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

	moved   atomic.Int64 // how often a step has found another list
	mu      sync.Mutex   // held while the list is read
	loaded  atomic.Pointer[table]
	settled atomic.Int64 // the number of moved for which the table was read
}

// Refusals returns a count for each kind.
func Refusals() *meter.Counts[string] { return meter.NewCounts(Kinds()...) }

// Counts returns the number of blocked values by kind.
func (b *Blocklist) Counts() map[string]int {
	if t := b.loaded.Load(); t != nil {
		return t.counts
	}
	return nil
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
	if t := b.loaded.Load(); t == nil || t.generation != n {
		b.Moved()
	}
	_, err = b.current(ctx)
	return err
}

// Moved has the next check read the list again.
func (b *Blocklist) Moved() { b.moved.Add(1) }

// current returns the list, read again if a step has found another one.
func (b *Blocklist) current(ctx context.Context) (*table, error) {
	if t := b.loaded.Load(); t != nil && b.settled.Load() == b.moved.Load() {
		return t, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	moved, before := b.moved.Load(), b.loaded.Load()
	if before != nil && b.settled.Load() == moved {
		return before, nil
	}
	in, err := b.Store.Load(ctx, before.known())
	if err != nil {
		return nil, err
	}
	t := newTable(in, before)
	b.loaded.Store(t)
	b.settled.Store(moved)
	return t, nil
}
