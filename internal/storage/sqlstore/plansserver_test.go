package sqlstore

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sandlot/internal/domain/gallery"
	"sandlot/internal/storage/sqlstore/engine"
	"sandlot/internal/storage/sqlstore/postgres"
	"sandlot/internal/testkit/expect"
)

// scanned are the tables that a plan reads as a whole.
var scanned = regexp.MustCompile(`Seq Scan on (\w+)`)

// small are tables of one row, and the server's list of databases.
var small = []string{"listing", "clock", "instance", "pg_database"}

// TestPlansOnPostgres uses every method once and then asks the server how it would run each statement that it
// has prepared, if it could help reading whole tables: where it does all the same, no index serves.
func TestPlansOnPostgres(t *testing.T) {
	t.Parallel()
	// Steps are taken on one connection and reads on the other; each knows its own statements.
	db, err := OpenPostgres(t.Context(), emptyServer.Postgres(t), postgres.Options{Connections: 2})
	expect.OK(t, err)
	t.Cleanup(func() { expect.OK(t, db.Close()) })
	useAll(t, db)
	_, err = db.Gallery().Trending(t.Context(), gallery.TrendQuery{Young: 1})
	expect.OK(t, err)
	// A function, so that each question is the same statement: many would push out those that they ask about.
	mustExec(t, db, "CREATE FUNCTION plan_of(question text) RETURNS SETOF text LANGUAGE plpgsql AS 'BEGIN RETURN QUERY EXECUTE question; END'")
	plans := map[string]string{}
	expect.OK(t, db.engine.Step(t.Context(), 0, func(tx engine.Tx) error {
		addPlans(t, db.dialect, tx, plans)
		return db.engine.Snapshot(t.Context(), func(q engine.Querier) error {
			addPlans(t, db.dialect, q, plans)
			return nil
		})
	}))
	explained := 0
	for _, query := range slices.Sorted(maps.Keys(plans)) {
		explained++
		for _, m := range scanned.FindAllStringSubmatch(plans[query], -1) {
			if !slices.Contains(small, m[1]) {
				t.Errorf("%s is read as a whole by %s\n%s", m[1], query, plans[query])
			}
		}
	}
	if explained < 60 {
		t.Errorf("only %d statements were seen", explained)
	}
}

// addPlans adds the plans of the statements that a connection has prepared, but for those that look through
// everything for what is left of a deleted account.
func addPlans(t *testing.T, d engine.Dialect, q engine.Querier, plans map[string]string) {
	t.Helper()
	type prepared struct {
		name, query string
		parameters  int
	}
	ctx := context.Background()
	_, err := first(ctx, q, scanValue[string], "SELECT set_config('enable_seqscan', 'off', true) || set_config('plan_cache_mode', 'force_generic_plan', true)")
	expect.OK(t, err)
	_, err = each(ctx, q, scanValue[string], "DISCARD PLANS") // of before that
	expect.OK(t, err)
	asked := strings.NewReplacer("?", "$")
	list, err := each(ctx, q, func(r row) (p prepared, err error) {
		err = r.Scan(&p.name, &p.query, &p.parameters)
		return p, err
	}, "SELECT name, statement, cardinality(parameter_types) FROM pg_prepared_statements")
	expect.OK(t, err)
	for _, p := range list {
		if !planned(p.query) || slices.ContainsFunc(remnants(d), func(r remnant) bool { return asked.Replace(r.find) == p.query }) {
			continue
		}
		call := p.name
		if p.parameters > 0 {
			call += "(" + strings.TrimSuffix(strings.Repeat("NULL, ", p.parameters), ", ") + ")"
		}
		lines, err := each(ctx, q, scanValue[string], "SELECT plan_of(?)", "EXPLAIN EXECUTE "+call)
		if err != nil {
			t.Fatal(fmt.Errorf("%s: %w", p.query, err))
		}
		plans[p.query] = strings.Join(lines, "\n")
	}
}
