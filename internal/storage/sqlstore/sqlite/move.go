package sqlite

import (
	"context"
	"fmt"

	"sandlot/internal/storage/sqlstore/engine"
)

// Mover is engine.Mover for SQLite.
type Mover struct{}

var _ engine.Mover = Mover{}

// SetAside implements engine.Mover.
func (Mover) SetAside(t engine.Tx, _ []engine.Table) (back []string, err error) {
	const triggers = " FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid"
	names, err := values[string](context.Background(), t, "SELECT name"+triggers)
	if err != nil {
		return nil, err
	}
	if back, err = values[string](context.Background(), t, "SELECT sql"+triggers); err != nil {
		return nil, err
	}
	for _, name := range names {
		if _, err := t.Exec(`DROP TRIGGER "` + name + `"`); err != nil {
			return nil, err
		}
	}
	return back, nil
}

// Given implements engine.Mover. A table without AUTOINCREMENT does not remember the numbers of rows that are gone.
func (Mover) Given(ctx context.Context, q engine.Querier, table engine.Table) (int64, error) {
	return value[int64](ctx, q, fmt.Sprintf(`SELECT max(coalesce((SELECT max(seq) FROM sqlite_sequence WHERE name = '%[1]s'), 0),
		coalesce((SELECT max(%[2]s) FROM %[1]s), 0))`, table.Name, table.Columns[0]))
}

// Give implements engine.Mover. A table without AUTOINCREMENT goes on above its rows.
func (Mover) Give(t engine.Tx, table engine.Table, last int64) error {
	if _, err := t.Exec("DELETE FROM sqlite_sequence WHERE name = ?", table.Name); err != nil {
		return err
	}
	_, err := t.Exec(`INSERT INTO sqlite_sequence (name, seq)
		SELECT name, ? FROM sqlite_schema WHERE type = 'table' AND name = ? AND sql LIKE '%AUTOINCREMENT%'`, last, table.Name)
	return err
}
