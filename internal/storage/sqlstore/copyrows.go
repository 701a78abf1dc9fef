package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"sandlot/internal/storage/sqlstore/engine"
)

// copyRows is CopyTo of a database that is no file: a new one in the file of that name
// gets all rows as one moment has them.
func (db *DB) copyRows(ctx context.Context, path string, clean func(*tx) error) error {
	if db.left != nil {
		return fmt.Errorf("copy database: its records have moved to %s: copy those", db.left.To)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("copy database: %w", err)
	}
	to, err := OpenSQLite(ctx, path, Options{Filling: true})
	if err == nil {
		err = errors.Join(db.copyInto(ctx, to, clean), to.Close())
	}
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		return nil
	}
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		if gone := os.Remove(name); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return fmt.Errorf("copy database: %w", err)
}

// copyInto fills a database that was made with Options.Filling, and that nobody else uses.
func (db *DB) copyInto(ctx context.Context, to *DB, clean func(*tx) error) error {
	err := to.step(ctx, 0, func(t *tx) error {
		if err := to.mover.SetAside(t, movedTables); err != nil {
			return err
		}
		for _, table := range movedTables { // some have a row from the first on
			if _, err := t.exec("DELETE FROM " + table.Name); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = db.engine.LongSnapshot(ctx, func(q engine.Querier) error {
		for _, table := range movedTables {
			if err := copyTable(ctx, q, to, table); err != nil {
				return in("copy "+table.Name, err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	// Asked for after the rows were read: what was numbered since is above them.
	given, err := db.given(ctx)
	if err != nil {
		return err
	}
	return to.step(ctx, 0, func(t *tx) error {
		if err := errors.Join(to.give(t, given), to.mover.PutBack(t, movedTables)); err != nil {
			return err
		}
		return clean(t)
	})
}

// copyTable writes all rows of a table.
func copyTable(ctx context.Context, q engine.Querier, to *DB, table engine.Table) error {
	for last, more := values(nil), true; more; {
		rows, err := readPage(ctx, q, table, last, nil, table.Page)
		if err != nil || len(rows) == 0 {
			return err
		}
		err = to.step(ctx, 0, func(t *tx) error {
			for _, r := range rows {
				if err := t.write(table, r); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		last, more = rows[len(rows)-1][:table.Keys], len(rows) == table.Page
	}
	return nil
}

// given is the highest number that rows of each table ever got, where the database gives
// them.
func (db *DB) given(ctx context.Context) (given map[string]int64, err error) {
	err = db.step(ctx, 0, func(t *tx) error {
		given, err = db.givenIn(t)
		return err
	})
	return given, err
}

func (db *DB) givenIn(t *tx) (map[string]int64, error) {
	given := map[string]int64{}
	for _, table := range movedTables {
		if !table.Numbered {
			continue
		}
		n, err := db.mover.Given(t, table)
		if err != nil {
			return nil, err
		}
		given[table.Name] = n
	}
	return given, nil
}

// give has the database number rows above those.
func (db *DB) give(t *tx, given map[string]int64) error {
	for _, table := range movedTables {
		if n, ok := given[table.Name]; ok {
			if err := db.mover.Give(t, table, n); err != nil {
				return err
			}
		}
	}
	return nil
}
