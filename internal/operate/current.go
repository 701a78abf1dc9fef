package operate

import (
	"context"
	"time"

	"sandlot/internal/publish"
)

// currentStore is a Store as the Service has it: what a step changed is dropped from Heads
// before the step returns. A step of Store that returns a publish.Changed has to be here: a
// test finds each.
type currentStore struct {
	Store
	heads *publish.Heads
}

func (s currentStore) Suspend(ctx context.Context, of publish.Subject, e publish.LogEntry) error {
	return s.heads.After(s.Store.Suspend(ctx, of, e))
}

func (s currentStore) Reinstate(ctx context.Context, of publish.Subject, e publish.LogEntry) error {
	return s.heads.After(s.Store.Reinstate(ctx, of, e))
}

func (s currentStore) Remove(ctx context.Context, of publish.Subject, e publish.LogEntry) error {
	return s.heads.After(s.Store.Remove(ctx, of, e))
}

// A Trimmer is a TrimStore as a Collector has it.
type Trimmer struct {
	Store TrimStore
	Heads *publish.Heads // drops what was trimmed; nil: nothing is cached
}

// Trim is that of TrimStore, but for what changed.
func (t Trimmer) Trim(ctx context.Context, keep int, before time.Time, after int64, limit int) (last int64, more bool, err error) {
	last, more, changed, err := t.Store.Trim(ctx, keep, before, after, limit)
	return last, more, t.Heads.After(changed, err)
}
