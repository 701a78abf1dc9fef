package sqlstore

import (
	"context"
	"errors"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/operate"
	"sandlot/internal/format/names"
)

const reportColumns = "number, project, reason, details, contact, via, network, at, coalesce(closed_at, 0)"

func scanReport(r row) (p operate.Report, err error) {
	var network []byte // empty once it was deleted
	err = r.Scan(&p.Case, &p.Project, &p.Reason, &p.Details, &p.Contact, &p.Via, &network, asTime{&p.At}, sometime{&p.ClosedAt})
	copy(p.Network[:], network)
	return p, err
}

// The owner's lock lets the reports of a project come one after another: each sees those before it.
func (store Operate) AddReport(ctx context.Context, r operate.Report, f operate.Filing) (out operate.Filed, err error) {
	err = store.db.step(ctx, nil, func(t *tx) error {
		out = operate.Filed{}
		if err := t.lockOwner(r.Project); err != nil {
			return err
		}
		if err := t.alone(f.Form); err != nil {
			return err
		}
		out.Number, err = one(ctx, t, scanValue[string], "SELECT number FROM reports WHERE form = ?", f.Form[:])
		if !errors.Is(err, sandlot.ErrNotFound) {
			return err
		}
		if err := t.below(1, sandlot.ErrExists, "SELECT count(*) FROM reports WHERE number = ?", r.Case); err != nil {
			return err
		}
		id, err := t.insert("id", `INSERT INTO reports (number, form, project, reason, details, contact, via, network, at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			r.Case, f.Form[:], string(r.Project), r.Reason, r.Details, r.Contact, string(r.Via), r.Network[:], micros(r.At))
		if err != nil {
			return err
		}
		out.Number, out.New = r.Case, true
		if err := mailReport(t, r, id, f.Mail); err != nil || f.Hold == nil {
			return err
		}
		out.Held, err = holdByReports(ctx, t, r, *f.Hold)
		return err
	})
	return out, in("add report", err)
}

// mailReport enqueues the message about a report, unless one about another report of the project is under way.
func mailReport(t *tx, r operate.Report, id int64, j *sandlot.Job) error {
	if j == nil {
		return nil
	}
	now, wait := micros(r.At), operate.ReportMailWait.Microseconds()
	last, err := t.number("SELECT coalesce(max(mailed), 0) FROM reports WHERE project = ?", string(r.Project))
	if err != nil || last > now && last <= now+wait { // later than that it is from a wrong clock
		return err
	}
	due := now
	if last <= now {
		due = max(now, last+wait)
	}
	j.Due = time.UnixMicro(due).UTC()
	job, err := t.insert("id", "INSERT INTO jobs (kind, address, lang, attempts, due, asker, network, about) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		j.Kind, j.Address, j.Lang, j.Attempts, due, j.Asker.Kind, j.Asker.Network[:], id)
	if err != nil {
		return err
	}
	return t.do("UPDATE reports SET job = ?, mailed = ? WHERE id = ?", job, due, id)
}

// The ID of a finished job may be used again: the newest report has it.
func (store Mail) ReportOfJob(ctx context.Context, job int64) (n account.ReportNotice, err error) {
	err = store.db.snapshot(ctx, func(q querier) error {
		r, err := one(ctx, q, scanReport, "SELECT "+reportColumns+" FROM reports WHERE job = ? ORDER BY id DESC LIMIT 1", job)
		if err != nil {
			return err
		}
		n.Case, n.Project, n.Reason = r.Case, r.Project, r.Reason
		n.Reports, n.Networks, err = openReports(ctx, q, r.Project)
		return err
	})
	return n, in("read report", err)
}

func (store Operate) Report(ctx context.Context, number string) (operate.Report, error) {
	return one(ctx, store.db, scanReport, "SELECT "+reportColumns+" FROM reports WHERE number = ?", number)
}

func (store Operate) Reports(ctx context.Context, q operate.ReportQuery) ([]operate.Report, error) {
	return all(ctx, store.db, scanReport, "SELECT "+reportColumns+` FROM reports
		WHERE (closed_at IS NULL OR CAST(? AS BIGINT) = 0) AND (project = ? OR ? = '') AND id > 0
		ORDER BY id DESC LIMIT ? OFFSET ?`, q.Open, string(q.Project), string(q.Project), q.Limit, q.Skip)
}

func (store Operate) CloseReport(ctx context.Context, number string, e sandlot.LogEntry) error {
	// Not before the last time that was known to be right: a clock that is behind would date it long ago.
	return in("close report", store.db.step(ctx, nil, func(t *tx) error {
		if _, err := t.number("SELECT id FROM reports WHERE number = ?", number); err != nil {
			return err
		}
		at := t.dialect.Greatest("?", "at", "coalesce((SELECT at FROM clock WHERE one = 1), 0)")
		if err := t.must(sandlot.ErrMoved,
			"UPDATE reports SET closed_at = "+at+" WHERE number = ? AND closed_at IS NULL", micros(e.At), number); err != nil {
			return err
		}
		return t.Run(newEntry(e))
	}))
}

const stopColumns = "mailbox, kind, at, until"

func scanStop(r row) (s sandlot.Stop, err error) {
	err = r.Scan(asDigest{&s.Mailbox}, &s.Kind, asTime{&s.At}, sometime{&s.Until})
	return s, err
}

// ofMailbox finds the addresses for which names.EmailKey returns ?1.
const ofMailbox = "mailbox = ?1"

// A proposal stays without its address: it is still the last one, so that none before it counts again.
func (store StopStore) StopMail(ctx context.Context, s sandlot.Stop, key string) error {
	queries := []string{"DELETE FROM logins WHERE " + ofMailbox}
	if s.Kind == sandlot.StopClaims {
		queries = append(queries,
			"DELETE FROM verifications WHERE account IN (SELECT id FROM accounts WHERE verified = 0 AND "+ofMailbox+")",
			"UPDATE accounts SET email = '', mailbox = '' WHERE verified = 0 AND "+ofMailbox,
			"DELETE FROM email_links WHERE move IN (SELECT id FROM email_moves WHERE undo = 0 AND "+ofMailbox+")",
			"UPDATE email_moves SET email = '' WHERE undo = 0 AND "+ofMailbox)
	}
	return in("stop mail", store.db.step(ctx, nil, func(t *tx) error {
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
	return one(ctx, store.db, scanStop, "SELECT "+stopColumns+` FROM stops
		WHERE mailbox = ? AND kind = ? AND (until = 0 OR until > ? AND at <= ?)`, mailbox[:], kind, micros(now), notAfter(now))
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
	return in("lift stops", store.db.step(ctx, nil, func(t *tx) error {
		err := t.must(sandlot.ErrNotFound, "DELETE FROM stops WHERE mailbox = ? AND (until = 0 OR until > ?)", mailbox[:], micros(e.At))
		if err != nil {
			return err
		}
		return t.Run(newEntry(e))
	}))
}

// reserveMailbox keeps the mailbox of an account that was suspended from verifying another. An address that was not
// verified may be a stranger's.
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
