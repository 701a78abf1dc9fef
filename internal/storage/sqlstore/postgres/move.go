package postgres

import (
	"context"
	"fmt"
	"strings"

	"sandlot/internal/storage/sqlstore/engine"
)

// Mover is engine.Mover for PostgreSQL. It takes no rights but those of the owner of the
// tables.
type Mover struct{}

var _ engine.Mover = Mover{}

// elsewhere is the SQLSTATE with which a trigger refuses what is to be done in another
// database now.
const elsewhere = "SL001"

// Watch implements engine.Mover.
func (m Mover) Watch(t engine.Tx, table engine.Table) error {
	if err := m.Unwatch(t, table); err != nil {
		return err
	}
	note := func(row string) string {
		var key []string
		for _, c := range table.Key() {
			key = append(key, row+"."+c.Name)
		}
		return fmt.Sprintf("INSERT INTO moving_changes (name, %s) VALUES ('%s', %s);", strings.Join(table.Slots(), ", "), table.Name, strings.Join(key, ", "))
	}
	return runAll(t,
		fmt.Sprintf(`CREATE FUNCTION watch_%s() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF TG_OP <> 'INSERT' THEN %s END IF;
			IF TG_OP <> 'DELETE' THEN %s END IF;
			RETURN NULL;
		END $$`, table.Name, note("old"), note("new")),
		fmt.Sprintf("CREATE TRIGGER watch AFTER INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW EXECUTE FUNCTION watch_%s()", table.Name, table.Name))
}

// Unwatch implements engine.Mover.
func (Mover) Unwatch(t engine.Tx, table engine.Table) error {
	return runAll(t, "DROP TRIGGER IF EXISTS watch ON "+table.Name, fmt.Sprintf("DROP FUNCTION IF EXISTS watch_%s()", table.Name))
}

// Refuse implements engine.Mover.
func (m Mover) Refuse(t engine.Tx, table engine.Table) error {
	return runAll(t,
		fmt.Sprintf(`CREATE OR REPLACE FUNCTION refuse_changes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			RAISE EXCEPTION 'the records have moved elsewhere' USING ERRCODE = '%s';
		END $$`, elsewhere),
		"DROP TRIGGER IF EXISTS a_refuse ON "+table.Name, // the first in the order of names
		"CREATE TRIGGER a_refuse BEFORE INSERT OR UPDATE OR DELETE ON "+table.Name+" FOR EACH ROW EXECUTE FUNCTION refuse_changes()")
}

// Allow implements engine.Mover.
func (Mover) Allow(t engine.Tx, table engine.Table) error {
	return runAll(t, "DROP TRIGGER IF EXISTS a_refuse ON "+table.Name)
}

// Alone implements engine.Mover. Whoever reads goes on.
func (Mover) Alone(t engine.Tx, tables []engine.Table) error {
	var names []string
	for _, table := range tables {
		names = append(names, table.Name)
	}
	return runAll(t, "LOCK TABLE "+strings.Join(names, ", ")+" IN SHARE ROW EXCLUSIVE MODE")
}

// SetAside implements engine.Mover.
func (Mover) SetAside(t engine.Tx, tables []engine.Table) error {
	for _, table := range tables {
		if err := runAll(t, "ALTER TABLE "+table.Name+" DISABLE TRIGGER USER"); err != nil {
			return err
		}
		references, err := texts(t, "SELECT conname FROM pg_constraint WHERE contype = 'f' AND conrelid = to_regclass(?) ORDER BY conname", table.Name)
		if err != nil {
			return err
		}
		for _, name := range references {
			// NOT VALID: rows that are there were compared with those that they are copies of.
			const aside = `INSERT INTO moving_aside (statement)
				SELECT 'ALTER TABLE ' || CAST(? AS TEXT) || ' ADD CONSTRAINT ' || quote_ident(conname) || ' ' || pg_get_constraintdef(oid) || (CASE WHEN convalidated THEN ' NOT VALID' ELSE '' END)
				FROM pg_constraint WHERE contype = 'f' AND conrelid = to_regclass(?) AND conname = ?`
			if _, err := t.Exec(aside, table.Name, table.Name, name); err != nil {
				return err
			}
			if err := runAll(t, "ALTER TABLE "+table.Name+` DROP CONSTRAINT "`+name+`"`); err != nil {
				return err
			}
		}
	}
	return nil
}

// PutBack implements engine.Mover.
func (Mover) PutBack(t engine.Tx, tables []engine.Table) error {
	statements, err := texts(t, "SELECT statement FROM moving_aside ORDER BY id")
	if err != nil {
		return err
	}
	for _, table := range tables {
		statements = append(statements, "ALTER TABLE "+table.Name+" ENABLE TRIGGER USER")
	}
	return runAll(t, append(statements, "DELETE FROM moving_aside")...)
}

// Given implements engine.Mover.
func (Mover) Given(t engine.Tx, table engine.Table) (int64, error) {
	column := table.Columns[0].Name
	rows, err := t.Query(context.Background(), fmt.Sprintf("SELECT greatest((SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM %s_%s_seq), (SELECT coalesce(max(%s), 0) FROM %s))", table.Name, column, column, table.Name))
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	var last int64
	if rows.Next() {
		err = rows.Scan(&last)
	}
	if err != nil {
		return 0, err
	}
	return last, rows.Err()
}

// Give implements engine.Mover.
func (Mover) Give(t engine.Tx, table engine.Table, last int64) error {
	_, err := t.Exec("SELECT setval(CAST(CAST(? AS TEXT) AS regclass), greatest(CAST(? AS BIGINT), 1), CAST(? AS BIGINT) > 0)", table.Name+"_"+table.Columns[0].Name+"_seq", last, last)
	return err
}

// Schema implements engine.Mover.
func (Mover) Schema(t engine.Tx) (string, error) {
	list, err := texts(t, "SELECT max(n) || ' ' || count(*) FROM migrations")
	if err != nil || len(list) == 0 {
		return "", err
	}
	return list[0], nil
}

func runAll(t engine.Tx, statements ...string) error {
	for _, s := range statements {
		if _, err := t.Exec(s); err != nil {
			return err
		}
	}
	return nil
}

// texts returns the only column of all rows.
func texts(t engine.Tx, query string, args ...any) ([]string, error) {
	rows, err := t.Query(context.Background(), query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, rows.Err()
}
