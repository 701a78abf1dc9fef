package sqlstore

import (
	"context"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
)

const loginColumns = "id, browser, email, back, tries, proved, asked_at, expires_at"

func scanLogin(r row) (l account.Login, err error) {
	err = r.Scan(&l.ID, asDigest{&l.Browser}, &l.Email, &l.Back, &l.Tries, &l.Proved, asTime{&l.AskedAt}, asTime{&l.ExpiresAt})
	return l, err
}

func (store LoginStore) AddLogin(ctx context.Context, l account.Login, job sandlot.Job) (id int64, err error) {
	err = store.db.step(ctx, nil, func(t *tx) error {
		if err := t.alone(l.Browser); err != nil {
			return err
		}
		if err := t.do("DELETE FROM logins WHERE browser = ?", l.Browser[:]); err != nil {
			return err
		}
		id, err = t.insert("id", `INSERT INTO logins (browser, email, back, tries, proved, asked_at, expires_at)
			VALUES (?, ?, ?, 0, 0, ?, ?)`,
			l.Browser[:], l.Email, l.Back, micros(l.AskedAt), micros(l.ExpiresAt))
		if err != nil {
			return err
		}
		job.Login = id
		return t.addJob(job, 0)
	})
	return id, in("add login", err)
}

func (store LoginStore) Login(ctx context.Context, browser sandlot.Digest, now time.Time) (account.Login, error) {
	return one(ctx, store.db, scanLogin,
		"SELECT "+loginColumns+" FROM logins WHERE browser = ? AND expires_at > ?", browser[:], micros(now))
}

func (store LoginStore) LoginOfToken(ctx context.Context, token sandlot.Digest, now time.Time) (account.Login, error) {
	return one(ctx, store.db, scanLogin, "SELECT "+loginColumns+" FROM logins WHERE token = ? AND expires_at > ?", token[:], micros(now))
}

// Among addresses that differ in case it prefers the exact one.
func (store Mail) WriteLogin(ctx context.Context, id int64, m account.LoginMessage, now time.Time) (address string, err error) {
	err = store.db.step(ctx, nil, func(t *tx) error {
		asked, err := one(ctx, t, scanValue[string],
			"SELECT email FROM logins WHERE id = ? AND proved = 0 AND expires_at > ?"+t.dialect.Locked("logins"), id, micros(now))
		if err != nil {
			return err
		}
		spelled, err := all(ctx, t, scanValue[string],
			"SELECT email FROM accounts WHERE "+t.dialect.EqualFold("email", "?")+
				" AND verified = 1 AND deleted_at IS NULL LIMIT 100", asked)
		if err != nil {
			return err
		}
		if len(spelled) == 0 {
			return sandlot.ErrNotFound
		}
		address = spelled[0]
		for _, one := range spelled {
			if one == asked {
				address = one
			}
		}
		return t.do("UPDATE logins SET token = ?, code = ?, email = ?, expires_at = ? WHERE id = ?",
			m.Token[:], m.Code[:], address, micros(m.ExpiresAt), id)
	})
	return address, in("write login", err)
}

func (store LoginStore) ProveLogin(ctx context.Context, browser, token sandlot.Digest, now time.Time) error {
	return in("prove login", store.db.must(ctx, sandlot.ErrNotFound,
		"UPDATE logins SET proved = 1, token = NULL, code = NULL WHERE token = ? AND browser = ? AND expires_at > ?",
		token[:], browser[:], micros(now)))
}

func (store LoginStore) TryLogin(ctx context.Context, id int64, code sandlot.Digest, most int, now time.Time) (right bool, err error) {
	err = store.db.step(ctx, nil, func(t *tx) error {
		// Tries come one after the other: of many at once, no more than most are checked.
		if _, err := t.number("SELECT id FROM logins WHERE id = ?"+t.dialect.Locked("logins"), id); err != nil {
			return err
		}
		n, err := t.Exec("UPDATE logins SET proved = 1, token = NULL, code = NULL WHERE id = ? AND code = ? AND expires_at > ?",
			id, code[:], micros(now))
		if right = n == 1; right || err != nil {
			return err
		}
		if err := t.must(sandlot.ErrNotFound,
			"UPDATE logins SET tries = tries + 1 WHERE id = ? AND proved = 0 AND expires_at > ?", id, micros(now)); err != nil {
			return err
		}
		return t.do("DELETE FROM logins WHERE id = ? AND tries >= ?", id, most)
	})
	return right, in("try login", err)
}

func (store LoginStore) LogIn(ctx context.Context, login int64, token sandlot.Digest, s, had sandlot.Session) (id int64, err error) {
	err = store.db.onAccount(ctx, s.Account, func(t *tx) error {
		email, err := one(ctx, t, scanValue[string],
			"SELECT email FROM logins WHERE id = ? AND proved = 1"+t.dialect.Locked("logins"), login)
		if err != nil {
			return err
		}
		if _, err := t.number("SELECT 1 FROM accounts WHERE id = ? AND email = ? AND verified = 1 AND deleted_at IS NULL",
			s.Account, email); err != nil {
			return err
		}
		if err := t.Run(
			do("DELETE FROM logins WHERE id = ?", login),
			do("DELETE FROM sessions WHERE account = ? AND id = ?", had.Account, had.ID),
		); err != nil {
			return err
		}
		id, err = t.addSession(token, s)
		return err
	})
	return id, in("log in", err)
}

func (store LoginStore) AccountsOf(ctx context.Context, email string, limit int) ([]sandlot.Account, error) {
	return all(ctx, store.db, scanAccount, "SELECT "+accountColumns+` FROM accounts
		WHERE `+store.db.dialect.EqualFold("email", "?")+
		` AND email = ? AND verified = 1 AND deleted_at IS NULL ORDER BY id LIMIT ?`, email, email, limit)
}

func (store Mail) Claimant(ctx context.Context, id int64, now time.Time) (sandlot.Account, error) {
	return one(ctx, store.db, scanAccount, "SELECT "+accountColumns+` FROM accounts WHERE id = (
		SELECT a.id FROM logins l JOIN accounts a ON a.mailbox = l.mailbox
		WHERE l.id = ? AND l.proved = 0 AND l.expires_at > ? AND a.verified = 0 AND `+store.db.dialect.EqualFold("a.email", "l.email")+
		` AND a.deleted_at IS NULL AND a.suspended_at IS NULL
		ORDER BY a.id DESC LIMIT 1)`, id, micros(now))
}

func (store LoginStore) CountProjects(ctx context.Context, id sandlot.AccountID) (int, error) {
	return one(ctx, store.db, scanValue[int], "SELECT projects FROM accounts WHERE id = ? AND deleted_at IS NULL", id)
}

const sessionColumns = "s.id, s.account, s.agent, s.created_at, s.proved_at, s.seen_at, s.expires_at"

func scanSession(r row) (s sandlot.Session, err error) {
	err = r.Scan(&s.ID, &s.Account, &s.Agent, asTime{&s.CreatedAt}, asTime{&s.ProvedAt}, asTime{&s.SeenAt}, asTime{&s.ExpiresAt})
	return s, err
}

func (store SessionStore) AddSession(ctx context.Context, token sandlot.Digest, s sandlot.Session) (id int64, err error) {
	err = store.db.step(ctx, nil, func(t *tx) error {
		id, err = t.addSession(token, s)
		return err
	})
	return id, in("add session", err)
}

func (t *tx) addSession(token sandlot.Digest, s sandlot.Session) (id int64, err error) {
	return t.insert("id", `INSERT INTO sessions (hash, account, agent, created_at, proved_at, seen_at, expires_at)
		VALUES (?, ?, ?, ?, ?, ?, ?)`,
		token[:], s.Account, s.Agent, micros(s.CreatedAt), micros(s.ProvedAt), micros(s.SeenAt), micros(s.ExpiresAt))
}

func (store Credentials) Session(ctx context.Context, token sandlot.Digest, now time.Time) (sandlot.Session, sandlot.Account, error) {
	var a sandlot.Account
	s, err := one(ctx, store.db, func(r row) (s sandlot.Session, err error) {
		err = r.Scan(&s.ID, &s.Account, &s.Agent, asTime{&s.CreatedAt}, asTime{&s.ProvedAt}, asTime{&s.SeenAt}, asTime{&s.ExpiresAt},
			&a.Handle, &a.Email, &a.EmailVerified, &a.Lang, &a.Suspended, asTime{&a.CreatedAt}, &a.Portrait,
			&a.Role, &a.MostProjects, &a.Trusted)
		a.ID = s.Account
		return s, err
	}, "SELECT "+sessionColumns+`, a.handle, a.email, a.verified, a.lang, a.suspended_at IS NOT NULL, a.created_at, a.portrait,
			a.role, a.most_projects, a.trusted_at IS NOT NULL
		FROM sessions s JOIN accounts a ON a.id = s.account
		WHERE s.hash = ? AND s.expires_at > ? AND a.deleted_at IS NULL`, token[:], micros(now))
	return s, a, in("read session", err)
}

func (store Credentials) SeeSession(ctx context.Context, id int64, seen, expires time.Time) error {
	return in("see session", store.db.must(ctx, sandlot.ErrNotFound,
		"UPDATE sessions SET seen_at = ?, expires_at = ? WHERE id = ?", micros(seen), micros(expires), id))
}

func (store SessionStore) Sessions(ctx context.Context, id sandlot.AccountID, now time.Time) ([]sandlot.Session, error) {
	return all(ctx, store.db, scanSession,
		"SELECT "+sessionColumns+" FROM sessions s WHERE s.account = ? AND s.expires_at > ? ORDER BY s.id DESC", id, micros(now))
}

func (store SessionStore) EndSession(ctx context.Context, account sandlot.AccountID, id int64) error {
	return in("end session", store.db.must(ctx, sandlot.ErrNotFound, "DELETE FROM sessions WHERE account = ? AND id = ?", account, id))
}

func (store SessionStore) EndSessions(ctx context.Context, account sandlot.AccountID, but int64) error {
	return in("end sessions", store.db.run(ctx, do("DELETE FROM sessions WHERE account = ? AND id <> ?", account, but)))
}
