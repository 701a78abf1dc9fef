package sqlite

import (
	"context"
	"fmt"
	"strings"

	"sandlot/internal/storage/sqlstore/engine"
)

type Dialect struct{}

var _ engine.Dialect = Dialect{}

func (Dialect) Numbers(parameter, alias string) string {
	return "json_each(" + parameter + ") " + alias
}

func (d Dialect) Texts(parameter, alias string) string { return d.Numbers(parameter, alias) }

func (Dialect) Among(expression, table string) string {
	return expression + " IN (SELECT value FROM " + table + ")"
}

func (Dialect) Locked(...string) string { return "" }

func (Dialect) Alone(string) string { return "" }

func (Dialect) Together(string) string { return "" }

func (Dialect) Greatest(values ...string) string {
	return "max(" + strings.Join(values, ", ") + ")"
}

func (Dialect) EqualFold(a, b string) string { return a + " = " + b + " COLLATE NOCASE" }

func (Dialect) DomainOf(address string) string {
	return "lower(substr(" + address + ", instr(" + address + ", '@') + 1))"
}

type Mover struct{}

var _ engine.Mover = Mover{}

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

// A table without AUTOINCREMENT does not remember the numbers of rows that are gone.
func (Mover) Given(ctx context.Context, q engine.Querier, table engine.Table) (int64, error) {
	return value[int64](ctx, q, fmt.Sprintf(`SELECT max(coalesce((SELECT max(seq) FROM sqlite_sequence WHERE name = '%[1]s'), 0),
		coalesce((SELECT max(%[2]s) FROM %[1]s), 0))`, table.Name, table.Columns[0]))
}

// A table without AUTOINCREMENT goes on above its rows.
func (Mover) Give(t engine.Tx, table engine.Table, last int64) error {
	if _, err := t.Exec("DELETE FROM sqlite_sequence WHERE name = ?", table.Name); err != nil {
		return err
	}
	_, err := t.Exec(`INSERT INTO sqlite_sequence (name, seq)
		SELECT name, ? FROM sqlite_schema WHERE type = 'table' AND name = ? AND sql LIKE '%AUTOINCREMENT%'`, last, table.Name)
	return err
}

func (Mover) Schema() (int, error) {
	known, err := knownMigrations()
	return len(known), err
}
