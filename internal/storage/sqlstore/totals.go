package sqlstore

import (
	"context"
	"fmt"
	"strings"
	"time"

	"sandlot/internal/domain/account"
	"sandlot/internal/domain/operate"
)

// Totals is an operate.TotalStore.
type Totals struct{ db *DB }

var _ operate.TotalStore = Totals{}

func (db *DB) Totals() Totals { return Totals{db} }

// A sum is kept of the rows of a table up to one; the migration of sums says more. a and b are what it sums of later rows.
type sum struct{ table, id, a, b string }

// sums never change.
var sums = []sum{
	{"accounts", "id", counted("deleted_at IS NULL"), counted("deleted_at IS NULL AND verified = 1")},
	{"projects", "num", counted("deleted_at IS NULL"), counted("1 = 0")},
	{"blobs", "id", summed("ref IS NULL"), summed("ref IS NOT NULL")},
}

func counted(where string) string { return "SELECT count(*) FROM %s WHERE %s AND " + where }

func summed(where string) string {
	return "SELECT CAST(coalesce(sum(size), 0) AS BIGINT) FROM %s WHERE %s AND " + where
}

// later writes a query of the sum for the rows that a condition selects.
func (s sum) later(query, condition string) string {
	return "(" + fmt.Sprintf(query, s.table, condition) + ")"
}

// read writes the query of both sums over all rows.
func (s sum) read() string {
	after := s.table + "." + s.id + " > s.through"
	return "SELECT s.a + " + s.later(s.a, after) + ", s.b + " + s.later(s.b, after) + " FROM sums s WHERE s.name = ?"
}

// advance writes the statement that includes the rows up to next.
func (s sum) advance() string {
	rows := s.table + "." + s.id + " > sums.through AND " + s.table + "." + s.id + " <= sums.next"
	return "UPDATE sums SET a = a + " + s.later(s.a, rows) + ", b = b + " + s.later(s.b, rows) +
		", through = next, next = (" + s.last() + "), at = ? WHERE name = ?"
}

func (s sum) last() string { return "SELECT coalesce(max(" + s.id + "), 0) FROM " + s.table }

// sumEvery is the time after which the rows up to the last one of then are included: a step that had a number of its
// row then has ended.
const sumEvery = 2 * time.Minute

func (store Totals) Sum(ctx context.Context) error {
	for _, s := range sums {
		if err := store.sum(ctx, s); err != nil {
			return in("sum "+s.table, err)
		}
	}
	return nil
}

// sum includes recent rows in one sum, if there are any and it is time.
func (store Totals) sum(ctx context.Context, s sum) error {
	due := "SELECT name FROM sums WHERE name = ?1 AND (at <= ?2 OR at > ?3) AND through < (" + s.last() + ")"
	now := store.db.Now()
	args := []any{s.table, micros(now.Add(-sumEvery)), notAfter(now)}
	if list, err := all(ctx, store.db, scanValue[string], due, args...); err != nil || len(list) == 0 {
		return err
	}
	return store.db.step(ctx, nil, func(t *tx) error {
		list, err := all(ctx, t, scanValue[string], due+t.dialect.Locked("sums"), args...)
		if err != nil || len(list) == 0 { // another node was first
			return err
		}
		return t.do(s.advance(), micros(now), s.table)
	})
}

func (store Totals) Totals(ctx context.Context, now time.Time) (out operate.Totals, err error) {
	err = store.db.snapshot(ctx, func(q querier) error {
		r := totalReader{ctx: ctx, q: q}
		r.accounts(&out.Accounts)
		r.projects(&out.Projects)
		out.Stored.Inline, out.Stored.Files = r.pair(sums[2].read(), sums[2].table)
		out.Acts = r.acts()
		out.Mail = r.mail()
		out.Covers = r.backlog("updated_at", "projects WHERE covered <> version AND deleted_at IS NULL")
		out.Variants = r.backlog("created_at", "blobs WHERE squeezed = 0")
		out.Trials = r.backlog("updated_at", "projects WHERE tried < version AND deleted_at IS NULL AND suspended_at IS NULL")
		out.Deleted = r.deleted(now.Add(-operate.Grace))
		out.Forgets = operate.Backlog{Size: r.backlog("0", "forgets").Size}
		out.Reports = r.backlog("at", "reports WHERE closed_at IS NULL")
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

// accounts subtracts the suspended accounts from the others: they are few, and have an index of their own.
func (r *totalReader) accounts(out *operate.AccountTotals) {
	all, verified := r.pair(sums[0].read(), sums[0].table)
	suspended, known := r.pair(`SELECT count(*), CAST(coalesce(sum(verified), 0) AS BIGINT) FROM accounts
		WHERE suspended_at IS NOT NULL AND deleted_at IS NULL`)
	*out = operate.AccountTotals{Verified: verified - known, Unverified: all - verified - (suspended - known), Suspended: suspended}
}

func (r *totalReader) projects(out *operate.ProjectTotals) {
	all, _ := r.pair(sums[1].read(), sums[1].table)
	out.Suspended, out.Trash = r.pair(`SELECT (SELECT count(*) FROM projects WHERE suspended_at IS NOT NULL AND deleted_at IS NULL),
		(SELECT count(*) FROM trash)`)
	out.Live = all - out.Suspended
}

// deleted counts the remains of deleted projects, which wait since their grace is over, and blobs without a reference,
// of which nobody knows since when.
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
		"SELECT name, a FROM sums WHERE name >= 'act ' AND name < 'act!'") {
		out[actionOf(strings.TrimPrefix(a.name, "act "))] += a.n
	}
	return out
}

// mail reads the messages that wait, by kind. One that was put off waits since it was first due.
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
