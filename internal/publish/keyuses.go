package publish

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// A KeyUseStore records when keys were used, under the same promises as a Store.
type KeyUseStore interface {
	// TouchKeys records when keys were last used; a time earlier than the recorded one changes nothing.
	TouchKeys(ctx context.Context, used map[int64]time.Time) error
}

// KeyUses remembers when keys were used and writes it every two seconds. A nil one
// remembers nothing. The methods may be called concurrently.
type KeyUses struct {
	store    KeyUseStore
	log      *slog.Logger
	failures *Failures

	mu sync.Mutex
	at map[int64]time.Time
}

// NewKeyUses makes KeyUses. failures counts what could not be written.
func NewKeyUses(store KeyUseStore, log *slog.Logger, failures *Failures) *KeyUses {
	return &KeyUses{store: store, log: log, failures: failures, at: map[int64]time.Time{}}
}

func (u *KeyUses) note(key int64, at time.Time) {
	if u == nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.at[key] = at
}

func (u *KeyUses) take() map[int64]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	taken := u.at
	u.at = map[int64]time.Time{}
	return taken
}

// Flush writes what is still in memory. What cannot be written is lost: a key's next use
// is remembered again.
func (u *KeyUses) Flush(ctx context.Context) error {
	used := u.take()
	if len(used) == 0 {
		return nil
	}
	if err := u.store.TouchKeys(ctx, used); err != nil {
		u.failures.Add(1)
		return fmt.Errorf("write key uses: %w", err)
	}
	return nil
}

// Run writes every two seconds until ctx ends, and then once more.
func (u *KeyUses) Run(ctx context.Context) { FlushUntil(ctx, "key uses", u.Flush, u.log) }

// flushEvery is well under the 5 s that a crash may lose.
const flushEvery = 2 * time.Second

// FlushUntil calls flush every two seconds until ctx ends, and then once more, for two
// seconds at most. It logs an error as one of writing what.
func FlushUntil(ctx context.Context, what string, flush func(context.Context) error, log *slog.Logger) {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := flush(ctx); err != nil {
				log.Warn("could not write "+what, "error", err)
			}
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushEvery)
			defer cancel()
			if err := flush(last); err != nil {
				log.Warn("could not write the last "+what, "error", err)
			}
			return
		}
	}
}
