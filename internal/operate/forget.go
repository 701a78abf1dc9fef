package operate

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"sandlot/internal/publish"
	"sandlot/internal/worker"
)

const (
	forgetEvery = time.Minute
	forgetBatch = 100 // addresses held at once
)

// ForgottenEmail is an address of a deleted account, or one that an account no longer has.
type ForgottenEmail struct {
	Account publish.AccountID
	Email   string
	Used    bool // whether another account has it
}

// A ForgetStore remembers the addresses of deleted accounts until their messages are
// deleted, too, under the same promises as a publish.Store.
type ForgetStore interface {
	// Forgotten returns addresses of deleted accounts, and those that accounts no longer have, at
	// most limit of those after one of them, in an order that stays. The zero value is before all.
	Forgotten(ctx context.Context, after ForgottenEmail, limit int) ([]ForgottenEmail, error)
	// ForgetEmail forgets one of them; one that is not there is not an error.
	ForgetEmail(ctx context.Context, f ForgottenEmail) error
}

// Forgetter deletes messages to forgotten addresses that were written as files.
type Forgetter struct {
	Records ForgetStore
	// Messages deletes all messages to an address.
	Messages func(ctx context.Context, address string) error
	Log      *slog.Logger
	// Failures counts rounds that failed.
	Failures *worker.Failures
}

// Run looks every minute until ctx ends.
func (f *Forgetter) Run(ctx context.Context) {
	worker.Every(ctx, forgetEvery, func() {
		if err := f.Forget(ctx); err != nil && ctx.Err() == nil {
			f.Failures.Add(1)
			f.Log.Warn("messages of deleted accounts not deleted, will retry", "error", err)
		}
	})
}

// Forget makes one round. Messages to an address that another account has stay, for they are
// that account's, too. A failure does not keep it from the rest; the error joins all of them.
func (f *Forgetter) Forget(ctx context.Context) error {
	var failed worker.Errors
	var last ForgottenEmail
	for {
		list, err := f.Records.Forgotten(ctx, last, forgetBatch)
		if err != nil || len(list) == 0 {
			failed.Add(err)
			return failed.Err()
		}
		for _, last = range list {
			if err := f.forget(ctx, last); err != nil {
				failed.Add(fmt.Errorf("forget an address of account %d: %w", last.Account, err))
			}
		}
	}
}

// forget deletes the messages to one address, and then forgets the address.
func (f *Forgetter) forget(ctx context.Context, e ForgottenEmail) error {
	if !e.Used {
		if err := f.Messages(ctx, e.Email); err != nil {
			return err
		}
	}
	return f.Records.ForgetEmail(ctx, e)
}
