package publish

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"sandlot/internal/names"
)

// Limits of the keys that people mint.
const (
	MaxKeyName     = 100 // characters
	maxProjectKeys = 100 // in force for one project: more are forgotten ones
	keysPage       = 50  // shown at once
	keyProjects    = 100 // to choose from; those changed last
)

// ErrTooMany: there are as many as there may be.
var ErrTooMany = errors.New("too many")

// A KeyringStore keeps the keys as their owners see them, under the same promises
// as a Store. A key that was revoked, or whose project was deleted, is not there. No
// key is added to a suspended account: ErrSuspended.
type KeyringStore interface {
	// Keys returns an account's keys with an ID below before (0: all), newest first, at most limit.
	Keys(ctx context.Context, id AccountID, before int64, limit int) ([]Key, error)
	// MintKey adds a key for k.Project, which must be the account's, or is ErrNotFound; limit keys of that project are ErrTooMany. A once that is recorded already is ErrRepeated.
	MintKey(ctx context.Context, id AccountID, k Key, limit int, once Once) error
	// RotateKey adds an account key and revokes all others of the account. A once that is recorded already is ErrRepeated.
	RotateKey(ctx context.Context, id AccountID, k Key, once Once) error
	// OldKeys counts the keys of an account that were made before its address was verified, and tells when that was.
	OldKeys(ctx context.Context, id AccountID) (n int, verified time.Time, err error)
	// ReplaceOldKeys adds an account key and revokes all keys of the account, those of projects too, that were made before its address was verified. A once that is recorded already is ErrRepeated.
	ReplaceOldKeys(ctx context.Context, id AccountID, k Key, once Once) error
	// RevokeKey revokes one of an account's keys, which may be revoked already; another account's is ErrNotFound.
	RevokeKey(ctx context.Context, account AccountID, id int64, at time.Time) error
}

// NewKey is a key that a person asks for.
type NewKey struct {
	Project ProjectID
	Name    string
	Nonce   string // of the form: the same form sent twice mints one key
}

// Keys returns a page of an account's keys, newest first, and where the next page
// begins; 0 is the end.
func (s *Service) Keys(ctx context.Context, id AccountID, before int64) (list []Key, next int64, err error) {
	list, err = s.site.Keys(ctx, id, before, keysPage+1)
	if len(list) > keysPage {
		list = list[:keysPage]
		next = list[keysPage-1].ID
	}
	return list, next, err
}

// KeyProjects returns the projects that a key can be minted for: those of the
// account that were changed last, and whether it has more.
func (s *Service) KeyProjects(ctx context.Context, id AccountID) (list []Project, more bool, err error) {
	list, err = s.store.Projects(ctx, id, 0, keyProjects+1)
	return list[:min(len(list), keyProjects)], len(list) > keyProjects, err
}

// Nonce draws what tells one form from another.
func (s *Service) Nonce() (string, error) { return s.vault.FormToken() }

// MintKey mints a key for one project of an account. A name that is empty or too
// long is CodeInvalidField; a project that is not the account's is ErrNotFound,
// one with too many keys ErrTooMany, and a form that was sent before ErrRepeated.
func (s *Service) MintKey(ctx context.Context, id AccountID, in NewKey) (Secret, error) {
	if _, err := s.editor(ctx, id); err != nil {
		return "", err
	}
	name, cut, _ := names.Title(in.Name)
	if name == "" || cut || utf8.RuneCountInString(name) > MaxKeyName {
		return "", Refuse(CodeInvalidField, "The name of a key has 1 to %d characters.", MaxKeyName).In("name")
	}
	key, secret, err := s.newKey(ProjectKey, name)
	if err != nil {
		return "", err
	}
	key.Project = in.Project
	once, err := s.formOnce(id, "mint", in.Nonce)
	if err != nil {
		return "", err
	}
	return secret, s.ownerMay(ctx, id, s.site.MintKey(ctx, id, key, maxProjectKeys, once))
}

// RotateKey mints an account key and ends all others at once. A form that was
// sent before is ErrRepeated.
func (s *Service) RotateKey(ctx context.Context, id AccountID, nonce string) (Secret, error) {
	if _, err := s.editor(ctx, id); err != nil {
		return "", err
	}
	key, secret, err := s.newKey(AccountKey, "account key")
	if err != nil {
		return "", err
	}
	once, err := s.formOnce(id, "rotate", nonce)
	if err != nil {
		return "", err
	}
	return secret, s.ownerMay(ctx, id, s.site.RotateKey(ctx, id, key, once))
}

// OldKeys counts the keys that were made before the account's address was verified,
// and tells when that was: whoever published under the address until then has them.
func (s *Service) OldKeys(ctx context.Context, id AccountID) (n int, verified time.Time, err error) {
	return s.site.OldKeys(ctx, id)
}

// ReplaceOldKeys mints an account key and ends all OldKeys at once. A form that was
// sent before is ErrRepeated.
func (s *Service) ReplaceOldKeys(ctx context.Context, id AccountID, nonce string) (Secret, error) {
	if _, err := s.editor(ctx, id); err != nil {
		return "", err
	}
	key, secret, err := s.newKey(AccountKey, "account key")
	if err != nil {
		return "", err
	}
	once, err := s.formOnce(id, "replace old", nonce)
	if err != nil {
		return "", err
	}
	return secret, s.ownerMay(ctx, id, s.site.ReplaceOldKeys(ctx, id, key, once))
}

// RevokeKey ends one of the account's keys at once; one that has ended already
// stays so. One that is not the account's is ErrNotFound.
func (s *Service) RevokeKey(ctx context.Context, account AccountID, id int64) error {
	if _, err := s.editor(ctx, account); err != nil {
		return err
	}
	return s.site.RevokeKey(ctx, account, id, s.now().UTC())
}

// formOnce is what a form leaves behind so that it has its effect once.
func (s *Service) formOnce(id AccountID, form, nonce string) (Once, error) {
	if nonce == "" || len(nonce) > MaxFormToken {
		return Once{}, Refuse(CodeInvalidField, "The form has no number of its own.").In("nonce")
	}
	return Once{Key: s.keyed("form", fmt.Sprintf("%s %d %s", form, id, nonce)), ExpiresAt: s.expiry(onceLife)}, nil
}
