package sqlstore

import (
	"context"
	"math"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/storage/sqlstore/engine"
)

// readListing is 1 where projects of accounts without a verified address are listed, too.
const readListing = "SELECT unverified FROM listing WHERE one = 1"

// listable is the condition that an account's projects may be listed, if it is not suspended. Queries apply it again
// to the projects in the lists, which follow an account and the rule in steps.
const listable = "(verified = 1 OR trusted_at IS NOT NULL OR (" + readListing + ") = 1)"

const (
	whatListed = `projects p JOIN accounts a ON a.id = p.account
	WHERE p.listed = 1 AND ` + listable + ` AND a.suspended_at IS NULL AND a.deleted_at IS NULL AND `
	selectListed = "SELECT " + projectColumns + "\n\tFROM " + whatListed
	selectTagged = "SELECT " + projectColumns + "\n\tFROM project_tags g CROSS JOIN " + whatListed +
		`p.num = g.project AND g.tag = ? AND g.project < ? ORDER BY g.project DESC LIMIT ?`
)

func scanListed(r row) (l gallery.Listed, err error) {
	p, err := scanProject(r)
	return gallery.Listed{Project: p.Project, Number: p.num}, err
}

func newTags(p projectRow) engine.Statement {
	s := engine.Statement{Query: "INSERT INTO project_tags (tag, project) VALUES (?, ?)"}
	for _, tag := range p.Tags.List() {
		s.Rows = append(s.Rows, []any{tag, p.num})
	}
	return s
}

// Lists check the rule again for each project: after a change of the rule they never show too many, but lack some until
// Follow or Sweep has run.
func (store Gallery) ListUnverified(ctx context.Context, yes bool) error {
	const about = "choose what is listed"
	now, err := one(ctx, store.db, scanValue[bool], readListing)
	if err != nil || now == yes {
		return in(about, err)
	}
	return in(about, store.db.run(ctx, do("UPDATE listing SET unverified = ? WHERE one = 1", yes),
		do(`INSERT INTO follows (account, after) SELECT id, 0 FROM accounts
			WHERE verified = 0 AND projects > 0 AND deleted_at IS NULL
			ON CONFLICT (account) DO UPDATE SET after = 0`),
	))
}

// Follow lists or unlists projects after a change of the rule or their account, followStep of them in one step. Sweep
// does the rest.
func (store Gallery) Follow(ctx context.Context) error {
	return in("have the lists follow", store.db.finishFollows(ctx))
}

// Unused numbers count as projects that do not wait.
func (store Gallery) Waiting(ctx context.Context, reach int) (int, error) {
	return one(ctx, store.db, scanValue[int], `
		SELECT count(*) FROM projects p JOIN accounts a ON a.id = p.account
		WHERE p.num > (SELECT max(num) FROM projects) - ? AND p.unlisted = 0 AND p.suspended_at IS NULL AND p.deleted_at IS NULL
			AND NOT `+listable+` AND a.suspended_at IS NULL AND a.deleted_at IS NULL`, reach)
}

func (store Gallery) Listed(ctx context.Context, q gallery.ListedQuery) ([]gallery.Listed, error) {
	if q.Before == 0 {
		q.Before = math.MaxInt64
	}
	const rest = " AND p.num < ? ORDER BY p.num DESC LIMIT ?"
	query, args := selectListed+"TRUE"+rest, []any{q.Before, q.Limit}
	switch {
	case len(q.Numbers) > 0:
		query, args = selectListed+store.db.amongNumbers("p.num")+rest, append([]any{engine.List(q.Numbers)}, args...)
	case q.Tag != "":
		query, args = selectTagged, append([]any{q.Tag}, args...)
	case q.Account != 0:
		query, args = selectListed+"p.account = ?"+rest, append([]any{q.Account}, args...)
	}
	return all(ctx, store.db, scanListed, query, args...)
}

const (
	namedColumns = `SELECT p.num, p.stamp, p.listed = 1 AND a.suspended_at IS NULL AND a.deleted_at IS NULL AND ` + listable +
		", p.title, a.handle, p.tags FROM "
	selectNamed = namedColumns + whatListed + "p.num > ? ORDER BY p.num LIMIT ?"
	// A condition on the stamp alone makes both engines use the index.
	selectRelisted = namedColumns + `projects p JOIN accounts a ON a.id = p.account WHERE p.stamp > 0 AND p.stamp >= ?
		ORDER BY p.stamp DESC LIMIT ?`
)

func scanNamed(r row) (n gallery.Named, err error) {
	err = r.Scan(&n.Number, &n.Relisting, &n.Listed, &n.Title, &n.Handle, &n.Tags)
	return n, err
}

func (store Gallery) Named(ctx context.Context, after int64, limit int) ([]gallery.Named, error) {
	return all(ctx, store.db, scanNamed, selectNamed, after, limit)
}

func (store Gallery) Relisted(ctx context.Context, least int64, limit int) ([]gallery.Named, error) {
	return all(ctx, store.db, scanNamed, selectRelisted, least, limit)
}

func (store Gallery) ListedOf(ctx context.Context, ids []sandlot.ProjectID) ([]sandlot.Project, error) {
	rows, err := all(ctx, store.db, scanProject, selectListed+store.db.amongTexts("p.id"), engine.List(ids))
	list := make([]sandlot.Project, len(rows))
	for i, r := range rows {
		list[i] = r.Project
	}
	return list, in("read projects", err)
}

// The sign before the project makes SQLite search by day, not scan in the order of projects.
func (store Gallery) MostPlayed(ctx context.Context, since time.Time, limit int) ([]sandlot.ProjectID, error) {
	return all(ctx, store.db, scanValue[sandlot.ProjectID], `
		SELECT p.id FROM (SELECT +project AS project, sum(plays) AS plays FROM day_figures WHERE day >= ? GROUP BY +project) d
		JOIN projects p ON p.num = d.project
		WHERE d.plays > 0 AND p.listed = 1
			AND (SELECT `+listable+` AND suspended_at IS NULL AND deleted_at IS NULL FROM accounts WHERE id = p.account)
		ORDER BY d.plays DESC, p.num DESC LIMIT ?`, dayOf(since), limit)
}

func (store Gallery) Trending(ctx context.Context, q gallery.TrendQuery) ([]sandlot.ProjectID, error) {
	return all(ctx, store.db, scanValue[sandlot.ProjectID], selectTrending,
		dayOf(q.Since), micros(q.Now), q.LikeWorth, q.OfOne, q.Limit, q.Young, q.Damping)
}

// selectTrending takes the first day ?1, the time ?2, the worth of a like ?3 in plays, the most projects of an account
// ?4 and in all ?5, and the damping: the age plus ?6 days, to the power of ?7.
const (
	selectTrending = `WITH week AS (
		SELECT +project AS project, sum(plays) AS plays, sum(likes) AS likes FROM day_figures WHERE day >= ?1 GROUP BY +project),` + weighed

	weighed = `
	weighed AS (
		SELECT p.id, p.num, p.account, CAST(w.plays + ?3 * CASE WHEN w.likes > 0 THEN w.likes ELSE 0 END AS DOUBLE PRECISION) /
			pow(CASE WHEN p.created_at < ?2 THEN CAST(?2 - p.created_at AS DOUBLE PRECISION) / 86400000000 ELSE 0 END +
				CAST(?6 AS DOUBLE PRECISION), CAST(?7 AS DOUBLE PRECISION)) AS weight
		FROM week w JOIN projects p ON p.num = w.project
		WHERE p.listed = 1 AND (w.plays > 0 OR w.likes > 0) AND (SELECT ` + listable +
		` AND suspended_at IS NULL AND deleted_at IS NULL FROM accounts WHERE id = p.account))
	SELECT id FROM (SELECT id, num, weight, row_number() OVER (PARTITION BY account ORDER BY weight DESC, num DESC) AS place FROM weighed) r
	WHERE place <= ?4 ORDER BY weight DESC, num DESC LIMIT ?5`
)

func (store Gallery) AccountOfHandle(ctx context.Context, handle string) (sandlot.Account, error) {
	return one(ctx, store.db, scanAccount,
		"SELECT "+accountColumns+" FROM accounts WHERE id = (SELECT account FROM handles WHERE handle = ?) AND deleted_at IS NULL", handle)
}
