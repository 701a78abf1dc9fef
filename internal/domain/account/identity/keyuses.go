package identity

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"sandlot/internal/base/worker"
)

// A KeyUseStore records when keys were used, under the same promises as a publish.Store.
type KeyUseStore interface {
	// TouchKeys records when keys were last used; a time earlier than the recorded one changes nothing.
	TouchKeys(ctx context.Context, used map[int64]time.Time) error
}

// KeyUses remembers when keys were used and writes all uses every two seconds, so that no request waits for it. A crash
// loses the uses not yet written. A nil one remembers nothing. The methods may be called concurrently.
type KeyUses struct {
	store    KeyUseStore
	log      *slog.Logger
	failures *worker.Failures

	mu sync.Mutex
	at map[int64]time.Time
}

// NewKeyUses returns KeyUses, which its maker has to run. failures counts the failed writes.
func NewKeyUses(store KeyUseStore, log *slog.Logger, failures *worker.Failures) *KeyUses {
	return &KeyUses{store: store, log: log, failures: failures, at: map[int64]time.Time{}}
}

// note remembers a use of a key.
func (u *KeyUses) note(key int64, at time.Time) {
	if u == nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.at[key] = at
}

// take returns the noted uses and begins anew, so that note does not wait for the write.
func (u *KeyUses) take() map[int64]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	taken := u.at
	u.at = map[int64]time.Time{}
	return taken
}

// Flush writes the uses in memory. Uses that cannot be written are lost, and counted: a key's next use is noted again.
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

// Run writes every two seconds until ctx ends, and then once more. It returns after that.
func (u *KeyUses) Run(ctx context.Context) { worker.FlushUntil(ctx, "key uses", u.Flush, u.log) }
