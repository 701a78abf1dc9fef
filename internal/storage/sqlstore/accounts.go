package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/names"
	"sandlot/internal/storage/sqlstore/engine"
)

const accountColumns = "id, handle, email, verified, lang, suspended_at IS NOT NULL, created_at, portrait, role, most_projects, trusted_at IS NOT NULL"

func scanAccount(r row) (a sandlot.Account, err error) {
	err = r.Scan(&a.ID, &a.Handle, &a.Email, &a.EmailVerified, &a.Lang, &a.Suspended, asTime{&a.CreatedAt}, &a.Portrait,
		&a.Role, &a.MostProjects, &a.Trusted)
	return a, err
}

// If all of the handles were taken the error is sandlot.ErrExists.
func (store AccountStore) CreateAccount(ctx context.Context, na publish.NewAccount) (a sandlot.Account, err error) {
	err = store.db.step(ctx, nil, func(t *tx) error {
		if err := t.addRecord(na.Idempotency, 0, "", store.db.Now()); err != nil {
			return err
		}
		var records []engine.Statement
		if a, records, err = t.createAccount(na); err != nil {
			return err
		}
		return t.Run(slices.Concat(records, ownRecord(na.Idempotency, a.ID), sameBlocks(t, na.Blocks))...)
	})
	return a, in("create account", err)
}

// createAccount records an account and its handle, and returns the records that are left to make: its first key, and
// its first message.
func (t *tx) createAccount(na publish.NewAccount) (a sandlot.Account, records []engine.Statement, err error) {
	a = sandlot.Account{Handle: na.Handles[0], Email: na.Email, Lang: na.Lang, CreatedAt: stored(na.CreatedAt)}
	id, err := t.insert("id", "INSERT INTO accounts (handle, email, mailbox, verified, lang, created_at) VALUES (?, ?, ?, 0, ?, ?)",
		a.Handle, na.Email, names.EmailKey(na.Email), na.Lang, micros(na.CreatedAt))
	if err != nil {
		return a, nil, err
	}
	a.ID = sandlot.AccountID(id)
	if a.Handle, err = takeHandle(t, a.ID, na.Handles, time.Time{}); err != nil {
		return a, nil, err
	}
	if a.Handle != na.Handles[0] {
		records = append(records, do("UPDATE accounts SET changed = changed + 1, handle = ? WHERE id = ?", a.Handle, a.ID))
	}
	if err := t.join(&a, na.Join, na.CreatedAt); err != nil {
		return a, nil, err
	}
	if na.Key.Hash != (sandlot.Digest{}) {
		records = append(records, newKey(na.Key, a.ID, nil))
	}
	if na.Connect.Hash != (sandlot.Digest{}) {
		records = append(records, do("INSERT INTO connects (code, account, expires_at) VALUES (?, ?, ?)",
			na.Connect.Hash[:], a.ID, micros(na.Connect.ExpiresAt)))
	}
	if na.Job == nil {
		return a, records, nil
	}
	job, err := t.newJob(*na.Job, a.ID)
	return a, append(records, job), err
}

// takeHandle gives an account the first of the handles that was never given out: when it was renamed, or the zero
// time for a new one.
func takeHandle(t *tx, id sandlot.AccountID, handles []string, renamed time.Time) (string, error) {
	at := int64(0)
	if !renamed.IsZero() {
		at = micros(renamed)
	}
	for _, h := range handles {
		n, err := t.Exec("INSERT INTO handles (handle, account, renamed_at) VALUES (?, ?, ?) ON CONFLICT (handle) DO NOTHING", h, id, at)
		if err != nil {
			return "", err
		}
		if n == 1 {
			return h, nil
		}
	}
	return "", fmt.Errorf("all of %d handles: %w", len(handles), sandlot.ErrExists)
}

func (store AccountStore) Account(ctx context.Context, id sandlot.AccountID) (sandlot.Account, error) {
	return one(ctx, store.db, scanAccount, "SELECT "+accountColumns+" FROM accounts WHERE id = ? AND deleted_at IS NULL", id)
}

func (store AccountStore) SetEmail(
	ctx context.Context, id sandlot.AccountID, address string, job sandlot.Job, checked int64,
) error {
	return in("set email", store.db.onAccount(ctx, id, func(t *tx) error {
		verified, err := t.number("SELECT verified FROM accounts WHERE id = ? AND deleted_at IS NULL", id)
		if err != nil {
			return err
		}
		records, err := t.newEmail(id, verified == 1, &publish.NewEmail{Address: address, Job: job})
		if err != nil {
			return err
		}
		return t.Run(append(records, sameBlocks(t, checked)...)...)
	}))
}

// pendingEmail is newEmail for an account whose state is still to be read.
func pendingEmail(t *tx, id sandlot.AccountID, e *publish.NewEmail) ([]engine.Statement, error) {
	if e == nil {
		return nil, nil
	}
	verified, err := t.number("SELECT verified FROM accounts WHERE id = ?", id)
	if err != nil {
		return nil, err
	}
	return t.newEmail(id, verified == 1, e)
}

// newEmail makes e the unverified address of an account that is locked and has no verified one; nil changes nothing.
func (t *tx) newEmail(id sandlot.AccountID, verified bool, e *publish.NewEmail) ([]engine.Statement, error) {
	switch {
	case e == nil:
		return nil, nil
	case verified:
		return nil, sandlot.ErrVerified
	}
	records := []engine.Statement{
		do("UPDATE accounts SET email = ?, mailbox = ? WHERE id = ?", e.Address, names.EmailKey(e.Address), id),
		do("DELETE FROM verifications WHERE account = ? AND email <> ?", id, e.Address),
	}
	if e.Job.Kind == "" {
		return records, nil
	}
	job, err := t.newJob(e.Job, id)
	return append(records, job), err
}

// active fails unless an account is there and not suspended.
func (t *tx) active(id sandlot.AccountID) error {
	suspended, err := t.number("SELECT suspended_at IS NOT NULL FROM accounts WHERE id = ? AND deleted_at IS NULL", id)
	if err == nil && suspended == 1 {
		err = sandlot.ErrSuspended
	}
	return err
}

// mayAct fails if the caller's key is revoked or its account is suspended by now; 0 is none.
func (t *tx) mayAct(key int64) error {
	if key == 0 {
		return nil
	}
	suspended, err := t.number(`SELECT a.suspended_at IS NOT NULL FROM keys k JOIN accounts a ON a.id = k.account
		WHERE k.revoked_at IS NULL AND k.id = ? AND a.deleted_at IS NULL`, key)
	switch {
	case errors.Is(err, sandlot.ErrNotFound):
		return sandlot.ErrRevoked
	case err == nil && suspended == 1:
		return sandlot.ErrSuspended
	}
	return err
}

// newKey records a key of an account, and of one project of it if project is not nil.
func newKey(k sandlot.Key, account sandlot.AccountID, project *int64) engine.Statement {
	return do(`INSERT INTO keys (hash, account, project, name, last_four, created_at, last_used_at, edits, client)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, nullif(CAST(? AS TEXT), ''))`,
		k.Hash[:], account, project, k.Name, k.LastFour, micros(k.CreatedAt), micros(k.LastUsedAt), k.Kind == sandlot.EditToken, k.Client)
}

const selectKey = `
	SELECT k.id, k.hash, k.account, coalesce(p.id, ''), k.name, k.last_four, k.created_at, k.last_used_at, k.edits,
		a.suspended_at IS NOT NULL, coalesce(k.client, '')
	FROM keys k JOIN accounts a ON a.id = k.account LEFT JOIN projects p ON p.num = k.project
	WHERE a.deleted_at IS NULL AND p.deleted_at IS NULL AND k.revoked_at IS NULL AND `

func (store Credentials) KeyByHash(ctx context.Context, hash sandlot.Digest) (sandlot.Key, error) {
	return one(ctx, store.db, scanKey, selectKey+"k.client IS NULL AND k.hash = ?", hash[:])
}

func scanKey(r row) (k sandlot.Key, err error) {
	var edits bool
	err = r.Scan(&k.ID, asDigest{&k.Hash}, &k.Account, &k.Project, &k.Name, &k.LastFour, asTime{&k.CreatedAt}, asTime{&k.LastUsedAt},
		&edits, &k.Suspended, &k.Client)
	switch {
	case edits:
		k.Kind = sandlot.EditToken
	case k.Project != "":
		k.Kind = sandlot.ProjectKey
	default:
		k.Kind = sandlot.AccountKey
	}
	return k, err
}

// Keys that are not there are passed over.
func (store Credentials) TouchKeys(ctx context.Context, used map[int64]time.Time) error {
	return in("touch keys", store.db.step(ctx, nil, func(t *tx) error {
		for _, id := range slices.Sorted(maps.Keys(used)) { // in one order, against deadlocks with other steps
			at := micros(used[id])
			if err := t.do("UPDATE keys SET last_used_at = ? WHERE id = ? AND last_used_at < ?", at, id, at); err != nil {
				return err
			}
		}
		return nil
	}))
}

func (store SecretStore) Secret(ctx context.Context, name string, fresh []byte) ([]byte, error) {
	secret, err := store.KnownSecret(ctx, name)
	if !errors.Is(err, sandlot.ErrNotFound) {
		return secret, err
	}
	err = store.db.step(ctx, nil, func(t *tx) error {
		if err := t.do("INSERT INTO secrets (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING", name, orEmpty(fresh)); err != nil {
			return err
		}
		secret, err = one(ctx, t, scanValue[[]byte], selectSecret, name)
		return err
	})
	return secret, in("record secret", err)
}

const selectSecret = "SELECT value FROM secrets WHERE name = ?"

// KnownSecret is a secret that was made before, and sandlot.ErrNotFound where none was.
func (store SecretStore) KnownSecret(ctx context.Context, name string) ([]byte, error) {
	return one(ctx, store.db, scanValue[[]byte], selectSecret, name)
}
