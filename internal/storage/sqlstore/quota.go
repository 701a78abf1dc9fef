package sqlstore

import (
	"cmp"
	"context"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// within fails if an account has more than q. Triggers keep the totals, except for new projects and open uploads.
func (t *tx) within(id sandlot.AccountID, q publish.Quota, now time.Time) error {
	has, err := one(context.Background(), t, scanUsage, selectUsage, micros(now), id)
	return cmp.Or(err, exceeds(has, q))
}

// projectsWithin is within for the projects of an account, which may have a limit of its own.
func (t *tx) projectsWithin(id sandlot.AccountID, most int, now time.Time) error {
	own, err := t.number("SELECT most_projects FROM accounts WHERE id = ?", id)
	if err != nil {
		return err
	}
	return t.within(id, publish.Quota{Projects: most}.Of(sandlot.Account{MostProjects: int(own)}), now)
}

// exceeds fails where there is more than a quota allows.
func exceeds(has, q publish.Quota) error {
	switch {
	case q.Projects > 0 && has.Projects > q.Projects:
		return sandlot.ErrTooManyProjects
	case q.Bytes > 0 && has.Bytes > q.Bytes:
		return sandlot.ErrTooManyBytes
	}
	return nil
}

// The totals of an account a, with the bytes of its uploads that are open at ?1.
const (
	bytesOf = `a.bytes + (SELECT CAST(coalesce(sum(held), 0) AS BIGINT) FROM uploads
		WHERE account = a.id AND expires_at > ?1 AND done_project IS NULL)`
	selectUsage = "SELECT a.projects, " + bytesOf + " FROM accounts a WHERE a.id = ?2 AND a.deleted_at IS NULL"
)

func scanUsage(r row) (q publish.Quota, err error) {
	err = r.Scan(&q.Projects, &q.Bytes)
	return q, err
}

func (store AccountStore) Usage(ctx context.Context, id sandlot.AccountID, now time.Time) (publish.Quota, error) {
	return one(ctx, store.db, scanUsage, selectUsage, micros(now), id)
}

// uploadsWithin fails if the open uploads of u's owner exceed the quota. A call without a part is always accepted.
func uploadsWithin(t *tx, u publish.Upload, brings bool, q publish.UploadQuota, now time.Time) error {
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
		// Of two at once the second counts the upload of the first.
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
	return t.within(u.Account, publish.Quota{Bytes: q.Account}, now)
}

const openOf = "SELECT count(*), CAST(coalesce(sum(held), 0) AS BIGINT) FROM uploads WHERE expires_at > ? AND done_project IS NULL AND "

type openUploads struct{ uploads, bytes int64 }

func scanOpen(r row) (n openUploads, err error) {
	err = r.Scan(&n.uploads, &n.bytes)
	return n, err
}
