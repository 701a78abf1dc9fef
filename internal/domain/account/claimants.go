package account

import (
	"context"
	"errors"
	"fmt"

	"sandlot"
)

// claimantsShown is the most accounts that Claimants returns: nobody looks through more at once.
const claimantsShown = 20

// Claimants returns the accounts with projects that somebody gave the address of the caller's account for, without
// verifying it, at most 20, the newest first. It returns none unless the caller's login proved that address.
func (s *Service) Claimants(ctx context.Context, by sandlot.Caller) ([]LoginChoice, error) {
	if err := sandlot.Authorize(by, sandlot.ActSeeOwn, nil); err != nil {
		return nil, err
	}
	email := provedEmail(by)
	if email == "" {
		return nil, nil
	}
	list, err := s.store.Claims.Claimants(ctx, email, claimantsShown)
	if err != nil {
		return nil, err
	}
	return choices(ctx, s.store.Logins, list)
}

// provedEmail returns the address that the caller's login proved, if it is the account's and verified.
func provedEmail(by sandlot.Caller) string {
	in, a, ok := by.Login()
	if !ok || !a.EmailVerified || in.ProvedAt.Unix() <= 0 {
		return ""
	}
	return a.Email
}

// TakeOver makes the projects of an account of Claimants, which is named by its handle, the caller's, in one step, with
// their keys, statistics and addresses. An account that is not among them, because it is verified by now, or was given
// another address, is sandlot.ErrNotFound. Errors are those of Verify, too.
func (s *Service) TakeOver(ctx context.Context, by sandlot.Caller, handle string) error {
	from, email, err := s.claimant(ctx, by, handle)
	if err != nil {
		return err
	}
	return ownerMay(s.store.Claims.TakeOver(ctx, from, by.Account(), email))
}

// Disown takes the caller's address away from an account of Claimants, which keeps its projects
// and keys. Errors are those of TakeOver.
func (s *Service) Disown(ctx context.Context, by sandlot.Caller, handle string) error {
	from, email, err := s.claimant(ctx, by, handle)
	if err != nil {
		return err
	}
	return s.evenFull(func() error { return s.store.Claims.Disown(ctx, from, email) })
}

// claimant finds an account of Claimants by its handle, and the address that it was given.
func (s *Service) claimant(ctx context.Context, by sandlot.Caller, handle string) (sandlot.AccountID, string, error) {
	if err := sandlot.Authorize(by, sandlot.ActOwn, nil); err != nil {
		return 0, "", err
	}
	email := provedEmail(by)
	if email == "" {
		return 0, "", sandlot.ErrNotFound
	}
	list, err := s.store.Claims.Claimants(ctx, email, claimantsShown)
	if err != nil {
		return 0, "", err
	}
	for _, a := range list {
		if a.Handle == handle {
			return a.ID, email, nil
		}
	}
	return 0, "", sandlot.ErrNotFound
}

// choices adds titles and times to accounts, so that a person can distinguish them.
func choices(ctx context.Context, store LoginStore, list []sandlot.Account) ([]LoginChoice, error) {
	choices := make([]LoginChoice, len(list))
	for i, a := range list {
		c := LoginChoice{Account: a}
		var err error
		if c.Projects, err = store.Projects(ctx, a.ID, 0, LoginProjects); err != nil {
			return nil, fmt.Errorf("list projects: %w", err)
		}
		all, err := store.CountProjects(ctx, a.ID)
		if err != nil && !errors.Is(err, sandlot.ErrNotFound) {
			return nil, fmt.Errorf("count projects: %w", err)
		}
		c.More = max(all-len(c.Projects), 0)
		choices[i] = c
	}
	return choices, nil
}
