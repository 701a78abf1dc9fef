package sqlstore

import (
	"context"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/format/names"
	"sandlot/internal/storage/sqlstore/engine"
)

// Identities is the store of an account.Provided.
type Identities struct {
	db *DB
	SecretStore
	SessionStore
}

func (db *DB) Identities() Identities { return Identities{db, SecretStore{db}, SessionStore{db}} }

func (store Identities) AccountOfIdentity(ctx context.Context, i account.Identity) (sandlot.Account, error) {
	return one(ctx, store.db, scanAccount, "SELECT "+accountColumns+` FROM accounts
		WHERE id = (SELECT account FROM identities WHERE issuer = ? AND subject = ?) AND deleted_at IS NULL`, i.Issuer, i.Subject)
}

func (store Identities) AccountsOf(ctx context.Context, email string, limit int) ([]sandlot.Account, error) {
	return LoginStore{store.db}.AccountsOf(ctx, email, limit)
}

func (store Identities) LinkIdentity(
	ctx context.Context, i account.Identity, id sandlot.AccountID, email string, at time.Time,
) error {
	return in("link identity", store.db.onAccount(ctx, id, func(t *tx) error {
		if _, err := t.number("SELECT 1 FROM accounts WHERE id = ? AND email = ? AND verified = 1 AND deleted_at IS NULL",
			id, email); err != nil {
			return err
		}
		return t.link(i, id, at)
	}))
}

// link records an identity of an account.
func (t *tx) link(i account.Identity, id sandlot.AccountID, at time.Time) error {
	return t.must(sandlot.ErrExists, `INSERT INTO identities (issuer, subject, account, linked_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (issuer, subject) DO NOTHING`, i.Issuer, i.Subject, id, micros(at))
}

func (store Identities) OpenAccount(ctx context.Context, i account.Identity, n account.NewPerson) (a sandlot.Account, err error) {
	err = store.db.step(ctx, nil, func(t *tx) error {
		var verifiedAt any
		if n.EmailVerified {
			if err := mayVerify(t, n.Email); err != nil {
				return err
			}
			verifiedAt = micros(n.CreatedAt)
		}
		id, err := t.insert("id", `INSERT INTO accounts (handle, email, mailbox, verified, verified_at, lang, created_at)
			VALUES (?, ?, ?, ?, ?, ?, ?)`,
			n.Handles[0], n.Email, names.EmailKey(n.Email), n.EmailVerified, verifiedAt, n.Lang, micros(n.CreatedAt))
		if err != nil {
			return err
		}
		a = sandlot.Account{
			ID: sandlot.AccountID(id), Email: n.Email, EmailVerified: n.EmailVerified, Lang: n.Lang, CreatedAt: stored(n.CreatedAt),
		}
		if err := t.link(i, a.ID, n.CreatedAt); err != nil {
			return err
		}
		if a.Handle, err = takeHandle(t, a.ID, n.Handles, time.Time{}); err != nil {
			return err
		}
		records := append([]engine.Statement{do("UPDATE accounts SET handle = ? WHERE id = ?", a.Handle, a.ID)}, sameBlocks(t, n.Blocks)...)
		if n.Job == nil {
			return t.Run(records...)
		}
		job, err := t.newJob(*n.Job, a.ID)
		if err != nil {
			return err
		}
		return t.Run(append([]engine.Statement{job}, records...)...)
	})
	return a, in("open account", err)
}
