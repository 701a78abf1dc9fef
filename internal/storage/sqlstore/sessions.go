package sqlstore

import (
	"context"
	"time"

	"sandlot"
)

const sessionColumns = "s.id, s.account, s.agent, s.created_at, s.proved_at, s.seen_at, s.expires_at"

func scanSession(r row) (s sandlot.Session, err error) {
	err = r.Scan(&s.ID, &s.Account, &s.Agent, asTime{&s.CreatedAt}, asTime{&s.ProvedAt}, asTime{&s.SeenAt}, asTime{&s.ExpiresAt})
	return s, err
}

// AddSession records a session under the hash of its token, and returns its ID.
func (store SessionStore) AddSession(ctx context.Context, token sandlot.Digest, s sandlot.Session) (id int64, err error) {
	err = store.db.step(ctx, 0, func(t *tx) error {
		id, err = t.addSession(token, s)
		return err
	})
	return id, in("add session", err)
}

func (t *tx) addSession(token sandlot.Digest, s sandlot.Session) (id int64, err error) {
	return t.insert("id", "INSERT INTO sessions (hash, account, agent, created_at, proved_at, seen_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
		token[:], s.Account, s.Agent, micros(s.CreatedAt), micros(s.ProvedAt), micros(s.SeenAt), micros(s.ExpiresAt))
}

func (store Credentials) Session(ctx context.Context, token sandlot.Digest, now time.Time) (sandlot.Session, sandlot.Account, error) {
	var a sandlot.Account
	s, err := one(ctx, store.db, func(r row) (s sandlot.Session, err error) {
		err = r.Scan(&s.ID, &s.Account, &s.Agent, asTime{&s.CreatedAt}, asTime{&s.ProvedAt}, asTime{&s.SeenAt}, asTime{&s.ExpiresAt},
			&a.Handle, &a.Email, &a.EmailVerified, &a.Lang, &a.Suspended, asTime{&a.CreatedAt}, &a.Portrait)
		a.ID = s.Account
		return s, err
	}, "SELECT "+sessionColumns+`, a.handle, a.email, a.verified, a.lang, a.suspended_at IS NOT NULL, a.created_at, a.portrait
		FROM sessions s JOIN accounts a ON a.id = s.account WHERE s.hash = ? AND s.expires_at > ? AND a.deleted_at IS NULL`, token[:], micros(now))
	return s, a, in("read session", err)
}

func (store Credentials) SeeSession(ctx context.Context, id int64, seen, expires time.Time) error {
	return in("see session", store.db.must(ctx, sandlot.ErrNotFound, "UPDATE sessions SET seen_at = ?, expires_at = ? WHERE id = ?", micros(seen), micros(expires), id))
}

func (store SessionStore) Sessions(ctx context.Context, id sandlot.AccountID, now time.Time) ([]sandlot.Session, error) {
	return all(ctx, store.db, scanSession, "SELECT "+sessionColumns+" FROM sessions s WHERE s.account = ? AND s.expires_at > ? ORDER BY s.id DESC", id, micros(now))
}

func (store SessionStore) EndSession(ctx context.Context, account sandlot.AccountID, id int64) error {
	return in("end session", store.db.must(ctx, sandlot.ErrNotFound, "DELETE FROM sessions WHERE account = ? AND id = ?", account, id))
}

func (store SessionStore) EndSessions(ctx context.Context, account sandlot.AccountID, but int64) error {
	return in("end sessions", store.db.run(ctx, do("DELETE FROM sessions WHERE account = ? AND id <> ?", account, but)))
}
