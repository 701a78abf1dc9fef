package sqlstore

import (
	"context"
	"errors"
	"time"

	"sandlot/internal/publish"
)

// jobColumns are empty where a job belongs to no account, or to no login.
const jobColumns = "id, kind, coalesce(account, 0), coalesce(login, 0), address, lang, attempts, due"

// addJob records a job of an account; 0 for none.
func (t *tx) addJob(j publish.Job, account publish.AccountID) error {
	_, err := t.exec("INSERT INTO jobs (kind, account, login, address, lang, attempts, due) VALUES (?, nullif(?, 0), nullif(?, 0), ?, ?, ?, ?)",
		j.Kind, account, j.Login, j.Address, j.Lang, j.Attempts, micros(j.Due))
	return err
}

func scanJob(r row) (j publish.Job, err error) {
	err = r.Scan(&j.ID, &j.Kind, &j.Account, &j.Login, &j.Address, &j.Lang, &j.Attempts, asTime{&j.Due})
	return j, err
}

// ClaimJobs implements publish.JobStore. A claimed job is one that is due later:
// if whoever claimed it is gone by then, it is simply due again.
func (db *DB) ClaimJobs(ctx context.Context, now, until time.Time, limit int) (jobs []publish.Job, err error) {
	const due = "SELECT " + jobColumns + " FROM jobs WHERE due <= ? ORDER BY due, id LIMIT ?"
	// Mostly there is none, and to know that takes no turn of the writer.
	if found, err := all(ctx, db, scanJob, due, micros(now), 1); err != nil || len(found) == 0 {
		return nil, in("look for jobs", err)
	}
	err = db.step(ctx, 0, func(t *tx) error {
		if jobs, err = all(ctx, t, scanJob, due, micros(now), limit); err != nil {
			return err
		}
		for _, j := range jobs {
			if _, err := t.exec("UPDATE jobs SET due = ? WHERE id = ?", micros(until), j.ID); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, in("claim jobs", err)
	}
	return jobs, nil
}

// FinishJob implements publish.JobStore.
func (db *DB) FinishJob(ctx context.Context, id int64, mailbox publish.Digest, sent bool, at time.Time) error {
	return in("finish job", db.step(ctx, 0, func(t *tx) error {
		err := t.must(publish.ErrNotFound, "DELETE FROM jobs WHERE id = ?", id)
		if err != nil || !sent {
			return err
		}
		_, err = t.exec("INSERT INTO mails (mailbox, at) VALUES (?, ?)", mailbox[:], micros(at))
		return err
	}))
}

// RetryJob implements publish.JobStore.
func (db *DB) RetryJob(ctx context.Context, id int64, due time.Time) error {
	return in("retry job", db.step(ctx, 0, func(t *tx) error {
		return t.must(publish.ErrNotFound, "UPDATE jobs SET due = ?, attempts = attempts + 1 WHERE id = ?", micros(due), id)
	}))
}

// MailsSince implements publish.JobStore. It knows of the mails of the last seven
// days.
func (db *DB) MailsSince(ctx context.Context, mailbox publish.Digest, since time.Time) (int, error) {
	n, err := one(ctx, db, scanValue[int], "SELECT count(*) FROM mails WHERE mailbox = ? AND at >= ?", mailbox[:], micros(since))
	return n, in("count mails", err)
}

// AddVerification implements publish.JobStore.
func (db *DB) AddVerification(ctx context.Context, v publish.Verification) (handle string, err error) {
	err = db.step(ctx, 0, func(t *tx) error {
		a, err := one(ctx, t, scanAccount, "SELECT "+accountColumns+" FROM accounts WHERE id = ? AND deleted_at IS NULL", v.Account)
		if err != nil {
			return err
		}
		if a.Email != v.Email || a.EmailVerified || a.Suspended {
			return publish.ErrMoved
		}
		handle = a.Handle
		_, err = t.exec("INSERT INTO verifications (token, account, email, expires_at) VALUES (?, ?, ?, ?)", v.Token[:], v.Account, v.Email, micros(v.ExpiresAt))
		return err
	})
	if err != nil {
		return "", in("add verification", err)
	}
	return handle, nil
}

const selectVerification = "SELECT token, account, email, expires_at FROM verifications WHERE token = ? AND expires_at > ?"

func scanVerification(r row) (v publish.Verification, err error) {
	err = r.Scan(asDigest{&v.Token}, &v.Account, &v.Email, asTime{&v.ExpiresAt})
	return v, err
}

// Verification implements publish.JobStore.
func (db *DB) Verification(ctx context.Context, token publish.Digest, now time.Time) (publish.Verification, error) {
	v, err := one(ctx, db, scanVerification, selectVerification, token[:], micros(now))
	return v, in("read verification", err)
}

// UseVerification implements publish.JobStore. What it does not find it does not
// find in Verification either.
func (db *DB) UseVerification(ctx context.Context, token publish.Digest, now time.Time) (a publish.Account, err error) {
	err = db.step(ctx, 0, func(t *tx) error {
		v, err := one(ctx, t, scanVerification, selectVerification, token[:], micros(now))
		if err != nil {
			return err
		}
		if _, err := t.exec("DELETE FROM verifications WHERE account = ?", v.Account); err != nil {
			return err
		}
		a, err = one(ctx, t, scanAccount, "UPDATE accounts SET verified = 1 WHERE id = ? AND email = ? RETURNING "+accountColumns, v.Account, v.Email)
		if errors.Is(err, publish.ErrNotFound) {
			return publish.ErrMoved // cannot be: SetEmail ends the verifications of the address before
		}
		return err
	})
	return a, in("use verification", err)
}
