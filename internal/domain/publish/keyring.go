package publish

import (
	"context"
	"errors"
	"time"
	"unicode/utf8"

	"sandlot"
	"sandlot/internal/format/names"
)

// Limits of the keys that people mint.
const (
	MaxKeyName     = 100 // characters
	maxProjectKeys = 100 // in force for one project: more are forgotten ones
	keysPage       = 50  // on one page
	keyProjects    = 100 // to choose from; the last changed ones
)

// ErrTooMany: the limit is reached.
var ErrTooMany = errors.New("too many")

// A KeyringStore keeps the keys as their owners see them, under the same promises as a Store. It has no revoked keys,
// and none of deleted projects. It adds no key to a suspended account: ErrSuspended.
type KeyringStore interface {
	// Keys returns an account's keys with an ID below before (0: all), newest first, at most limit.
	Keys(ctx context.Context, id sandlot.AccountID, before int64, limit int) ([]sandlot.Key, error)
	// MintKey adds a key for k.Project, which must be the account's, else ErrNotFound; limit keys of that project are
	// ErrTooMany. A repeated record is ErrAlreadyDone.
	MintKey(ctx context.Context, id sandlot.AccountID, k sandlot.Key, limit int, record IdempotencyRecord) error
	// RotateKey adds an account key and revokes all others of the account. A repeated record is ErrAlreadyDone.
	RotateKey(ctx context.Context, id sandlot.AccountID, k sandlot.Key, record IdempotencyRecord) error
	// OldKeys counts the keys of an account that were made before its address was verified, and returns the time of
	// that.
	OldKeys(ctx context.Context, id sandlot.AccountID) (n int, verified time.Time, err error)
	// ReplaceOldKeys adds an account key and revokes all keys of the account, those of projects too, that were made
	// before its address was verified. A repeated record is ErrAlreadyDone.
	ReplaceOldKeys(ctx context.Context, id sandlot.AccountID, k sandlot.Key, record IdempotencyRecord) error
	// RevokeKey revokes one of an account's keys, which may be revoked already; another account's key is ErrNotFound.
	RevokeKey(ctx context.Context, account sandlot.AccountID, id int64, at time.Time) error
}

// A Keyring holds the calls by which owners of accounts, in a session, manage their keys. Its methods keep the promises
// of a Service.
type Keyring struct {
	projects    Store
	management  KeyringStore
	idempotency *idempotency
	vault       *sandlot.Vault
	now         func() time.Time
	spend       func()
}

// NewKey is a key of one project that a person requests on the website.
type NewKey struct {
	Project sandlot.ProjectID
	Name    string
	Form    string // the form token: the same form sent twice mints one key
}

// Keys returns a page of 50 of the account's keys, newest first: those with an ID below before, where 0 is all. next is
// the before of the following page, 0 after the last. It lists no revoked key, and no key in clear.
func (s *Keyring) Keys(ctx context.Context, by sandlot.Caller, before int64) (list []sandlot.Key, next int64, err error) {
	if err := sandlot.Authorize(by, sandlot.ActSeeOwn, nil); err != nil {
		return nil, 0, err
	}
	list, err = s.management.Keys(ctx, by.Account(), before, keysPage+1)
	if len(list) > keysPage {
		list = list[:keysPage]
		next = list[keysPage-1].ID
	}
	return list, next, err
}

// KeyProjects returns the projects that a key can be minted for: the 100 of the account that were changed last, and
// whether it has more.
func (s *Keyring) KeyProjects(ctx context.Context, by sandlot.Caller) (list []sandlot.Project, more bool, err error) {
	if err := sandlot.Authorize(by, sandlot.ActSeeOwn, nil); err != nil {
		return nil, false, err
	}
	list, err = s.projects.Projects(ctx, by.Account(), 0, keyProjects+1)
	return list[:min(len(list), keyProjects)], len(list) > keyProjects, err
}

// FormToken draws the token of a form, which permits each act of the form once. It records nothing.
func (s *Keyring) FormToken(_ context.Context, by sandlot.Caller) (string, error) {
	if err := sandlot.Authorize(by, sandlot.ActSeeOwn, nil); err != nil {
		return "", err
	}
	return s.vault.FormToken()
}

// MintKey mints a key for one project of the account, and returns it in clear, which no other call can. A name that is
// empty or too long is CodeInvalidField; another account's project is ErrNotFound, one with 100 keys ErrTooMany, and a
// form that was sent before ErrAlreadyDone.
func (s *Keyring) MintKey(ctx context.Context, by sandlot.Caller, in NewKey) (sandlot.Secret, error) {
	if err := sandlot.Authorize(by, sandlot.ActOwn, nil); err != nil {
		return "", err
	}
	name, cut, _ := names.Title(in.Name)
	if name == "" || cut || utf8.RuneCountInString(name) > MaxKeyName {
		return "", sandlot.Refuse(sandlot.CodeInvalidField, "The name of a key has 1 to %d characters.", MaxKeyName).In("name")
	}
	key, secret, err := newKey(s.vault, s.now(), sandlot.ProjectKey, name)
	if err != nil {
		return "", err
	}
	key.Project = in.Project
	rec, err := s.idempotency.formRecord(by, "mint", in.Form)
	if err != nil {
		return "", err
	}
	return secret, lostRight(by, sandlot.ActOwn, s.management.MintKey(ctx, by.Account(), key, maxProjectKeys, rec))
}

// RotateKey mints an account key and revokes all other account keys in the same step: there is one at any time. It
// returns the new one in clear, which no other call can. Keys of single projects stay. A form that was sent before is
// ErrAlreadyDone.
func (s *Keyring) RotateKey(ctx context.Context, by sandlot.Caller, form string) (sandlot.Secret, error) {
	return s.replaceKeys(by, "rotate", form, func(key sandlot.Key, record IdempotencyRecord) error {
		return s.management.RotateKey(ctx, by.Account(), key, record)
	})
}

// replaceKeys mints an account key, which replace records in the place of others.
func (s *Keyring) replaceKeys(by sandlot.Caller, what, form string,
	replace func(sandlot.Key, IdempotencyRecord) error,
) (sandlot.Secret, error) {
	if err := sandlot.Authorize(by, sandlot.ActOwn, nil); err != nil {
		return "", err
	}
	key, secret, err := newKey(s.vault, s.now(), sandlot.AccountKey, "account key")
	if err != nil {
		return "", err
	}
	rec, err := s.idempotency.formRecord(by, what, form)
	if err != nil {
		return "", err
	}
	return secret, lostRight(by, sandlot.ActOwn, replace(key, rec))
}

// OldKeys counts the keys that were made before the account's address was verified, and returns the time of that:
// anybody who published under the address until then has them.
func (s *Keyring) OldKeys(ctx context.Context, by sandlot.Caller) (n int, verified time.Time, err error) {
	if err := sandlot.Authorize(by, sandlot.ActSeeOwn, nil); err != nil {
		return 0, time.Time{}, err
	}
	return s.management.OldKeys(ctx, by.Account())
}

// ReplaceOldKeys mints an account key and revokes all OldKeys, those of projects too, in the same step. It returns the
// new one in clear, which no other call can. A form that was sent before is ErrAlreadyDone.
func (s *Keyring) ReplaceOldKeys(ctx context.Context, by sandlot.Caller, form string) (sandlot.Secret, error) {
	return s.replaceKeys(by, "replace old", form, func(key sandlot.Key, record IdempotencyRecord) error {
		return s.management.ReplaceOldKeys(ctx, by.Account(), key, record)
	})
}

// RevokeKey ends one of the account's keys for good: the next call with it is refused, in every process, and so is a
// call that came with it before and has not written yet. It is idempotent. Another account's key is ErrNotFound.
func (s *Keyring) RevokeKey(ctx context.Context, by sandlot.Caller, id int64) error {
	if err := sandlot.Authorize(by, sandlot.ActOwn, nil); err != nil {
		return err
	}
	return sandlot.EvenFull(s.spend, func() error { return s.management.RevokeKey(ctx, by.Account(), id, s.now().UTC()) })
}
