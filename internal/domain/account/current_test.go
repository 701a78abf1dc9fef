package account_test

import (
	"context"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/heads"
	"sandlot/internal/testkit/testworld"
)

// saying is a store whose steps do nothing.
type saying struct {
	account.OwnerStore
	account.RecoveryStore
	account.ClaimStore
	says testworld.Says
}

func (s saying) Rename(context.Context, sandlot.AccountID, string, time.Time, time.Time, int) (sandlot.Changed, error) {
	return s.says()
}

func (s saying) Remove(context.Context, sandlot.Subject, sandlot.LogEntry) (sandlot.Changed, error) {
	return s.says()
}

func (s saying) UseVerification(context.Context, sandlot.Digest, time.Time) (a sandlot.Account, c sandlot.Changed, err error) {
	c, err = s.says()
	return a, c, err
}

func (s saying) TakeEmail(context.Context, sandlot.Digest, time.Time, time.Time, sandlot.Job) (a sandlot.Account, c sandlot.Changed, err error) {
	c, err = s.says()
	return a, c, err
}

func (s saying) TakeEmailBack(context.Context, sandlot.Digest, time.Time) (a sandlot.Account, c sandlot.Changed, err error) {
	c, err = s.says()
	return a, c, err
}

func (s saying) TakeOver(context.Context, sandlot.AccountID, sandlot.AccountID, string) (sandlot.Changed, error) {
	return s.says()
}

// Account is in two of the interfaces.
func (s saying) Account(context.Context, sandlot.AccountID) (a sandlot.Account, err error) {
	return a, nil
}

func TestEachStepDropsWhatItChanged(t *testing.T) {
	t.Parallel()
	stores := func(says testworld.Says) account.Stores {
		s := saying{says: says}
		return account.Stores{Owners: s, Recovery: s, Claims: s}
	}
	testworld.StepsDrop[account.OwnerStore](t, func(says testworld.Says, heads *heads.Cache) any {
		return account.NewCurrentStores(stores(says), heads.After).Owners
	})
	testworld.StepsDrop[account.RecoveryStore](t, func(says testworld.Says, heads *heads.Cache) any {
		return account.NewCurrentStores(stores(says), heads.After).Recovery
	})
	testworld.StepsDrop[account.ClaimStore](t, func(says testworld.Says, heads *heads.Cache) any {
		return account.NewCurrentStores(stores(says), heads.After).Claims
	})
}
