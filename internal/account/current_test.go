package account_test

import (
	"context"
	"testing"
	"time"

	"sandlot/internal/account"
	"sandlot/internal/publish"
	"sandlot/internal/testworld"
)

// saying is a store whose steps do nothing.
type saying struct {
	account.OwnerStore
	account.RecoveryStore
	account.ClaimStore
	says testworld.Says
}

func (s saying) Rename(context.Context, publish.AccountID, string, time.Time, time.Time, int) (publish.Changed, error) {
	return s.says()
}

func (s saying) Remove(context.Context, publish.Subject, publish.LogEntry) (publish.Changed, error) {
	return s.says()
}

func (s saying) UseVerification(context.Context, publish.Digest, time.Time) (a publish.Account, c publish.Changed, err error) {
	c, err = s.says()
	return a, c, err
}

func (s saying) TakeEmail(context.Context, publish.Digest, time.Time, time.Time, publish.Job) (a publish.Account, c publish.Changed, err error) {
	c, err = s.says()
	return a, c, err
}

func (s saying) TakeEmailBack(context.Context, publish.Digest, time.Time) (a publish.Account, c publish.Changed, err error) {
	c, err = s.says()
	return a, c, err
}

func (s saying) TakeOver(context.Context, publish.AccountID, publish.AccountID, string) (publish.Changed, error) {
	return s.says()
}

// Account is in two of the interfaces.
func (s saying) Account(context.Context, publish.AccountID) (a publish.Account, err error) {
	return a, nil
}

func TestEachStepDropsWhatItChanged(t *testing.T) {
	t.Parallel()
	stores := func(says testworld.Says) account.Stores {
		s := saying{says: says}
		return account.Stores{Owners: s, Recovery: s, Claims: s}
	}
	testworld.StepsDrop[account.OwnerStore](t, func(says testworld.Says, heads *publish.Heads) any {
		return account.NewCurrentStores(stores(says), heads).Owners
	})
	testworld.StepsDrop[account.RecoveryStore](t, func(says testworld.Says, heads *publish.Heads) any {
		return account.NewCurrentStores(stores(says), heads).Recovery
	})
	testworld.StepsDrop[account.ClaimStore](t, func(says testworld.Says, heads *publish.Heads) any {
		return account.NewCurrentStores(stores(says), heads).Claims
	})
}
