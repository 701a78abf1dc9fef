package sqlstore

import (
	"context"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// within fails if an account has more than q together with what the step is about to add.
// Triggers keep the totals, but for the project that createProject adds, and for open
// uploads. It is asked: the next statement that is not asked, or the next Flush, fails.
func (t *tx) within(id sandlot.AccountID, q, adds publish.Quota, now time.Time) {
	if q == (publish.Quota{}) {
		return
	}
	var has publish.Quota
	ask(t, scanTotals, func(found publish.Quota, err error) error {
		has = publish.Quota{Projects: found.Projects + adds.Projects, Bytes: found.Bytes + adds.Bytes}
		if err == nil && q.Projects > 0 && has.Projects > q.Projects {
			err = sandlot.ErrTooManyProjects
		}
		return err
	}, selectTotals, id)
	if q.Bytes == 0 {
		return
	}
	ask(t, scanValue[int64], func(held int64, err error) error {
		if err == nil && has.Bytes+held > q.Bytes {
			err = sandlot.ErrTooManyBytes
		}
		return err
	}, selectHeld, id, micros(now))
}

// What an account has, and what its open uploads hold.
const (
	selectTotals = "SELECT projects, bytes FROM accounts WHERE id = ?"
	selectHeld   = "SELECT CAST(coalesce(sum(held), 0) AS BIGINT) FROM uploads WHERE account = ? AND expires_at > ? AND done_project IS NULL"
)

// Usage implements publish.ProjectStore.
func (store Publish) Usage(ctx context.Context, id sandlot.AccountID, now time.Time) (has publish.Quota, err error) {
	err = store.db.snapshot(ctx, func(q querier) error {
		var held int64
		if has, err = one(ctx, q, scanTotals, selectTotals+" AND deleted_at IS NULL", id); err != nil {
			return err
		}
		held, err = one(ctx, q, scanValue[int64], selectHeld, id, micros(now))
		has.Bytes += held
		return err
	})
	return has, in("read usage", err)
}

// uploadsWithin fails if the open uploads of u's owner are more than they may be. A
// call that brings no part may always tell a total.
func (t *tx) uploadsWithin(u publish.Upload, brings bool, q publish.UploadQuota, now time.Time) error {
	if !brings {
		return nil
	}
	for _, all := range []struct {
		of    sandlot.Digest
		times int64
		query string
	}{
		{u.Owner, 1, openOf + "owner = ?"},
		{u.Wider[0], q.Wider[0], openOf + "owner56 IS NOT NULL AND owner56 = ?"},
		{u.Wider[1], q.Wider[1], openOf + "owner48 IS NOT NULL AND owner48 = ?"},
	} {
		if all.times == 0 || all.of == (sandlot.Digest{}) {
			continue
		}
		// Of two at once the second counts what the first has added.
		if err := t.alone(all.of); err != nil {
			return err
		}
		has, err := one(context.Background(), t, scanOpen, all.query, micros(now), all.of[:])
		switch {
		case err != nil:
			return err
		case u.Generation == 0 && q.Uploads > 0 && has.uploads > all.times*int64(q.Uploads):
			return sandlot.ErrTooManyUploads
		case q.Bytes > 0 && has.bytes > all.times*q.Bytes:
			return sandlot.ErrTooManyBytes
		}
	}
	if u.Account == 0 {
		return nil
	}
	t.within(u.Account, publish.Quota{Bytes: q.Account}, publish.Quota{}, now)
	return t.Flush()
}

// openOf counts the open uploads of what follows, and what they hold.
const openOf = "SELECT count(*), CAST(coalesce(sum(held), 0) AS BIGINT) FROM uploads WHERE expires_at > ? AND done_project IS NULL AND "

type openUploads struct{ uploads, bytes int64 }

func scanOpen(r row) (n openUploads, err error) {
	err = r.Scan(&n.uploads, &n.bytes)
	return n, err
}

func scanTotals(r row) (q publish.Quota, err error) {
	err = r.Scan(&q.Projects, &q.Bytes)
	return q, err
}
