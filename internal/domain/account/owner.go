package account

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/format/names"
)

// Limits of renaming. A handle that was given up is never given out again, so an account that tries many out uses them
// up for everybody.
const (
	renamesPerDay = 10
	renameWindow  = 24 * time.Hour
)

// ErrTooOften means that a limit within a window of time is reached.
var ErrTooOften = sandlot.ErrTooOften

// An OwnerStore keeps the changes that owners make to their accounts, under the same promises as a publish.Store. A
// deleted account is sandlot.ErrNotFound; a suspended account cannot be renamed: sandlot.ErrSuspended.
type OwnerStore interface {
	// Rename gives an account a handle that was never given out before; any other handle is sandlot.ErrExists, and more
	// than limit renames after since are ErrTooOften. The former handle is not given out again.
	Rename(ctx context.Context, id sandlot.AccountID, handle string, at, since time.Time, limit int) error
	// HandleGiven reports whether a handle was ever given out.
	HandleGiven(ctx context.Context, handle string) (bool, error)
	// SetLang records the language of an account.
	SetLang(ctx context.Context, id sandlot.AccountID, lang string) error
	// Account is that of publish.Store.
	Account(ctx context.Context, id sandlot.AccountID) (sandlot.Account, error)
	// Remove deletes an account with its projects, as the operator does, and records e.
	Remove(ctx context.Context, s sandlot.Subject, e sandlot.LogEntry) error
}

// HandleFor returns the handle that Rename would give for a wish, or the error that Rename would return. It changes
// nothing, and does not count the renames of the account.
func (s *Service) HandleFor(ctx context.Context, by sandlot.Caller, want string) (string, error) {
	handle, own, err := wishedHandle(by, want)
	if err != nil || own {
		return handle, err
	}
	given, err := s.store.Owners.HandleGiven(ctx, handle)
	if err == nil && given {
		err = s.unlessOwn(ctx, by, handle, sandlot.ErrExists)
	}
	return handle, err
}

// wishedHandle normalizes a wish to a handle, and reports whether the account has that handle already.
func wishedHandle(by sandlot.Caller, want string) (handle string, own bool, err error) {
	if err := sandlot.Authorize(by, sandlot.ActOwn, nil); err != nil {
		return "", false, err
	}
	if handle = names.Handle(want); handle == "" {
		return "", false, sandlot.Refuse(sandlot.CodeInvalidField, "This cannot be a handle.").In("handle")
	}
	_, a, _ := by.Login()
	return handle, handle == a.Handle, nil
}

// Rename gives the account another handle and returns it. The handle is the normalized wish: see names.Handle. A wish
// that is empty then, or reserved, is sandlot.CodeInvalidField; a handle that was ever given out is sandlot.ErrExists;
// the eleventh rename within 24 hours is sandlot.CodeRateLimited. The account's own handle changes nothing and is no
// error. All projects of the account are read with the new handle once Rename has returned.
func (s *Service) Rename(ctx context.Context, by sandlot.Caller, want string) (string, error) {
	handle, own, err := wishedHandle(by, want)
	if err != nil || own {
		return handle, err
	}
	now := s.now().UTC()
	err = s.store.Owners.Rename(ctx, by.Account(), handle, now, now.Add(-renameWindow), renamesPerDay)
	if errors.Is(err, ErrTooOften) {
		return "", sandlot.Refuse(sandlot.CodeRateLimited, "The account had %d handles in a day.", renamesPerDay).After(renameWindow)
	}
	if errors.Is(err, sandlot.ErrExists) {
		err = s.unlessOwn(ctx, by, handle, err)
	}
	return handle, ownerMay(err)
}

// unlessOwn returns taken, or nil if the account has the handle by now: the same form may have been sent twice at once.
func (s *Service) unlessOwn(ctx context.Context, by sandlot.Caller, handle string, taken error) error {
	if now, err := s.store.Owners.Account(ctx, by.Account()); err == nil && now.Handle == handle {
		return nil
	}
	return taken
}

// SetLang records the language of the account's messages and pages. An empty or unusable lang means the language of the
// browser.
func (s *Service) SetLang(ctx context.Context, by sandlot.Caller, lang string) error {
	if err := sandlot.Authorize(by, sandlot.ActOwn, nil); err != nil {
		return err
	}
	clean, _ := sandlot.CleanLang(lang)
	return s.store.Owners.SetLang(ctx, by.Account(), clean)
}

// DeleteAccount deletes the account with all its projects, for good, and records that in the audit log. typed must be
// the account's handle, with or without an @; anything else is sandlot.CodeInvalidField. A suspended account can be
// deleted, too. On a full disk the room reserved for deletions is given up first.
func (s *Service) DeleteAccount(ctx context.Context, by sandlot.Caller, typed string) error {
	if err := sandlot.Authorize(by, sandlot.ActDelete, nil); err != nil {
		return err
	}
	a, err := s.store.Owners.Account(ctx, by.Account())
	if err != nil {
		return fmt.Errorf("read account: %w", err)
	}
	if strings.ToLower(strings.TrimPrefix(strings.TrimSpace(typed), "@")) != a.Handle {
		return sandlot.Refuse(sandlot.CodeInvalidField, "This is not the handle of the account.").In("handle")
	}
	entry := sandlot.LogEntry{
		At: s.now().
			UTC(), Actor: sandlot.ActorOwner, Action: sandlot.ActionDelete, Target: "@" + a.Handle,
		Reason: "on the website",
	}
	return s.evenFull(func() error { return s.store.Owners.Remove(ctx, sandlot.Subject{Account: a.ID}, entry) })
}
