package sqlstore

import (
	"context"
	"math"
	"time"

	"sandlot/internal/publish"
	"sandlot/internal/sqlstore/sqlite"
)

var _ publish.GalleryStore = (*DB)(nil)

// readListing is 1 where projects of accounts without a verified address are listed, too.
const readListing = "SELECT unverified FROM listing WHERE one = 1"

// vouched holds for an account whose projects may be listed, if it is not suspended. It
// is asked again of what the lists have, which follow an account and the rule in steps.
const vouched = "(verified = 1 OR (" + readListing + "))"

const selectListed = "SELECT " + projectColumns + `
	FROM projects p JOIN accounts a ON a.id = p.account
	WHERE p.listed = 1 AND ` + vouched + ` AND a.suspended_at IS NULL AND a.deleted_at IS NULL AND `

func scanListed(r row) (l publish.Listed, err error) {
	p, err := scanProject(r)
	return publish.Listed{Project: p.Project, Number: p.num}, err
}

// mayBeListed reports whether a new project goes into the lists.
func (t *tx) mayBeListed(p projectRow) (bool, error) {
	if p.Verified || p.Suspended {
		return !p.Suspended, nil
	}
	n, err := t.number(readListing)
	return n == 1, err
}

// list puts a new project into the lists, if it may be there. Triggers do
// whatever comes later.
func (t *tx) list(p projectRow, may bool) error {
	if !may {
		return nil
	}
	return t.AddListing(p.num, p.Title, p.Handle)
}

// ListUnverified implements publish.GalleryStore. Where the rule is another one it
// returns when all projects follow it, which is a step for each hundred.
func (db *DB) ListUnverified(ctx context.Context, yes bool) error {
	const about = "choose what is listed"
	now, err := one(ctx, db, scanValue[bool], readListing)
	if err != nil || now == yes {
		return in(about, err)
	}
	return in(about, db.changeAccount(ctx, func(t *tx) error {
		if _, err := t.exec("UPDATE listing SET unverified = ? WHERE one = 1", yes); err != nil {
			return err
		}
		_, err := t.exec(`INSERT INTO follows (account, after) SELECT id, 0 FROM accounts WHERE verified = 0 AND projects > 0 AND deleted_at IS NULL
			ON CONFLICT (account) DO UPDATE SET after = 0`)
		return err
	}))
}

// Waiting implements publish.GalleryStore. Numbers that are not used any more count as
// projects that do not wait.
func (db *DB) Waiting(ctx context.Context, reach int) (int, error) {
	n, err := one(ctx, db, scanValue[int], `
		SELECT count(*) FROM projects p JOIN accounts a ON a.id = p.account
		WHERE p.num > (SELECT max(num) FROM projects) - ? AND p.unlisted = 0 AND p.suspended_at IS NULL AND p.deleted_at IS NULL
			AND NOT `+vouched+` AND a.suspended_at IS NULL AND a.deleted_at IS NULL`, reach)
	return n, in("count what waits to be listed", err)
}

// Listed implements publish.GalleryStore.
func (db *DB) Listed(ctx context.Context, q publish.ListedQuery) ([]publish.Listed, error) {
	if q.Before == 0 {
		q.Before = math.MaxInt64
	}
	const rest = " AND p.num < ? ORDER BY p.num DESC LIMIT ?"
	query, args := selectListed+"TRUE"+rest, []any{q.Before, q.Limit}
	switch {
	case len(q.Words) > 0:
		query = selectListed + "p.num IN (" + dialect.Listings() + ") ORDER BY p.num DESC"
		args = append([]any{dialect.Words(q.Words)}, args...)
	case q.Account != 0:
		query, args = selectListed+"p.account = ?"+rest, append([]any{q.Account}, args...)
	}
	list, err := all(ctx, db, scanListed, query, args...)
	return list, in("list projects", err)
}

// ListedOf implements publish.GalleryStore.
func (db *DB) ListedOf(ctx context.Context, ids []publish.ProjectID) ([]publish.Project, error) {
	rows, err := all(ctx, db, scanProject, selectListed+dialect.Among("p.id", "?"), sqlite.List(ids))
	list := make([]publish.Project, len(rows))
	for i, r := range rows {
		list[i] = r.Project
	}
	return list, in("read projects", err)
}

// MostPlayed implements publish.GalleryStore. It reads each project's plays of
// each of the days: the more were played, the longer it takes.
func (db *DB) MostPlayed(ctx context.Context, since time.Time, limit int) ([]publish.ProjectID, error) {
	list, err := all(ctx, db, scanValue[publish.ProjectID], `
		SELECT p.id FROM (SELECT project, sum(plays) AS plays FROM play_days WHERE day >= ? GROUP BY project) d JOIN projects p ON p.num = d.project
		WHERE p.listed = 1 AND (SELECT `+vouched+` AND suspended_at IS NULL AND deleted_at IS NULL FROM accounts WHERE id = p.account) ORDER BY d.plays DESC, p.num DESC LIMIT ?`, dayOf(since), limit)
	return list, in("list most played projects", err)
}

// AccountOfHandle implements publish.GalleryStore.
func (db *DB) AccountOfHandle(ctx context.Context, handle string) (publish.Account, error) {
	a, err := one(ctx, db, scanAccount, "SELECT "+accountColumns+" FROM accounts WHERE id = (SELECT account FROM handles WHERE handle = ?) AND deleted_at IS NULL", handle)
	return a, in("read account", err)
}
