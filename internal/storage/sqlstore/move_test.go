package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sandlot/internal/storage/sqlstore/engine"
	"sandlot/internal/storage/sqlstore/postgres"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func newSQLite(t *testing.T) *DB {
	t.Helper()
	return opened(t)(OpenSQLite(t.Context(), filepath.Join(testenv.MemoryDir(t), "sandlot.db"), Options{}))
}

var movedPostgres = testenv.PostgresTemplate{Make: func(url string) error {
	db, err := OpenPostgres(context.Background(), url, postgres.Options{})
	if err != nil {
		return err
	}
	return db.Close()
}}

func newPostgres(t *testing.T) *DB {
	t.Helper()
	return opened(t)(OpenPostgres(t.Context(), movedPostgres.Postgres(t), postgres.Options{}))
}

func newPgbouncer(t *testing.T) *DB {
	t.Helper()
	return opened(t)(OpenPostgres(t.Context(), movedPostgres.Pgbouncer(t), postgres.Options{}))
}

// opened closes a database at the end of the test.
func opened(t *testing.T) func(*DB, error) *DB {
	return func(db *DB, err error) *DB {
		t.Helper()
		expect.OK(t, err)
		t.Cleanup(func() { expect.OK(t, db.Close()) })
		return db
	}
}

// texts returns the first column of all rows.
func texts(t *testing.T, db *DB, query string, args ...any) []string {
	t.Helper()
	list, err := all(t.Context(), db, scanValue[string], query, args...)
	expect.OK(t, err)
	return list
}

// A rows makes rows of all kinds, by the schema of SQLite.
type rows struct {
	*rand.Rand
	schema *DB
	next   int64 // of what has to be unlike all others
}

// filledRows is how many rows each table has, but for those that have one alone.
const filledRows = 12

// A movedColumn is one of a table: TEXT is its type, and it refers to other rows.
type movedColumn struct{ name, kind, nullable, unique, refers string }

func (r *rows) columns(t *testing.T, table engine.Table) (list []movedColumn) {
	t.Helper()
	yes := func(query, column string) string {
		return strings.Join(texts(t, r.schema, query, table.Name, column), "")
	}
	for _, name := range table.Columns {
		list = append(list, movedColumn{
			name: name, kind: yes("SELECT type FROM pragma_table_xinfo(?) WHERE name = ?", name),
			nullable: yes(`SELECT 'yes' FROM pragma_table_xinfo(?) WHERE "notnull" = 0 AND pk = 0 AND name = ?`, name),
			unique:   yes(`SELECT DISTINCT 'yes' FROM pragma_index_list(?) i, pragma_index_info(i.name) c WHERE i."unique" = 1 AND c.name = ?`, name),
			refers:   yes(`SELECT 'yes' FROM pragma_foreign_key_list(?) WHERE "from" = ?`, name),
		})
	}
	return list
}

// value is one for a column: the smallest, the largest, null where it may be, or another.
func (r *rows) value(c movedColumn, number int64) any {
	r.next++
	if c.nullable != "" && r.IntN(3) == 0 {
		return nil
	}
	if c.refers != "" && c.unique == "" {
		number = 1 + r.Int64N(filledRows)
	}
	switch {
	case c.kind == "INTEGER" && (c.unique != "" || c.refers != ""):
		return number
	case c.kind == "INTEGER":
		return []int64{0, 1, -1, 1<<63 - 2, -1 << 63, r.Int64()}[r.IntN(6)]
	case c.kind == "TEXT" && (c.unique != "" || c.refers != ""):
		return fmt.Sprintf("%d é %q", number, "a'b")
	case c.kind == "TEXT":
		return []string{"", "a", "ä\x7f'\"", "好きな猫", strings.Repeat("x", 3000)}[r.IntN(5)]
	case c.unique != "":
		return fmt.Appendf([]byte{0}, "%d", number)
	}
	return [][]byte{{}, {0}, []byte("\xff\x00text"), []byte(strings.Repeat("\x00\x01", 1500))}[r.IntN(4)]
}

// row is a new row of a table. What the schema wants to be so is.
func (r *rows) row(table engine.Table, columns []movedColumn, number int64) []any {
	v := make([]any, len(columns))
	for i, c := range columns {
		v[i] = r.value(c, number)
		if i == 0 && table.Keys == 1 && c.kind == "INTEGER" {
			v[i] = number
		}
		switch table.Name + "." + c.name {
		case "blobs.size", "accounts.bytes", "accounts.projects":
			v[i] = r.Int64N(1000)
		case "blobs.sha256":
			v[i] = make([]byte, 32)
		case "files.since":
			v[i] = int64(-5)
		case "files.until":
			v[i] = r.next
		case "clock.one", "listing.one":
			v[i] = int64(1)
		case "listing.unverified", "accounts.verified", "projects.listed", "projects.unlisted":
			v[i] = r.Int64N(2)
		}
	}
	return v
}

// goneJob is the number of a message that was sent, above all that are there.
const goneJob = 1 << 40

// filled makes rows of each table, and numbers messages on above them.
func filled(t *testing.T, db *DB) *DB {
	t.Helper()
	r := &rows{Rand: rand.New(rand.NewPCG(1, 2)), schema: newSQLite(t)}
	expect.OK(t, db.longStep(t.Context(), func(x *tx) error {
		back, err := db.mover.SetAside(x, movedTables)
		expect.OK(t, err)
		for _, table := range movedTables {
			columns, n := r.columns(t, table), int64(filledRows)
			if table.Columns[0] == "one" {
				n = 1
			}
			err := x.do("DELETE FROM " + table.Name)
			expect.OK(t, err)
			for i := range n {
				if err := insertRows(x, table, [][]any{r.row(table, columns, i+1)}); err != nil {
					return in(table.Name, err)
				}
			}
		}
		for _, statement := range back {
			err := x.do(statement)
			expect.OK(t, err)
		}
		return db.mover.Give(x, tableOf(t, "jobs"), goneJob)
	}))
	return db
}

func tableOf(t *testing.T, name string) engine.Table {
	t.Helper()
	i := slices.IndexFunc(movedTables, func(table engine.Table) bool { return table.Name == name })
	if i < 0 {
		t.Fatalf("%s does not move", name)
	}
	return movedTables[i]
}

// dump is every row of every table.
func dump(t *testing.T, db *DB) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, table := range movedTables {
		expect.OK(t, db.engine.Snapshot(t.Context(), func(q engine.Querier) error {
			list, err := readPage(t.Context(), q, table, nil)
			for _, v := range list {
				out[table.Name] = append(out[table.Name], fmt.Sprintf("%T %q", v, fmt.Sprint(v...)))
			}
			return err
		}))
	}
	return out
}

// sameRecords fails the test unless a database has every row of another, numbers its rows on, and has its triggers.
func sameRecords(t *testing.T, got, want *DB) {
	t.Helper()
	had := dump(t, want)
	expect.Equal(t, "tables with rows", len(had), len(movedTables))
	expect.Same(t, "rows", dump(t, got), had)
	expect.OK(t, got.engine.Snapshot(t.Context(), func(q engine.Querier) error {
		last, err := got.mover.Given(t.Context(), q, tableOf(t, "jobs"))
		expect.Equal(t, "the last number of a job", last, goneJob)
		return err
	}))
	err := got.step(t.Context(), nil, func(x *tx) error {
		return x.do("UPDATE acts SET reason = ''")
	})
	if err == nil {
		t.Error("the audit log can be changed")
	}
}

func TestAMoveThereAndBack(t *testing.T) {
	t.Parallel()
	first, there, back := filled(t, newSQLite(t)), newPgbouncer(t), newSQLite(t)
	cut := Move{first, there, func(_, table string, _ int64) error {
		if table == "files" {
			return errors.New("cut short")
		}
		return nil
	}}
	if err := cut.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "cut short") {
		t.Errorf("a move that was cut short: %v", err)
	}
	expect.Equal(t, "accounts after it", len(texts(t, there, "SELECT handle FROM accounts")), 0)
	expect.OK(t, (Move{first, there, unwatched}).Fits(t.Context()))
	expect.OK(t, (Move{first, there, unwatched}).Run(t.Context()))
	sameRecords(t, there, first)
	expect.OK(t, (Move{there, back, unwatched}).Run(t.Context()))
	sameRecords(t, back, first)
	expect.OK(t, (Move{there, back, unwatched}).Fits(t.Context()))
	expect.OK(t, (Move{there, back, unwatched}).Run(t.Context())) // as after a kill behind the commit
	expect.OK(t, back.step(t.Context(), nil, func(x *tx) error {
		return x.do("DELETE FROM secrets")
	}))
	expect.Is(t, "other records fit", (Move{there, back, unwatched}).Fits(t.Context()), ErrNotEmpty)
	expect.Is(t, "a move to other records", (Move{there, back, unwatched}).Run(t.Context()), errDiffers)
}

// TestRegressionM21AMoveFindsARowThatDiffers: a value that was changed after it was copied.
func TestRegressionM21AMoveFindsARowThatDiffers(t *testing.T) {
	t.Parallel()
	from, to := filled(t, newSQLite(t)), newSQLite(t)
	m := Move{from, to, func(done, table string, _ int64) error {
		if done != "copied" || table != movedTables[len(movedTables)-1].Name {
			return nil
		}
		return from.step(t.Context(), nil, func(x *tx) error {
			return x.do("UPDATE reports SET details = details || '.'")
		})
	}}
	err := m.Run(t.Context())
	expect.Is(t, "a row that differs", err, errDiffers)
	expect.Contains(t, "the error", err.Error(), "compare reports")
	expect.Equal(t, "accounts after it", len(texts(t, to, "SELECT handle FROM accounts")), 0)
}

// TestTheListOfTablesIsThatOfTheSchema: a move copies every table, and every column that is not computed from others.
func TestTheListOfTablesIsThatOfTheSchema(t *testing.T) {
	t.Parallel()
	db := newSQLite(t)
	stay := map[string]string{
		"probe": "finds out whether the disk has room", "migrations": "says what schema there is", "oldest_schema": "says which programs may use it",
		"leases": "says what processes are at now",
		"loads":  "is of half an hour, and by a salt that another place has not",
	}
	listed := map[string]engine.Table{}
	for _, table := range movedTables {
		listed[table.Name] = table
	}
	for _, name := range texts(t, db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name") {
		table, ok := listed[name]
		if delete(listed, name); !ok {
			if stay[name] == "" {
				t.Errorf("%s is a table that no move copies", name)
			}
			continue
		}
		info := "FROM pragma_table_xinfo('" + name + "') WHERE hidden = 0"
		expect.Same(t, "columns of "+name, slices.Sorted(slices.Values(table.Columns)), texts(t, db, "SELECT name "+info+" ORDER BY 1"))
		expect.Same(t, "key of "+name, table.Key(), texts(t, db, "SELECT name "+info+" AND pk > 0 ORDER BY pk"))
		alone := table.Keys == 1 && len(texts(t, db, "SELECT name "+info+" AND pk > 0 AND type = 'INTEGER'")) > 0 &&
			!slices.Contains([]string{"blob", "project", "account", "one", "process", "day"}, table.Columns[0])
		expect.Equal(t, name+" is numbered by the database", table.Numbered, alone)
	}
	for name := range listed {
		t.Errorf("%s is no table of the schema", name)
	}
}
