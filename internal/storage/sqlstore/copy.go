package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"sandlot/internal/storage/sqlstore/engine"
)

// CopyTo writes a copy of the database, as one moment left it, into a new file of that name with mode 0600, and syncs
// it. Reads and writes go on meanwhile; the log grows with the writes. The copy lacks the salts of days, which must not
// outlive their day, and the loads hashed with them; and the keys of networks with the hashes under them. If it fails,
// the file is removed. No room is sandlot.ErrFull. The copy is a SQLite database.
func (db *DB) CopyTo(ctx context.Context, path string) error {
	err := db.engine.CopyTo(ctx, path, func(t engine.Tx) error {
		return forgetDays(&tx{Tx: t, dialect: db.dialect})
	})
	if errors.Is(err, errors.ErrUnsupported) {
		return db.copyRows(ctx, path, forgetDays)
	}
	return err
}

// ofDays lists the tables whose records must not outlive their day.
var ofDays = []string{"day_salts", "loads"}

func forgetDays(t *tx) error {
	if err := t.do("DELETE FROM secrets WHERE name >= '" + networkKeys + "' AND name < '" + networkKeys + "a'"); err != nil {
		return err
	}
	for _, table := range append([]string{"publishers"}, ofDays...) {
		if err := t.do("DELETE FROM " + table); err != nil {
			return err
		}
	}
	return nil
}

// copyRows is CopyTo for a database that is no file: it writes all rows of one moment into a new SQLite database.
func (db *DB) copyRows(ctx context.Context, path string, clean func(*tx) error) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("copy database: %w", err)
	}
	to, err := OpenSQLite(ctx, path, Options{})
	if err == nil {
		err = to.longStep(ctx, func(t *tx) error {
			err := db.copyInto(ctx, to, t, unwatched)
			if err == nil {
				err = clean(t)
			}
			return err
		})
		err = errors.Join(err, to.Close())
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
