package sqlstore

import (
	"context"
	"errors"
	"time"

	"sandlot"
	"sandlot/internal/format/names"
)

const stopColumns = "mailbox, kind, at, until"

func scanStop(r row) (s sandlot.Stop, err error) {
	var until int64
	err = r.Scan(asDigest{&s.Mailbox}, &s.Kind, asTime{&s.At}, &until)
	if until > 0 {
		s.Until = time.UnixMicro(until).UTC()
	}
	return s, err
}

// ofMailbox finds addresses for which names.EmailKey returns ?1, by a column that
// the database makes of the address.
const ofMailbox = "mailbox = ?1"

// A proposal stays without its address: it
// is the last one still, so that none before it counts again.
func (store StopStore) StopMail(ctx context.Context, s sandlot.Stop, key string) error {
	queries := []string{"DELETE FROM logins WHERE " + ofMailbox}
	if s.Kind == sandlot.StopClaims {
		queries = append(queries,
			"DELETE FROM verifications WHERE account IN (SELECT id FROM accounts WHERE verified = 0 AND "+ofMailbox+")",
			"UPDATE accounts SET email = '', mailbox = '' WHERE verified = 0 AND "+ofMailbox,
			"DELETE FROM email_links WHERE move IN (SELECT id FROM email_moves WHERE undo = 0 AND "+ofMailbox+")",
			"UPDATE email_moves SET email = '' WHERE undo = 0 AND "+ofMailbox)
	}
	return in("stop mail", store.db.step(ctx, 0, func(t *tx) error {
		if s.Kind == sandlot.StopClaims {
			if err := t.lock("SELECT id FROM accounts WHERE verified = 0 AND "+ofMailbox+" ORDER BY id", key); err != nil {
				return err
			}
		}
		for _, query := range queries {
			if err := t.do(query, key); err != nil {
				return err
			}
		}
		return t.setStop(s)
	}))
}

// setStop records a stop in place of an earlier one of its kind.
func (t *tx) setStop(s sandlot.Stop) error {
	until := int64(0)
	if !s.Until.IsZero() {
		until = micros(s.Until)
	}
	if err := t.alone(s.Mailbox); err != nil {
		return err
	}
	return t.Run(
		do(deleteStop, s.Mailbox[:], s.Kind),
		do("INSERT INTO stops (mailbox, kind, at, until) VALUES (?, ?, ?, ?)", s.Mailbox[:], s.Kind, micros(s.At), until),
	)
}

func (store StopStore) StopOf(ctx context.Context, mailbox sandlot.Digest, kind string, now time.Time) (sandlot.Stop, error) {
	return one(ctx, store.db, scanStop, "SELECT "+stopColumns+" FROM stops WHERE mailbox = ? AND kind = ? AND (until = 0 OR until > ? AND at <= ?)", mailbox[:], kind, micros(now), notAfter(now))
}

const deleteStop = "DELETE FROM stops WHERE mailbox = ? AND kind = ?"

func (store StopStore) LiftStop(ctx context.Context, mailbox sandlot.Digest, kind string) error {
	return in("lift stop", store.db.run(ctx, do(deleteStop, mailbox[:], kind)))
}

func (store Operate) Stops(ctx context.Context, mailbox *sandlot.Digest, now time.Time, skip, limit int) ([]sandlot.Stop, error) {
	const of, order = "SELECT " + stopColumns + " FROM stops WHERE (until = 0 OR until > ?) AND ", " ORDER BY id DESC LIMIT ? OFFSET ?"
	query, args := of+"id > 0"+order, []any{micros(now), limit, skip}
	if mailbox != nil {
		query, args = of+"mailbox = ?"+order, []any{micros(now), mailbox[:], limit, skip}
	}
	return all(ctx, store.db, scanStop, query, args...)
}

func (store Operate) LiftStops(ctx context.Context, mailbox sandlot.Digest, e sandlot.LogEntry) error {
	return in("lift stops", store.db.step(ctx, 0, func(t *tx) error {
		err := t.must(sandlot.ErrNotFound, "DELETE FROM stops WHERE mailbox = ? AND (until = 0 OR until > ?)", mailbox[:], micros(e.At))
		if err != nil {
			return err
		}
		return t.Run(newEntry(e))
	}))
}

// reserveMailbox keeps the mailbox of an account that was suspended from verifying another. An address that was not verified may be a stranger's.
func reserveMailbox(ctx context.Context, t *tx, id sandlot.AccountID, at time.Time) error {
	a, err := one(ctx, t, scanAccount, "SELECT "+accountColumns+" FROM accounts WHERE id = ?", id)
	if err != nil || !a.EmailVerified {
		return err
	}
	return t.setStop(sandlot.Stop{Mailbox: sandlot.MailboxOf(a.Email), Kind: sandlot.StopSuspended, At: at})
}

// yieldMailbox ends the reservation of reserveMailbox, unless another account with the mailbox is suspended.
func yieldMailbox(ctx context.Context, t *tx, id sandlot.AccountID) error {
	a, err := one(ctx, t, scanAccount, "SELECT "+accountColumns+" FROM accounts WHERE id = ?", id)
	if err != nil || !a.EmailVerified {
		return err
	}
	mailbox := sandlot.MailboxOf(a.Email)
	if err := t.alone(mailbox); err != nil {
		return err
	}
	return t.do(deleteStop+" AND NOT EXISTS (SELECT 1 FROM accounts WHERE mailbox = ? AND verified = 1 AND suspended_at IS NOT NULL)",
		mailbox[:], sandlot.StopSuspended, names.EmailKey(a.Email))
}

// mayVerify returns sandlot.ErrSuspended for an address whose mailbox is reserved.
func mayVerify(t *tx, email string) error {
	mailbox := sandlot.MailboxOf(email)
	if err := t.alone(mailbox); err != nil {
		return err
	}
	_, err := t.number("SELECT 1 FROM stops WHERE mailbox = ? AND kind = ?", mailbox[:], sandlot.StopSuspended)
	switch {
	case err == nil:
		return sandlot.ErrSuspended
	case errors.Is(err, sandlot.ErrNotFound):
		return nil
	}
	return err
}
