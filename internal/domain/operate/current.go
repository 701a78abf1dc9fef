package operate

import (
	"context"
	"time"

	"sandlot"
)

// currentStore is a Store that drops the heads that a step changed before the step returns. Every step of Store that
// returns a sandlot.Changed has to be here: a test finds each. All its writes may use the room that is reserved on a
// full disk: they protect people.
type currentStore struct {
	Store
	heads sandlot.Follow
	spend func()
}

func (s currentStore) Suspend(ctx context.Context, of sandlot.Subject, e sandlot.LogEntry) error {
	return sandlot.EvenFull(s.spend, func() error { return s.heads.After(s.Store.Suspend(ctx, of, e)) })
}

func (s currentStore) Reinstate(ctx context.Context, of sandlot.Subject, e sandlot.LogEntry) error {
	return sandlot.EvenFull(s.spend, func() error { return s.heads.After(s.Store.Reinstate(ctx, of, e)) })
}

func (s currentStore) Remove(ctx context.Context, of sandlot.Subject, e sandlot.LogEntry) error {
	return sandlot.EvenFull(s.spend, func() error { return s.heads.After(s.Store.Remove(ctx, of, e)) })
}

func (s currentStore) AddKey(
	ctx context.Context, id sandlot.AccountID, k sandlot.Key, revoke bool, e sandlot.LogEntry,
) (revoked int, err error) {
	err = sandlot.EvenFull(s.spend, func() (err error) {
		revoked, err = s.Store.AddKey(ctx, id, k, revoke, e)
		return err
	})
	return revoked, err
}

func (s currentStore) AddReport(ctx context.Context, r Report, form sandlot.Digest, job *sandlot.Job) (number string, err error) {
	err = sandlot.EvenFull(s.spend, func() (err error) {
		number, err = s.Store.AddReport(ctx, r, form, job)
		return err
	})
	return number, err
}

func (s currentStore) CloseReport(ctx context.Context, number string, e sandlot.LogEntry) error {
	return sandlot.EvenFull(s.spend, func() error { return s.Store.CloseReport(ctx, number, e) })
}

func (s currentStore) LiftStops(ctx context.Context, mailbox sandlot.Digest, e sandlot.LogEntry) error {
	return sandlot.EvenFull(s.spend, func() error { return s.Store.LiftStops(ctx, mailbox, e) })
}

// A Trimmer is a TrimStore that drops the heads of trimmed projects.
type Trimmer struct {
	Store TrimStore
	Heads sandlot.Follow // nil: nothing is cached
}

// Trim is that of TrimStore without the Changed.
func (t Trimmer) Trim(ctx context.Context, keep int, before time.Time, after int64, limit int) (last int64, more bool, err error) {
	last, more, changed, err := t.Store.Trim(ctx, keep, before, after, limit)
	return last, more, t.Heads.After(changed, err)
}
