package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// copyRows is CopyTo of a database that is no file: a new one in the file of that name
// gets all rows as one moment has them.
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
