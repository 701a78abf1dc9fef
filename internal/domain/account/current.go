package account

import (
	"context"
	"time"

	"sandlot"
)

// currentStores are Stores that drop the heads that a step changed before the step returns. Every step that returns a
// sandlot.Changed has to be here: a test finds each.
type currentStores struct {
	Stores
	Owners   currentOwners
	Recovery currentRecovery
	Claims   currentClaims
}

func newCurrentStores(s Stores, heads sandlot.Follow) currentStores {
	return currentStores{s, currentOwners{s.Owners, heads}, currentRecovery{s.Recovery, heads}, currentClaims{s.Claims, heads}}
}

type currentOwners struct {
	OwnerStore
	heads sandlot.Follow
}

func (s currentOwners) Rename(ctx context.Context, id sandlot.AccountID, handle string, at, since time.Time, limit int) error {
	return s.heads.After(s.OwnerStore.Rename(ctx, id, handle, at, since, limit))
}

func (s currentOwners) Remove(ctx context.Context, of sandlot.Subject, e sandlot.LogEntry) error {
	return s.heads.After(s.OwnerStore.Remove(ctx, of, e))
}

type currentRecovery struct {
	RecoveryStore
	heads sandlot.Follow
}

func (s currentRecovery) TakeEmail(ctx context.Context, token sandlot.Digest, now, undoUntil time.Time,
	notice sandlot.Job,
) (sandlot.Account, error) {
	a, changed, err := s.RecoveryStore.TakeEmail(ctx, token, now, undoUntil, notice)
	return a, s.heads.After(changed, err)
}

func (s currentRecovery) TakeEmailBack(ctx context.Context, token sandlot.Digest, now time.Time) (sandlot.Account, error) {
	a, changed, err := s.RecoveryStore.TakeEmailBack(ctx, token, now)
	return a, s.heads.After(changed, err)
}

type currentClaims struct {
	ClaimStore
	heads sandlot.Follow
}

func (s currentClaims) UseVerification(ctx context.Context, token sandlot.Digest, now time.Time) (sandlot.Account, error) {
	a, changed, err := s.ClaimStore.UseVerification(ctx, token, now)
	return a, s.heads.After(changed, err)
}

func (s currentClaims) TakeOver(ctx context.Context, from, to sandlot.AccountID, email string) error {
	return s.heads.After(s.ClaimStore.TakeOver(ctx, from, to, email))
}
