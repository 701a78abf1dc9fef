package sqlstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sandlot"
	"sandlot/internal/storage/sqlstore/engine"
)

// A Move copies all records of a database into another one. No other process may use either.
type Move struct {
	From, To *DB
	// Progress is called after each table, with "copied" or "compared" and the number of its rows.
	Progress func(done, table string, rows int64) error
}

// ErrNotEmpty: the target of a move has other records than its source.
var ErrNotEmpty = errors.New("it is not empty")

// Fits returns ErrNotEmpty unless the target has no records, or those of the source already.
func (m Move) Fits(ctx context.Context) error {
	return m.To.longStep(ctx, func(t *tx) error {
		has, err := anyRecord(ctx, t)
		if err != nil || has == "" {
			return err
		}
		if err = (Move{m.From, m.To, unwatched}).compare(ctx, t); errors.Is(err, errDiffers) {
			err = fmt.Errorf("%w: it has %s", ErrNotEmpty, has)
		}
		return err
	})
}

// Run copies all rows in one step of the target, unless it has them already, and compares them. After an error the
// target is as it was before.
func (m Move) Run(ctx context.Context) error {
	return m.To.longStep(ctx, func(t *tx) error {
		has, err := anyRecord(ctx, t)
		if err == nil && has == "" {
			err = m.From.copyInto(ctx, m.To, t, m.Progress)
		}
		if err == nil {
			err = m.compare(ctx, t)
		}
		return err
	})
}

func unwatched(string, string, int64) error { return nil }

// longStep is step for work that takes longer than a request may.
func (db *DB) longStep(ctx context.Context, run func(*tx) error) error {
	return db.engine.LongStep(ctx, func(t engine.Tx) error { return run(&tx{Tx: t, dialect: db.dialect}) })
}

// anyRecord returns the name of a table that has rows. A new database has none but its settings.
func anyRecord(ctx context.Context, t *tx) (string, error) {
	for _, table := range movedTables {
		n, err := one(ctx, t, scanValue[int64], "SELECT count(*) FROM (SELECT 1 FROM "+table.Name+" LIMIT 1) x")
		if err != nil || n > 0 && table.Name != "listing" {
			return table.Name, err
		}
	}
	return "", nil
}

// copyInto writes all rows, as one moment has them, into a database without any.
func (db *DB) copyInto(ctx context.Context, to *DB, t *tx, progress func(done, table string, rows int64) error) error {
	back, err := to.mover.SetAside(t, movedTables)
	if err != nil {
		return err
	}
	err = db.engine.LongSnapshot(ctx, func(q engine.Querier) error {
		if err := db.knowsAll(ctx, snapshot{q, db.dialect}); err != nil {
			return err
		}
		for _, table := range movedTables {
			rows, err := copyTable(ctx, t, q, table)
			if err == nil {
				err = progress("copied", table.Name, rows)
			}
			if err != nil {
				return in("copy "+table.Name, err)
			}
		}
		return db.passOn(ctx, q, to, t)
	})
	if err != nil {
		return err
	}
	for _, statement := range back {
		if err := t.do(statement); err != nil {
			return err
		}
	}
	return nil
}

// knowsAll refuses the schema of a newer program, because the move would leave out its additions.
func (db *DB) knowsAll(ctx context.Context, q querier) error {
	known, err := db.mover.Schema()
	if err != nil {
		return err
	}
	has, err := one(ctx, q, scanValue[int], "SELECT count(*) FROM migrations")
	if err == nil && has > known {
		err = fmt.Errorf("a newer sandlot has added to the schema (it is %d, this one knows %d), and this one would leave that out; "+
			"nothing was changed, run the same with the newer one", has, known)
	}
	return err
}

// copyTable replaces the rows of a table: some tables have one from the first on.
func copyTable(ctx context.Context, t *tx, q engine.Querier, table engine.Table) (n int64, err error) {
	if err := t.do("DELETE FROM " + table.Name); err != nil {
		return 0, err
	}
	for last := []any(nil); ; {
		rows, err := readPage(ctx, q, table, last)
		if err != nil || len(rows) == 0 {
			return n, err
		}
		if err := insertRows(t, table, rows); err != nil {
			return n, err
		}
		last = rows[len(rows)-1][:table.Keys]
		n += int64(len(rows))
	}
}

// passOn makes the target number rows above all numbers that the source ever gave.
func (db *DB) passOn(ctx context.Context, q engine.Querier, to *DB, t *tx) error {
	for _, table := range movedTables {
		if !table.Numbered {
			continue
		}
		last, err := db.mover.Given(ctx, q, table)
		if err == nil {
			err = to.mover.Give(t, table, last)
		}
		if err != nil {
			return in("number "+table.Name, err)
		}
	}
	return nil
}

// errDiffers: a comparison found a difference.
var errDiffers = errors.New("the target differs from the source")

// compare reads all rows of both sides again.
func (m Move) compare(ctx context.Context, t *tx) error {
	return m.From.engine.LongSnapshot(ctx, func(q engine.Querier) error {
		for _, table := range movedTables {
			rows, err := compareTable(ctx, q, t.Tx, table)
			if err == nil {
				err = m.Progress("compared", table.Name, rows)
			}
			if err != nil {
				return in("compare "+table.Name, err)
			}
		}
		return nil
	})
}

func compareTable(ctx context.Context, from, to engine.Querier, table engine.Table) (n int64, err error) {
	for last := []any(nil); ; {
		want, err := readPage(ctx, from, table, last)
		if err != nil {
			return n, err
		}
		have, err := readPage(ctx, to, table, last)
		if err != nil {
			return n, err
		}
		if !slices.EqualFunc(want, have, sameRow) {
			return n, fmt.Errorf("%w behind row %d", errDiffers, n)
		}
		if len(want) == 0 {
			return n, nil
		}
		last = want[len(want)-1][:table.Keys]
		n += int64(len(want))
	}
}

// sameRow compares two rows of nil, int64, string and []byte.
func sameRow(a, b []any) bool {
	return slices.EqualFunc(a, b, func(x, y any) bool {
		some, isBytes := x.([]byte)
		other, both := y.([]byte)
		return isBytes == both && (isBytes && bytes.Equal(some, other) || !isBytes && x == y)
	})
}

// readPage reads the rows behind a key in the order of keys.
func readPage(ctx context.Context, q engine.Querier, table engine.Table, behind []any) ([][]any, error) {
	condition, key := "", strings.Join(table.Key(), ", ")
	if behind != nil {
		condition = " WHERE (" + key + ") > " + marks(len(behind))
	}
	return each(ctx, q, scanRow(len(table.Columns)), "SELECT "+strings.Join(table.Columns, ", ")+" FROM "+table.Name+condition+
		" ORDER BY "+key+" LIMIT "+strconv.Itoa(table.Page), behind...)
}

func scanRow(n int) func(row) ([]any, error) {
	return func(r row) ([]any, error) {
		v, into := make([]any, n), make([]any, n)
		for i := range v {
			into[i] = &v[i]
		}
		if err := r.Scan(into...); err != nil {
			return nil, err
		}
		for i := range v {
			if b, ok := v[i].([]byte); ok && len(b) == 0 {
				v[i] = []byte{} // a driver may give nil for it, which would be stored as null
			}
		}
		return v, nil
	}
}

func marks(n int) string { return "(" + strings.TrimSuffix(strings.Repeat("?, ", n), ", ") + ")" }

func insertRows(t *tx, table engine.Table, rows [][]any) error {
	one := marks(len(table.Columns))
	err := t.do("INSERT INTO "+table.Name+" ("+strings.Join(table.Columns, ", ")+") VALUES "+one+
		strings.Repeat(", "+one, len(rows)-1), slices.Concat(rows...)...)
	if errors.Is(err, sandlot.ErrNotFound) {
		err = fmt.Errorf("a row refers to a record that is not there: %w", err)
	}
	return err
}
