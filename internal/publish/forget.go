package publish

import (
	"context"
	"fmt"
	"log/slog"
	"time"
)

const (
	forgetEvery = time.Minute
	forgetBatch = 100 // addresses held at once
)

// Forgetter deletes the messages of deleted accounts that were written as files.
type Forgetter struct {
	Records ForgetStore
	// Messages deletes the messages to an address.
	Messages func(ctx context.Context, address string) error
	Log      *slog.Logger
	// Failures counts rounds that failed.
	Failures *Failures
}

// Run looks every minute until ctx ends.
func (f *Forgetter) Run(ctx context.Context) {
	tick := time.NewTicker(forgetEvery)
	defer tick.Stop()
	for {
		if err := f.Forget(ctx); err != nil && ctx.Err() == nil {
			f.Failures.Add(1)
			f.Log.Warn("messages of deleted accounts not deleted, will retry", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// Forget makes one round. What fails keeps it from nothing else. Messages to an
// address that another account has are that account's, too, and stay.
func (f *Forgetter) Forget(ctx context.Context) error {
	var failed failures
	var last ForgottenEmail
	for {
		list, err := f.Records.Forgotten(ctx, last, forgetBatch)
		if err != nil || len(list) == 0 {
			failed.add(err)
			return failed.err()
		}
		for _, last = range list {
			if err := f.forget(ctx, last); err != nil {
				failed.add(fmt.Errorf("forget an address of account %d: %w", last.Account, err))
			}
		}
	}
}

func (f *Forgetter) forget(ctx context.Context, e ForgottenEmail) error {
	if !e.Used {
		if err := f.Messages(ctx, e.Email); err != nil {
			return err
		}
	}
	return f.Records.ForgetEmail(ctx, e)
}
