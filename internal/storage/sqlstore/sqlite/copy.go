package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	"sandlot/internal/storage/sqlstore/engine"
)

// CopyTo writes a copy of the database, as one moment left it, into a new file of that name with mode 0600,
// has clean remove the records that do not belong there, and syncs it. Reads and writes go on meanwhile; the
// log grows with the writes. If it fails, the file is removed. No room is sandlot.ErrFull.
func (e *Engine) CopyTo(ctx context.Context, path string, clean func(engine.Tx) error) error {
	if e.closed.Load() {
		return errClosed
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("copy database: %w", err)
	}
	// Into a file that is there and empty, so that its mode is never another.
	err = e.vacuumInto(ctx, path)
	if err == nil {
		err = cleanCopy(ctx, path, clean)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("copy database: %w", errors.Join(err, os.Remove(path)))
	}
	return nil
}

// vacuumInto uses a connection of its own, which is as long under way as the disk
// needs for all of it.
func (e *Engine) vacuumInto(ctx context.Context, path string) error {
	var file string
	if err := e.read.db.QueryRowContext(ctx, "SELECT file FROM pragma_database_list WHERE name = 'main'").Scan(&file); err != nil {
		return Classify(err)
	}
	c, err := newConnector(file, "ro", commonPragmas(readerCacheKiB))
	if err != nil {
		return err
	}
	pool := sql.OpenDB(c)
	_, err = pool.ExecContext(ctx, "VACUUM INTO ?", path)
	return errors.Join(Classify(err), pool.Close())
}

// cleanCopy changes a copy, which nobody else uses, in one transaction.
func cleanCopy(ctx context.Context, path string, clean func(engine.Tx) error) error {
	c, err := newConnector(path, "rw", commonPragmas(readerCacheKiB))
	if err != nil {
		return err
	}
	pool := sql.OpenDB(c)
	w, err := newWriter(ctx, pool)
	if err != nil {
		return errors.Join(Classify(err), pool.Close())
	}
	return errors.Join(w.do(ctx, 0, clean), w.close())
}
