package sqlstore

import (
	"context"
	"fmt"
	"time"

	"sandlot/internal/domain/account"
	"sandlot/internal/domain/operate"
)

// Totals is an operate.TotalStore.
type Totals struct{ db *DB }

var _ operate.TotalStore = Totals{}

func (store Operate) Totals() Totals { return Totals{store.db} }

func (store Totals) Totals(ctx context.Context, now time.Time) (out operate.Totals, err error) {
	err = store.db.snapshot(ctx, func(q querier) error {
		r := totalReader{ctx: ctx, q: q}
		out = r.totals(now)
		return r.err
	})
	return out, in("read totals", err)
}

// A totalReader reads numbers up to the first error.
type totalReader struct {
	ctx context.Context
	q   querier
	err error
}

func (r *totalReader) totals(now time.Time) (out operate.Totals) {
	r.accounts(&out.Accounts)
	r.projects(&out.Projects)
	r.stored(&out.Stored)
	out.Acts = r.acts()
	out.Mail = r.mail()
	out.Covers = r.backlog("updated_at", "projects WHERE covered <> version AND deleted_at IS NULL")
	out.Variants = r.backlog("created_at", "blobs WHERE squeezed = 0")
	out.Trials = r.backlog("updated_at", "projects WHERE tried < version AND deleted_at IS NULL AND suspended_at IS NULL")
	out.Deleted = r.deleted(now.Add(-operate.Grace))
	out.Forgets = operate.Backlog{Size: r.backlog("0", "forgets").Size}
	out.Reports = r.backlog("at", "reports WHERE closed_at IS NULL")
	return out
}

// pair reads one row of two numbers.
func (r *totalReader) pair(query string, args ...any) (a, b int64) {
	if r.err != nil {
		return 0, 0
	}
	p, err := one(r.ctx, r.q, fields(func(p *[2]int64) []any { return []any{&p[0], &p[1]} }), query, args...)
	r.err = err
	return p[0], p[1]
}

// backlog counts rows, and finds the smallest of their times.
func (r *totalReader) backlog(at, rows string, args ...any) operate.Backlog {
	n, oldest := r.pair(fmt.Sprintf("SELECT count(*), coalesce(min(x.at), 0) FROM (SELECT %s AS at FROM %s LIMIT %d) x",
		at, rows, operate.MostBacklog), args...)
	b := operate.Backlog{Size: n}
	if oldest != 0 {
		b.Oldest = time.UnixMicro(oldest).UTC()
	}
	return b
}

func (r *totalReader) accounts(out *operate.AccountTotals) {
	out.Verified, out.Unverified = r.pair("SELECT " + counted("verified = 1") + ", " + counted("verified <> 1") +
		" FROM accounts WHERE deleted_at IS NULL AND suspended_at IS NULL")
	out.Suspended, _ = r.pair("SELECT count(*), 0 FROM accounts WHERE deleted_at IS NULL AND suspended_at IS NOT NULL")
}

func (r *totalReader) projects(out *operate.ProjectTotals) {
	out.Live, out.Suspended = r.pair("SELECT " + counted("suspended_at IS NULL") + ", " + counted("suspended_at IS NOT NULL") +
		" FROM projects WHERE deleted_at IS NULL")
	out.Trash, _ = r.pair("SELECT count(*), 0 FROM trash")
}

func (r *totalReader) stored(out *operate.StoredTotals) {
	out.Inline, out.Files = r.pair("SELECT " + summed("CASE WHEN ref IS NULL THEN size ELSE 0 END") + ", " +
		summed("CASE WHEN ref IS NULL THEN 0 ELSE size END") + " FROM blobs")
}

// counted writes the number of rows that satisfy a condition.
func counted(condition string) string { return summed("CASE WHEN " + condition + " THEN 1 ELSE 0 END") }

// summed writes the sum of an expression over the rows.
func summed(expression string) string { return "CAST(coalesce(sum(" + expression + "), 0) AS BIGINT)" }

// deleted counts the remains of deleted projects, which wait since the end of their grace, and blobs without a
// reference, whose waiting time is unknown.
func (r *totalReader) deleted(before time.Time) operate.Backlog {
	b := r.backlog("at", "removals WHERE at < ?", micros(before))
	if !b.Oldest.IsZero() {
		b.Oldest = b.Oldest.Add(operate.Grace)
	}
	b.Size += r.backlog("0", "blobs WHERE loose = 1 AND created_at < ?", micros(before)).Size
	return b
}

// acts reads the acts of operators, those of earlier releases under the names of today.
func (r *totalReader) acts() map[string]int64 {
	type act struct {
		name string
		n    int64
	}
	out := map[string]int64{}
	for _, a := range listOf(r, fields(func(a *act) []any { return []any{&a.name, &a.n} }),
		"SELECT action, count(*) FROM acts WHERE actor = 'operator' GROUP BY action") {
		out[actionOf(a.name)] += a.n
	}
	return out
}

// mail reads the messages that wait, by kind. A message that was put off waits since it was first due.
func (r *totalReader) mail() map[string]operate.Backlog {
	type group struct {
		kind  string
		tries int
		n     int64
		due   time.Time
	}
	out := map[string]operate.Backlog{}
	for _, g := range listOf(r, fields(func(g *group) []any { return []any{&g.kind, &g.tries, &g.n, asTime{&g.due}} }),
		fmt.Sprintf(`SELECT x.kind, x.attempts, count(*), min(x.due)
			FROM (SELECT kind, attempts, due FROM jobs ORDER BY due LIMIT %d) x GROUP BY x.kind, x.attempts`, operate.MostBacklog)) {
		b := out[g.kind]
		b.Add(operate.Backlog{Size: g.n, Oldest: g.due.Add(-account.Waited(g.tries))})
		out[g.kind] = b
	}
	return out
}

// listOf reads the rows of a query.
func listOf[T any](r *totalReader, scan func(row) (T, error), query string) []T {
	if r.err != nil {
		return nil
	}
	var list []T
	list, r.err = all(r.ctx, r.q, scan, query)
	return list
}
