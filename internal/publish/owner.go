package publish

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"sandlot/internal/names"
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
// promises as a Store. What was deleted is ErrNotFound; a suspended account cannot be renamed: ErrSuspended.
type OwnerStore interface {
	// Rename gives an account a handle that was never given out before; one that was is ErrExists, and one more than limit renames after since is ErrTooOften. The handle before is not given out again.
	Rename(ctx context.Context, id AccountID, handle string, at, since time.Time, limit int) error
	// HandleGiven reports whether a handle was ever given out.
	HandleGiven(ctx context.Context, handle string) (bool, error)
	// SetLang records the language of an account.
	SetLang(ctx context.Context, id AccountID, lang string) error
	// Remove deletes an account with its projects, as the operator does, and records e.
	Remove(ctx context.Context, s Subject, e LogEntry) error
}

// editor returns an account whose owner may change something about it.
func (s *Service) editor(ctx context.Context, id AccountID) (Account, error) {
	a, err := s.store.Account(ctx, id)
	if err != nil {
		return a, fmt.Errorf("read account: %w", err)
	}
	by := Caller{kind: callerSession, key: Key{Account: id, Kind: AccountKey, Suspended: a.Suspended}}
	return a, Authorize(by, ActEdit, nil)
}

// ownerMay is the error of a step that an owner took: where the account was suspended
// since its owner was let in, the refusal of one that is.
func (s *Service) ownerMay(ctx context.Context, id AccountID, err error) error {
	if !errors.Is(err, ErrSuspended) {
		return err
	}
	if _, now := s.editor(ctx, id); now != nil {
		return now
	}
	return err
}

// HandleFor returns the handle that Rename would give for a wish, or the error that it
// would return, but for how often it was asked today. It changes nothing.
func (s *Service) HandleFor(ctx context.Context, id AccountID, want string) (string, error) {
	handle, own, err := s.wishedHandle(ctx, id, want)
	if err != nil || own {
		return handle, err
	}
	given, err := s.site.HandleGiven(ctx, handle)
	if err == nil && given {
		err = ErrExists
	}
	return handle, err
}

// wishedHandle brings a wish into the form of a handle, and tells whether it is the
// account's own already.
func (s *Service) wishedHandle(ctx context.Context, id AccountID, want string) (handle string, own bool, err error) {
	a, err := s.editor(ctx, id)
	if err != nil {
		return "", false, err
	}
	if handle = names.Handle(want); handle == "" {
		return "", false, Refuse(CodeInvalidField, "This cannot be a handle.").In("handle")
	}
	return handle, handle == a.Handle, nil
}

// Rename gives an account another handle: the wish brought into the form of one,
// which it returns. A wish with nothing left, or a reserved one, is
// CodeInvalidField; one that was ever given out is ErrExists, and one too many
// today is CodeRateLimited. The handle that the account has changes nothing.
func (s *Service) Rename(ctx context.Context, id AccountID, want string) (string, error) {
	handle, own, err := s.wishedHandle(ctx, id, want)
	if err != nil || own {
		return handle, err
	}
	now := s.now().UTC()
	err = s.site.Rename(ctx, id, handle, now, now.Add(-renameWindow), renamesPerDay)
	if errors.Is(err, ErrTooOften) {
		return "", Refuse(CodeRateLimited, "The account had %d handles in a day.", renamesPerDay).After(renameWindow)
	}
	if errors.Is(err, ErrExists) {
		// The same form may have been sent twice at once.
		if now, again := s.store.Account(ctx, id); again == nil && now.Handle == handle {
			err = nil
		}
	}
	s.Heads.Drop(Changed{Account: id}) // its projects name it
	return handle, s.ownerMay(ctx, id, err)
}

// SetLang records the language in which an account is spoken to; an empty one is
// whatever its browser asks for.
func (s *Service) SetLang(ctx context.Context, id AccountID, lang string) error {
	if _, err := s.editor(ctx, id); err != nil {
		return err
	}
	clean, _ := cleanLang(lang)
	return s.site.SetLang(ctx, id, clean)
}

// DeleteAccount deletes an account with all it owns, as the operator's delete
// does, once its owner has typed its handle; anything else is CodeInvalidField.
// A suspended account may go, too.
func (s *Service) DeleteAccount(ctx context.Context, id AccountID, typed string) error {
	a, err := s.store.Account(ctx, id)
	if err != nil {
		return fmt.Errorf("read account: %w", err)
	}
	if strings.ToLower(strings.TrimPrefix(strings.TrimSpace(typed), "@")) != a.Handle {
		return Refuse(CodeInvalidField, "This is not the handle of the account.").In("handle")
	}
	entry := LogEntry{At: s.now().UTC(), Actor: ActorOwner, Action: ActionDelete, Target: "@" + a.Handle, Reason: "on the website"}
	remove := func() error { return s.site.Remove(ctx, Subject{Account: id}, entry) }
	if err = remove(); errors.Is(err, ErrFull) && s.Spend != nil {
		s.Spend()
		err = remove()
	}
	s.Heads.Drop(Changed{Account: id})
	return err
}
