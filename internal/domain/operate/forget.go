package operate

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"sandlot"
	"sandlot/internal/base/worker"
)

const (
	forgetEvery = time.Minute
	forgetBatch = 100 // addresses held at once
	// ForgetTogether is long enough for every process that uses a store to look for its messages.
	ForgetTogether = 3 * forgetEvery
	// forgetNoted bounds the addresses that wait for other processes: some 2 MB. Messages to more of them are looked
	// for again each time.
	forgetNoted = 10_000
)

// ForgottenEmail is an address of a deleted account, or one that an account no longer has.
type ForgottenEmail struct {
	Account sandlot.AccountID
	Email   string
	Used    bool // whether another account has the address
}

// A ForgetStore remembers the addresses of deleted accounts until their messages are
// deleted, too, under the same promises as a publish.Store.
type ForgetStore interface {
	// Forgotten returns addresses of deleted accounts, and those that accounts no longer have, at most limit of those
	// after one of them, in an order that stays. The zero value is before all.
	Forgotten(ctx context.Context, after ForgottenEmail, limit int) ([]ForgottenEmail, error)
	// ForgetEmail forgets one of them; a missing one is not an error.
	ForgetEmail(ctx context.Context, f ForgottenEmail) error
}

// A Forgetter deletes messages to forgotten addresses that were written as files. Only one Run or Forget of it may be
// under way.
type Forgetter struct {
	Records ForgetStore
	// Messages deletes all messages to an address.
	Messages func(ctx context.Context, address string) error
	// Others is the time that an address is kept after its messages were deleted here: other processes with messages of
	// their own find it meanwhile. 0 without such processes.
	Others time.Duration
	Log    *slog.Logger
	// Failures counts rounds that failed.
	Failures *worker.Failures
	Spend    func() // as in Config

	here map[ForgottenEmail]time.Time // when the messages to a kept address were deleted
}

// Run forgets every minute until ctx ends.
func (f *Forgetter) Run(ctx context.Context) {
	worker.Every(ctx, forgetEvery, func() {
		switch err := f.Forget(ctx); {
		case err == nil:
			f.Failures.Worked()
		case ctx.Err() == nil:
			f.Failures.Add(1)
			f.Log.Warn("messages of deleted accounts not deleted, will retry", "error", err)
		}
	})
}

// Forget makes one round. Messages to an address that another account has stay, because they are that account's, too. A
// failure does not keep it from the rest; the error joins all of them.
func (f *Forgetter) Forget(ctx context.Context) error {
	var failed worker.Errors
	var last ForgottenEmail
	kept := map[ForgottenEmail]time.Time{}
	defer func() { f.here = kept }()
	for {
		list, err := f.Records.Forgotten(ctx, last, forgetBatch)
		if err != nil || len(list) == 0 {
			failed.Add(err)
			return failed.Err()
		}
		for _, last = range list {
			if err := f.forget(ctx, last, kept); err != nil {
				failed.Add(fmt.Errorf("forget an address of account %d: %w", last.Account, err))
			}
		}
	}
}

// forget deletes the messages to one address, and forgets the address when other processes have had the time to do the
// same. Until then it is in kept.
func (f *Forgetter) forget(ctx context.Context, e ForgottenEmail, kept map[ForgottenEmail]time.Time) error {
	at, done := f.here[e]
	if !done {
		if !e.Used {
			if err := f.Messages(ctx, e.Email); err != nil {
				return err
			}
		}
		at = time.Now()
	}
	if time.Since(at) >= f.Others {
		return sandlot.EvenFull(f.Spend, func() error { return f.Records.ForgetEmail(ctx, e) })
	}
	if len(kept) < forgetNoted {
		kept[e] = at
	}
	return nil
}
