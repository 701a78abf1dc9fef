package sqlstore

import (
	"context"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/format/names"
	"sandlot/internal/storage/sqlstore/engine"
)

// A move counts while its account is there and it has not expired; a proposal only if none came after it and it was
// not withdrawn, which takes its address.
const selectMove = `SELECT m.id, m.account, a.handle, m.email, m.undo, m.expires_at
	FROM email_moves m JOIN accounts a ON a.id = m.account
	WHERE a.deleted_at IS NULL AND m.expires_at > ?1 AND m.email <> ''
	AND (m.undo = 1 OR NOT EXISTS (SELECT 1 FROM email_moves l WHERE l.account = m.account AND l.id > m.id AND l.undo = 0)) AND `

type move struct {
	account.EmailMove
	id int64
}

func scanMove(r row) (m move, err error) {
	err = r.Scan(&m.id, &m.Account, &m.Handle, &m.Email, &m.Undo, asTime{&m.ExpiresAt})
	return m, err
}

func moveOf(ctx context.Context, q querier, token sandlot.Digest, undo bool, now time.Time) (move, error) {
	return one(ctx, q, scanMove, selectMove+"m.id = (SELECT move FROM email_links WHERE token = ?2) AND m.undo = ?3",
		micros(now), token[:], undo)
}

func (t *tx) moveOf(ctx context.Context, token sandlot.Digest, undo bool, now time.Time) (m move, err error) {
	err = t.lock(`SELECT id FROM accounts WHERE id = (SELECT m.account FROM email_links k JOIN email_moves m ON m.id = k.move
		WHERE k.token = ?)`, token[:])
	if err != nil {
		return m, err
	}
	return moveOf(ctx, t, token, undo, now)
}

func (store RecoveryStore) ProposeEmail(ctx context.Context, m account.EmailMove, job sandlot.Job, now time.Time, limit int) error {
	return in("propose address", store.db.onAccount(ctx, m.Account, func(t *tx) error {
		if err := t.active(m.Account); err != nil {
			return err
		}
		if err := t.below(int64(limit), account.ErrTooOften,
			"SELECT count(*) FROM email_moves WHERE account = ? AND undo = 0 AND expires_at > ? AND expires_at <= ?",
			m.Account, micros(now), notAfter(m.ExpiresAt)); err != nil {
			return err
		}
		m.Undo = false
		if err := addMove(t, m); err != nil {
			return err
		}
		return t.addJob(job, m.Account)
	}))
}

func addMove(t *tx, m account.EmailMove) error {
	return t.do("INSERT INTO email_moves (account, email, undo, expires_at) VALUES (?, ?, ?, ?)",
		m.Account, m.Email, m.Undo, micros(m.ExpiresAt))
}

func (store RecoveryStore) ProposedEmail(ctx context.Context, id sandlot.AccountID, now time.Time) (account.EmailMove, error) {
	m, err := one(ctx, store.db, scanMove, selectMove+"m.account = ?2 AND m.undo = 0 ORDER BY m.id DESC LIMIT 1", micros(now), id)
	return m.EmailMove, in("read proposed address", err)
}

func (store RecoveryStore) WithdrawEmail(ctx context.Context, id sandlot.AccountID) error {
	return in("withdraw address", store.db.onAccount(ctx, id, func(t *tx) error {
		return t.Run(
			do("DELETE FROM email_links WHERE move IN (SELECT id FROM email_moves WHERE account = ? AND undo = 0)", id),
			do("UPDATE email_moves SET email = '' WHERE account = ? AND undo = 0", id),
		)
	}))
}

func (store Mail) AddEmailLink(ctx context.Context, token sandlot.Digest, m account.EmailMove, now time.Time) (handle string, err error) {
	err = store.db.onAccount(ctx, m.Account, func(t *tx) error {
		found, err := one(ctx, t, scanMove,
			selectMove+"m.account = ?2 AND m.email = ?3 AND m.undo = ?4 AND a.suspended_at IS NULL ORDER BY m.id DESC LIMIT 1",
			micros(now), m.Account, m.Email, m.Undo)
		if err != nil {
			return err
		}
		handle = found.Handle
		return t.do("INSERT INTO email_links (token, move) VALUES (?, ?)", token[:], found.id)
	})
	return handle, in("add link of an address", err)
}

func (store RecoveryStore) EmailLink(ctx context.Context, token sandlot.Digest, undo bool, now time.Time) (account.EmailMove, error) {
	m, err := moveOf(ctx, store.db, token, undo, now)
	return m.EmailMove, in("read link of an address", err)
}

func (store RecoveryStore) TakeEmail(
	ctx context.Context, token sandlot.Digest, now, undoUntil time.Time, notice sandlot.Job, checked int64,
) (a sandlot.Account, err error) {
	err = store.db.changeAccount(ctx, &a.ID, func(t *tx) error {
		m, err := t.moveOf(ctx, token, false, now)
		if err != nil {
			return err
		}
		old, err := one(ctx, t, scanAccount, "SELECT "+accountColumns+" FROM accounts WHERE id = ?", m.Account)
		if err != nil {
			return err
		}
		if a, err = moveEmail(t, m, 0, now); err != nil {
			return err
		}
		if !old.EmailVerified || old.Email == m.Email {
			return t.Run(sameBlocks(t, checked)...)
		}
		if err := addMove(t, account.EmailMove{Account: m.Account, Email: old.Email, Undo: true, ExpiresAt: undoUntil}); err != nil {
			return err
		}
		notice.Address, notice.Lang = old.Email, old.Lang
		if err := t.addJob(notice, m.Account); err != nil {
			return err
		}
		return t.Run(sameBlocks(t, checked)...)
	})
	return a, in("take address", err)
}

func (store RecoveryStore) TakeEmailBack(
	ctx context.Context, token sandlot.Digest, now time.Time,
) (a sandlot.Account, err error) {
	err = store.db.changeAccount(ctx, &a.ID, func(t *tx) error {
		m, err := t.moveOf(ctx, token, true, now)
		if err != nil {
			return err
		}
		if a, err = moveEmail(t, m, m.id, now); err != nil {
			return err
		}
		return t.do("DELETE FROM sessions WHERE account = ?", m.Account)
	})
	return a, in("take address back", err)
}

// moveEmail makes m's address the account's, and ends the ways to other addresses: links, proposals, and the moves from
// undo on; 0 is none.
func moveEmail(t *tx, m move, undo int64, now time.Time) (sandlot.Account, error) {
	t.changed.Account = m.Account
	if err := mayVerify(t, m.Email); err != nil {
		return sandlot.Account{}, err
	}
	err := t.Run(
		do("DELETE FROM email_links WHERE move IN (SELECT id FROM email_moves WHERE account = ?1 AND (undo = 0 OR ?2 > 0 AND id >= ?2))",
			m.Account, undo),
		do("DELETE FROM email_moves WHERE account = ?1 AND (undo = 0 OR ?2 > 0 AND id >= ?2)", m.Account, undo),
		do("DELETE FROM verifications WHERE account = ?", m.Account),
		do("UPDATE sessions SET proved_at = 0 WHERE account = ?", m.Account), // of another address
		dropPublishers(m.Account),
	)
	if err != nil {
		return sandlot.Account{}, err
	}
	a, err := one(context.Background(), t, scanAccount,
		"UPDATE accounts SET changed = changed + 1, email = ?, mailbox = ?, verified = 1 WHERE id = ? RETURNING "+accountColumns,
		m.Email, names.EmailKey(m.Email), m.Account)
	if err != nil {
		return a, err
	}
	return a, endFieldHolds(t, m.Account, now)
}

// dropMoves forgets the moves that have expired, with their links, and has the messages to their addresses deleted.
func (s *sweep) dropMoves(now time.Time) error {
	err := s.times(`DELETE FROM email_links WHERE token IN (SELECT k.token FROM email_moves m JOIN email_links k ON k.move = m.id
		WHERE m.expires_at <= ? LIMIT ?)`, micros(now))
	if err != nil || s.left <= 0 {
		return err
	}
	moves, err := all(context.Background(), s, scanValue[int64],
		`SELECT id FROM email_moves WHERE expires_at <= ?
			ORDER BY expires_at, id LIMIT ?`+s.dialect.Locked("email_moves"), micros(now), s.left)
	if err != nil {
		return err
	}
	if err := s.Run(
		do(`INSERT INTO forgets (account, email, proved) SELECT account, email, 0 FROM email_moves WHERE `+s.amongNumbers("id")+
			" ON CONFLICT DO NOTHING", engine.List(moves)),
		do("DELETE FROM email_moves WHERE "+s.amongNumbers("id"), engine.List(moves)),
	); err != nil {
		return err
	}
	s.left -= len(moves)
	return nil
}
