package sqlite

import (
	"context"
	"fmt"
	"strings"

	"sandlot/internal/storage/sqlstore/engine"
)

// Mover is engine.Mover for SQLite. A database that is moved into has to be opened with
// Options.Filling, which leaves references alone.
type Mover struct{}

var _ engine.Mover = Mover{}

// elsewhere is the text with which a trigger refuses what is to be done in another
// database now. Classify knows it.
const elsewhere = "sandlot: the records have moved elsewhere"

// changes are the events of a trigger, and the rows whose keys each is about.
var changes = []struct{ event, rows string }{{"INSERT", "new"}, {"UPDATE", "old new"}, {"DELETE", "old"}}

// Watch implements engine.Mover.
func (m Mover) Watch(t engine.Tx, table engine.Table) error {
	if err := m.Unwatch(t, table); err != nil {
		return err
	}
	for _, c := range changes {
		var body strings.Builder
		for _, row := range strings.Fields(c.rows) {
			var key []string
			for _, column := range table.Key() {
				key = append(key, row+"."+column.Name)
			}
			fmt.Fprintf(&body, "INSERT INTO moving_changes (name, %s) VALUES ('%s', %s); ", strings.Join(table.Slots(), ", "), table.Name, strings.Join(key, ", "))
		}
		if err := run(t, fmt.Sprintf("CREATE TRIGGER watch_%s_%s AFTER %s ON %s BEGIN %sEND", table.Name, c.event, c.event, table.Name, body.String())); err != nil {
			return err
		}
	}
	return nil
}

// Unwatch implements engine.Mover.
func (Mover) Unwatch(t engine.Tx, table engine.Table) error { return dropTriggers(t, "watch", table) }

// Refuse implements engine.Mover.
func (m Mover) Refuse(t engine.Tx, table engine.Table) error {
	if err := m.Allow(t, table); err != nil {
		return err
	}
	for _, c := range changes {
		if err := run(t, fmt.Sprintf("CREATE TRIGGER refuse_%s_%s BEFORE %s ON %s BEGIN SELECT raise(ABORT, '%s'); END", table.Name, c.event, c.event, table.Name, elsewhere)); err != nil {
			return err
		}
	}
	return nil
}

// Allow implements engine.Mover.
func (Mover) Allow(t engine.Tx, table engine.Table) error { return dropTriggers(t, "refuse", table) }

func dropTriggers(t engine.Tx, kind string, table engine.Table) error {
	for _, c := range changes {
		if err := run(t, fmt.Sprintf("DROP TRIGGER IF EXISTS %s_%s_%s", kind, table.Name, c.event)); err != nil {
			return err
		}
	}
	return nil
}

// Alone implements engine.Mover. A step that writes is alone anyway.
func (Mover) Alone(engine.Tx, []engine.Table) error { return nil }

// SetAside implements engine.Mover.
func (Mover) SetAside(t engine.Tx, _ []engine.Table) error {
	names, err := values[string](context.Background(), t, "SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid")
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := run(t, "INSERT INTO moving_aside (statement) SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?", name); err != nil {
			return err
		}
		if err := run(t, `DROP TRIGGER "`+name+`"`); err != nil {
			return err
		}
	}
	return nil
}

// PutBack implements engine.Mover.
func (Mover) PutBack(t engine.Tx, _ []engine.Table) error {
	statements, err := values[string](context.Background(), t, "SELECT statement FROM moving_aside ORDER BY id")
	if err != nil {
		return err
	}
	for _, s := range append(statements, "DELETE FROM moving_aside") {
		if err := run(t, s); err != nil {
			return err
		}
	}
	return nil
}

// Given implements engine.Mover. Of a table without AUTOINCREMENT nobody knows what
// was given to rows that are gone.
func (Mover) Given(t engine.Tx, table engine.Table) (int64, error) {
	return value[int64](context.Background(), t, fmt.Sprintf("SELECT max(coalesce((SELECT max(seq) FROM sqlite_sequence WHERE name = '%s'), 0), coalesce((SELECT max(%s) FROM %s), 0))",
		table.Name, table.Columns[0].Name, table.Name))
}

// Give implements engine.Mover. A table without AUTOINCREMENT goes on above its rows.
func (Mover) Give(t engine.Tx, table engine.Table, last int64) error {
	counts, err := value[bool](context.Background(), t, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ? AND sql LIKE '%AUTOINCREMENT%'", table.Name)
	if err != nil || !counts {
		return err
	}
	if err := run(t, "DELETE FROM sqlite_sequence WHERE name = ?", table.Name); err != nil {
		return err
	}
	return run(t, "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", table.Name, last)
}

// Schema implements engine.Mover.
func (Mover) Schema(t engine.Tx) (string, error) {
	return value[string](context.Background(), t, "SELECT coalesce(max(n), 0) || ' ' || coalesce(hex(sha256), '') FROM migrations")
}

func run(t engine.Tx, statement string, args ...any) error {
	_, err := t.Exec(statement, args...)
	return err
}
