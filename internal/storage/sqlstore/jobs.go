package sqlstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/storage/sqlstore/engine"
)

// jobColumns are empty where a job belongs to no account, or to no login.
const jobColumns = "id, kind, coalesce(account, 0), coalesce(login, 0), address, lang, attempts, due, asker, network, about"

// newJob counts a job of an account, 0 for none, in its shares, and returns its record.
func (t *tx) newJob(j sandlot.Job, account sandlot.AccountID) (engine.Statement, error) {
	return do(`INSERT INTO jobs (kind, account, login, address, lang, attempts, due, asker, network, about)
		VALUES (?, nullif(CAST(? AS BIGINT), 0), nullif(CAST(? AS BIGINT), 0), ?, ?, ?, ?, ?, ?, ?)`,
		j.Kind, account, j.Login, j.Address, j.Lang, j.Attempts, micros(j.Due), j.Asker.Kind, j.Asker.Network[:], j.About,
	), takeShares(t, nil, j.Asks, j.Due, j.Due.Add(-sandlot.MailDay))
}

func (t *tx) addJob(j sandlot.Job, account sandlot.AccountID) error {
	job, err := t.newJob(j, account)
	if err != nil {
		return err
	}
	return t.Run(job)
}

func scanJob(r row) (j sandlot.Job, err error) {
	err = r.Scan(&j.ID, &j.Kind, &j.Account, &j.Login, &j.Address, &j.Lang, &j.Attempts, asTime{&j.Due}, &j.Asker.Kind,
		asDigest{&j.Asker.Network}, &j.About)
	return j, err
}

// A dueJob is a job that may go, or one whose record is damaged.
type dueJob struct {
	sandlot.Job
	unread error
}

// scanDue fails only where not even the id can be read.
func scanDue(r row) (c dueJob, err error) {
	var id int64
	to := [11]any{&id} // one for each of jobColumns
	for i := range to[1:] {
		to[1+i] = new(any)
	}
	if err := r.Scan(to[:]...); err != nil {
		return c, err
	}
	c.Job, c.unread = scanJob(r)
	c.ID = id
	return c, nil
}

// Due jobs, except for those to some domains: logins, and all others. Few wait at a time, so both queries read all that
// are due.
const (
	dueLogins = "= 'login'"
	dueOthers = "<> 'login'"
	// A reminder waits longer than any message that was put off.
	dueFarOthers = "NOT IN ('login', 'waiting')"
)

func selectDue(d engine.Dialect, kind string) string {
	return "SELECT " + jobColumns + ` FROM jobs WHERE due > ?1 AND due <= ?2 AND (leased_until <= ?5 OR leased_until > ?6)
		AND kind ` + kind + " AND NOT (" + d.Among(d.DomainOf("address"), d.Texts("?3", "domains")) + ") ORDER BY due, id LIMIT ?4"
}

// due returns the jobs that may go now, or else those that a wrong clock made due later than any job waits.
func due(ctx context.Context, q querier, now time.Time, l lease, busy account.Busy, limit int) ([]dueJob, error) {
	jobs, err := dueWithin(ctx, q, math.MinInt64, micros(now), l, busy, limit)
	if err != nil || len(jobs) > 0 {
		return jobs, err
	}
	return dueWithin(ctx, q, micros(now.Add(account.JobWaitMax+skew)), math.MaxInt64, l, busy, limit)
}

func dueWithin(ctx context.Context, q querier, after, until int64, l lease, busy account.Busy, limit int) ([]dueJob, error) {
	jobs, err := all(ctx, q, scanDue, selectDue(q.words(), dueLogins), after, until, engine.List(busy.Logins), limit, micros(l.now),
		l.never())
	if err != nil || busy.OnlyLogins || len(jobs) == limit {
		return jobs, err
	}
	kinds := dueOthers
	if until == math.MaxInt64 {
		kinds = dueFarOthers
	}
	others, err := all(ctx, q, scanDue, selectDue(q.words(), kinds), after, until, engine.List(busy.Others), limit-len(jobs),
		micros(l.now), l.never())
	return append(jobs, others...), err
}

// A job whose lease has ended can be claimed again.
func (store Mail) ClaimJobs(ctx context.Context, now, until time.Time, busy account.Busy, limit int) (jobs []sandlot.Job, err error) {
	// Mostly there is none, and this read takes no turn of the writer.
	l := store.db.lease(until.Sub(now))
	if found, err := due(ctx, store.db, now, l, busy, 1); err != nil || len(found) == 0 {
		return nil, in("look for jobs", err)
	}
	var unread error
	err = store.db.step(ctx, nil, func(t *tx) (err error) {
		jobs, unread, err = claim(ctx, t, now, store.db.lease(until.Sub(now)), busy, limit)
		return err
	})
	if err != nil {
		return nil, in("claim jobs", err)
	}
	return jobs, in("claim jobs", unread)
}

// claim claims jobs. One that cannot be read is put off for as long as a job may be, so that it keeps no other from
// its turn.
func claim(ctx context.Context, t *tx, now time.Time, l lease, busy account.Busy, limit int) (jobs []sandlot.Job, unread, err error) {
	claim := l.until()
	for again := true; again && len(jobs) < limit; {
		list, err := due(ctx, t, now, l, busy, limit-len(jobs))
		if err != nil {
			return nil, nil, err
		}
		again = false
		for _, c := range list {
			query, until := "UPDATE jobs SET leased_until = ? WHERE id = ?", claim
			if c.unread != nil {
				query, until = "UPDATE jobs SET due = ? WHERE id = ?", micros(now.Add(account.JobWaitMax))
			}
			n, err := t.Exec(query+" AND (leased_until <= ? OR leased_until > ?)", until, c.ID, micros(l.now), l.never())
			switch {
			case err != nil:
				return nil, nil, err
			case n == 0: // another node has it by now
			case c.unread == nil:
				c.Claim = claim
				jobs = append(jobs, c.Job)
			default:
				again = true
				unread = errors.Join(unread, fmt.Errorf("%w: the record of job %d: %w", sandlot.ErrCorrupt, c.ID, c.unread))
			}
		}
	}
	return jobs, unread, nil
}

func (store Mail) CountMail(ctx context.Context, job int64, shares []account.Share, at, since time.Time) error {
	return in("count mail", store.db.step(ctx, nil, func(t *tx) error {
		return takeShares(t, job, shares, at, since)
	}))
}

// takeShares counts a message in all of the shares, or in none if one is full. One of a job is counted once; nil is
// none.
func takeShares(t *tx, job any, shares []sandlot.Share, at, since time.Time) error {
	// In one order, against deadlocks with other steps.
	for _, s := range slices.SortedFunc(slices.Values(shares),
		func(a, b sandlot.Share) int { return bytes.Compare(a.Counter[:], b.Counter[:]) }) {
		if err := t.alone(s.Counter); err != nil {
			return err
		}
	}
	if job != nil {
		counted, err := t.number("SELECT count(*) FROM mails WHERE job = ?", job)
		if err != nil || counted > 0 {
			return err
		}
	}
	for _, s := range shares {
		if err := t.below(int64(s.Most), sandlot.ErrTooOften,
			"SELECT count(*) FROM mails WHERE mailbox = ? AND at > ? AND at <= ?", s.Counter[:], micros(since), notAfter(at)); err != nil {
			return err
		}
	}
	for _, s := range shares {
		if err := t.do("INSERT INTO mails (mailbox, at, job) VALUES (?, ?, ?)", s.Counter[:], micros(at), job); err != nil {
			return err
		}
	}
	return nil
}

// The ID of a job is never used again, so its mails may keep it.
func (store Mail) FinishJob(ctx context.Context, j sandlot.Job, sent bool, at time.Time) error {
	return in("finish job", store.db.step(ctx, nil, func(t *tx) error {
		err := t.must(sandlot.ErrNotFound,
			"DELETE FROM jobs WHERE id = ? AND (leased_until = ? OR CAST(? AS BIGINT) = 1)", j.ID, j.Claim, sent)
		if err != nil {
			return err
		}
		if !sent {
			return t.do("DELETE FROM mails WHERE job = ?", j.ID)
		}
		return t.do("UPDATE mails SET at = ? WHERE job = ?", micros(at), j.ID)
	}))
}

func (store Mail) RetryJob(ctx context.Context, j sandlot.Job, due time.Time) error {
	return in("retry job", store.db.must(ctx, sandlot.ErrNotFound,
		"UPDATE jobs SET due = ?, attempts = attempts + 1, leased_until = 0 WHERE id = ? AND leased_until = ?", micros(due), j.ID, j.Claim))
}

func (store Mail) AddVerification(ctx context.Context, v account.Verification) (handle string, err error) {
	err = store.db.onAccount(ctx, v.Account, func(t *tx) error {
		a, err := one(ctx, t, scanAccount, "SELECT "+accountColumns+" FROM accounts WHERE id = ? AND deleted_at IS NULL", v.Account)
		if err != nil {
			return err
		}
		if a.Email != v.Email || a.EmailVerified || a.Suspended {
			return sandlot.ErrMoved
		}
		handle = a.Handle
		return t.do("INSERT INTO verifications (token, account, email, expires_at) VALUES (?, ?, ?, ?)",
			v.Token[:], v.Account, v.Email, micros(v.ExpiresAt))
	})
	return handle, in("add verification", err)
}

const selectVerification = "SELECT token, account, email, expires_at FROM verifications WHERE token = ? AND expires_at > ?"

func scanVerification(r row) (v account.Verification, err error) {
	err = r.Scan(asDigest{&v.Token}, &v.Account, &v.Email, asTime{&v.ExpiresAt})
	return v, err
}

func (store ClaimStore) Verification(ctx context.Context, token sandlot.Digest, now time.Time) (account.Verification, error) {
	return one(ctx, store.db, scanVerification, selectVerification, token[:], micros(now))
}

func verification(ctx context.Context, t *tx, token sandlot.Digest, now time.Time) (v account.Verification, err error) {
	if err := t.lock("SELECT id FROM accounts WHERE id = (SELECT account FROM verifications WHERE token = ?)", token[:]); err != nil {
		return v, err
	}
	return one(ctx, t, scanVerification, selectVerification, token[:], micros(now))
}

// It finds the same verifications as Verification.
func (store ClaimStore) UseVerification(
	ctx context.Context, token sandlot.Digest, now time.Time, checked int64,
) (a sandlot.Account, err error) {
	err = store.db.changeAccount(ctx, &a.ID, func(t *tx) error {
		v, err := verification(ctx, t, token, now)
		if err != nil {
			return err
		}
		if err := mayVerify(t, v.Email); err != nil {
			return err
		}
		if err := t.do("DELETE FROM verifications WHERE account = ?", v.Account); err != nil {
			return err
		}
		t.changed.Account = v.Account
		a, err = one(ctx, t, scanAccount,
			`UPDATE accounts SET changed = changed + 1, verified = 1, verified_at = ? WHERE id = ? AND email = ?
				RETURNING `+accountColumns, micros(now), v.Account, v.Email)
		if errors.Is(err, sandlot.ErrNotFound) {
			return sandlot.ErrMoved // cannot be: SetEmail ends the verifications of the address before
		}
		if err != nil {
			return err
		}
		if err := endFieldHolds(t, v.Account, now); err != nil {
			return err
		}
		return t.Run(append([]engine.Statement{dropPublishers(v.Account)}, sameBlocks(t, checked)...)...)
	})
	return a, in("use verification", err)
}

func (store ClaimStore) RefuseVerification(ctx context.Context, token sandlot.Digest, now time.Time) (a sandlot.Account, err error) {
	err = store.db.step(ctx, nil, func(t *tx) error {
		v, err := verification(ctx, t, token, now)
		if err != nil {
			return err
		}
		if err := t.do("DELETE FROM verifications WHERE account = ?", v.Account); err != nil {
			return err
		}
		if a, err = one(ctx, t, scanAccount, "SELECT "+accountColumns+" FROM accounts WHERE id = ?", v.Account); err != nil {
			return err
		}
		return t.do("UPDATE accounts SET email = '', mailbox = '' WHERE id = ? AND email = ? AND verified = 0", v.Account, v.Email)
	})
	return a, in("refuse verification", err)
}
