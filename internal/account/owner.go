package account

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"sandlot/internal/names"
	"sandlot/internal/publish"
)

// Limits of renaming. A handle that was given up is gone for everybody, so
// whoever tries names out uses them up.
const (
	renamesPerDay = 10
	renameWindow  = 24 * time.Hour
)

// ErrTooOften: the same was done as often as it may be in the time that counts.
var ErrTooOften = errors.New("too often")

// An OwnerStore keeps what owners change about their accounts, under the same
// promises as a publish.Store. What was deleted is publish.ErrNotFound; a suspended account cannot be renamed: publish.ErrSuspended.
type OwnerStore interface {
	// Rename gives an account a handle that was never given out before; one that was is publish.ErrExists, and one more than limit renames after since is ErrTooOften. The handle before is not given out again.
	Rename(ctx context.Context, id publish.AccountID, handle string, at, since time.Time, limit int) error
	// HandleGiven reports whether a handle was ever given out.
	HandleGiven(ctx context.Context, handle string) (bool, error)
	// SetLang records the language of an account.
	SetLang(ctx context.Context, id publish.AccountID, lang string) error
	// Account is that of publish.Store.
	Account(ctx context.Context, id publish.AccountID) (publish.Account, error)
	// Remove deletes an account with its projects, as the operator does, and records e.
	Remove(ctx context.Context, s publish.Subject, e publish.LogEntry) error
}

// HandleFor returns the handle that Rename would give for a wish, or the error that it
// would return, but for how often it was asked today. It changes nothing.
func (s *Service) HandleFor(ctx context.Context, by publish.Caller, want string) (string, error) {
	handle, own, err := wishedHandle(by, want)
	if err != nil || own {
		return handle, err
	}
	given, err := s.store.Owners.HandleGiven(ctx, handle)
	if err == nil && given {
		err = publish.ErrExists
	}
	return handle, err
}

// wishedHandle brings the wish of an account's owner into the form of a handle, and tells
// whether it is the account's own already.
func wishedHandle(by publish.Caller, want string) (handle string, own bool, err error) {
	if err := publish.Authorize(by, publish.ActOwn, nil); err != nil {
		return "", false, err
	}
	if handle = names.Handle(want); handle == "" {
		return "", false, publish.Refuse(publish.CodeInvalidField, "This cannot be a handle.").In("handle")
	}
	_, a, _ := by.Login()
	return handle, handle == a.Handle, nil
}

// Rename gives the account another handle: the wish brought into the form of one,
// which it returns. A wish with nothing left, or a reserved one, is
// publish.CodeInvalidField; one that was ever given out is publish.ErrExists, and one too many
// today is publish.CodeRateLimited. The handle that the account has changes nothing.
func (s *Service) Rename(ctx context.Context, by publish.Caller, want string) (string, error) {
	handle, own, err := wishedHandle(by, want)
	if err != nil || own {
		return handle, err
	}
	now := s.now().UTC()
	err = s.store.Owners.Rename(ctx, by.Account(), handle, now, now.Add(-renameWindow), renamesPerDay)
	if errors.Is(err, ErrTooOften) {
		return "", publish.Refuse(publish.CodeRateLimited, "The account had %d handles in a day.", renamesPerDay).After(renameWindow)
	}
	if errors.Is(err, publish.ErrExists) {
		// The same form may have been sent twice at once.
		if now, again := s.store.Owners.Account(ctx, by.Account()); again == nil && now.Handle == handle {
			err = nil
		}
	}
	s.changed(by.Account(), err) // its projects name it
	return handle, ownerMay(err)
}

// SetLang records the language in which the account is spoken to; an empty one is
// whatever its browser asks for.
func (s *Service) SetLang(ctx context.Context, by publish.Caller, lang string) error {
	if err := publish.Authorize(by, publish.ActOwn, nil); err != nil {
		return err
	}
	clean, _ := publish.CleanLang(lang)
	return s.store.Owners.SetLang(ctx, by.Account(), clean)
}

// DeleteAccount deletes the account with all it owns, as the operator's delete
// does, once its owner has typed its handle; anything else is publish.CodeInvalidField.
// A suspended account may go, too.
func (s *Service) DeleteAccount(ctx context.Context, by publish.Caller, typed string) error {
	if err := publish.Authorize(by, publish.ActDelete, nil); err != nil {
		return err
	}
	a, err := s.store.Owners.Account(ctx, by.Account())
	if err != nil {
		return fmt.Errorf("read account: %w", err)
	}
	if strings.ToLower(strings.TrimPrefix(strings.TrimSpace(typed), "@")) != a.Handle {
		return publish.Refuse(publish.CodeInvalidField, "This is not the handle of the account.").In("handle")
	}
	entry := publish.LogEntry{At: s.now().UTC(), Actor: publish.ActorOwner, Action: publish.ActionDelete, Target: "@" + a.Handle, Reason: "on the website"}
	remove := func() error { return s.store.Owners.Remove(ctx, publish.Subject{Account: a.ID}, entry) }
	if err = remove(); errors.Is(err, publish.ErrFull) && s.Spend != nil {
		s.Spend()
		err = remove()
	}
	s.changed(a.ID, err)
	return err
}
