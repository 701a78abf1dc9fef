package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"

	"sandlot"
	"sandlot/internal/storage/sqlstore/engine"
)

// CopyTo writes a copy of the database, as one moment left it, into a new file of that name with mode 0600, has clean
// remove the records that do not belong there, and syncs it. Reads and writes go on meanwhile; the log grows with the
// writes. If it fails, the file is removed. No room is sandlot.ErrFull.
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

// vacuumInto uses a connection of its own, which is as long under way as the disk needs for all of it.
func (e *Engine) vacuumInto(ctx context.Context, path string) error {
	var file string
	if err := e.read.db.QueryRowContext(ctx, "SELECT file FROM pragma_database_list WHERE name = 'main'").Scan(&file); err != nil {
		return Classify(err)
	}
	c, err := newConnector(file, "ro", commonSettings(readerCacheKiB))
	if err != nil {
		return err
	}
	pool := sql.OpenDB(c)
	_, err = pool.ExecContext(ctx, "VACUUM INTO ?", path)
	return errors.Join(Classify(err), pool.Close())
}

// cleanCopy changes a copy, which nobody else uses, in one transaction.
func cleanCopy(ctx context.Context, path string, clean func(engine.Tx) error) error {
	c, err := newConnector(path, "rw", commonSettings(readerCacheKiB))
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

// Damage has SQLite check every page, index and reference, and returns the faults, at most limit lines of each kind.
// References of the table except are left out.
func (e *Engine) Damage(ctx context.Context, limit int, except string) ([]string, error) {
	var list []string
	err := e.Snapshot(ctx, func(s engine.Querier) (err error) {
		list, err = damage(ctx, s, limit, except)
		return err
	})
	return list, err
}

func damage(ctx context.Context, q engine.Querier, limit int, except string) ([]string, error) {
	list, err := values[string](ctx, q, fmt.Sprintf("PRAGMA integrity_check(%d)", limit))
	if errors.Is(err, sandlot.ErrCorrupt) {
		return []string{oneLine(err.Error())}, nil
	}
	if err != nil {
		return nil, in("check the database", err)
	}
	if len(list) == 1 && list[0] == "ok" {
		list = nil
	}
	for i := range list {
		list[i] = oneLine(list[i])
	}
	dangling, err := values[string](ctx, q, `
		SELECT 'a record of ' || "table" || ' refers to one of ' || parent || ' that is missing' FROM pragma_foreign_key_check
		WHERE "table" <> ? LIMIT ?`, except, limit)
	return append(list, dangling...), in("check references", err)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
