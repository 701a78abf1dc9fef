package postgres

import (
	"cmp"
	"context"
	"fmt"

	"sandlot/internal/storage/sqlstore/engine"
)

// Mover is engine.Mover for PostgreSQL. It needs the rights of the tables' owner alone.
type Mover struct{}

var _ engine.Mover = Mover{}

func (Mover) SetAside(t engine.Tx, tables []engine.Table) (back []string, err error) {
	for _, table := range tables {
		if _, err := t.Exec("ALTER TABLE " + table.Name + " DISABLE TRIGGER USER"); err != nil {
			return nil, err
		}
		back = append(back, "ALTER TABLE "+table.Name+" ENABLE TRIGGER USER")
	}
	return back, nil
}

func (Mover) Given(ctx context.Context, q engine.Querier, table engine.Table) (last int64, err error) {
	rows, err := q.Query(ctx, fmt.Sprintf(`SELECT greatest((SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM %[1]s_%[2]s_seq),
		(SELECT coalesce(max(%[2]s), 0) FROM %[1]s))`, table.Name, table.Columns[0]))
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	if rows.Next() {
		err = rows.Scan(&last)
	}
	return last, cmp.Or(err, rows.Err())
}

func (Mover) Give(t engine.Tx, table engine.Table, last int64) error {
	_, err := t.Exec("SELECT setval(CAST(CAST(? AS TEXT) AS regclass), greatest(CAST(? AS BIGINT), 1), CAST(? AS BIGINT) > 0)",
		table.Name+"_"+table.Columns[0]+"_seq", last, last)
	return err
}

func (Mover) Schema() (int, error) {
	known, err := knownMigrations()
	return len(known), err
}
