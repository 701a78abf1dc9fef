package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
)

// CopyTo writes a copy of the database, as one moment left it, into a new file of
// that name with mode 0600, and syncs it. Reads and writes go on meanwhile; the
// log grows with what is written. A version that was being recorded in steps is not
// in it. If it fails, the file is removed. No room is publish.ErrFull.
func (db *DB) CopyTo(ctx context.Context, path string) error {
	if db.closed.Load() {
		return errClosed
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("copy database: %w", err)
	}
	// Into a file that is there and empty, so that its mode is never another.
	err = db.vacuumInto(ctx, path)
	if err == nil {
		err = leaveDrafts(ctx, path)
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
func (db *DB) vacuumInto(ctx context.Context, path string) error {
	var file string
	if err := db.read.db.QueryRowContext(ctx, "SELECT file FROM pragma_database_list WHERE name = 'main'").Scan(&file); err != nil {
		return classify(err)
	}
	c, err := newConnector(file, "ro", commonPragmas(readerCacheKiB))
	if err != nil {
		return err
	}
	pool := sql.OpenDB(c)
	_, err = pool.ExecContext(ctx, "VACUUM INTO ?", path)
	return errors.Join(classify(err), pool.Close())
}

// leaveDrafts takes the drafts out of a copy, which nobody else uses, and the blobs
// that came with them: those of a draft that is refused are deleted at once.
func leaveDrafts(ctx context.Context, path string) error {
	c, err := newConnector(path, "rw", commonPragmas(readerCacheKiB))
	if err != nil {
		return err
	}
	pool := sql.OpenDB(c)
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return errors.Join(classify(err), pool.Close())
	}
	if err = takeDrafts(ctx, tx); err == nil {
		err = tx.Commit()
	} else {
		err = errors.Join(err, tx.Rollback())
	}
	return errors.Join(classify(err), pool.Close())
}

// takeDrafts deletes drafts with their files, and of those the blobs that are nothing
// else. One that has variants was there before.
func takeDrafts(ctx context.Context, tx *sql.Tx) error {
	put, err := all(ctx, snapshot{tx}, scanValue[int64],
		"SELECT f.blob FROM drafts d JOIN files f ON f.project = d.project AND f.until = 9223372036854775807 AND f.since = d.n")
	if err != nil {
		return err
	}
	const ofDrafts = "project IN (SELECT project FROM drafts) AND "
	for _, query := range []string{
		"DELETE FROM files WHERE " + ofDrafts + "until = 9223372036854775807 AND since = (SELECT n FROM drafts d WHERE d.project = files.project)",
		"UPDATE files SET until = 9223372036854775807 WHERE " + ofDrafts + "until = (SELECT n FROM drafts d WHERE d.project = files.project)",
		"DELETE FROM drafts",
	} {
		if _, err := tx.ExecContext(ctx, query); err != nil {
			return err
		}
	}
	gone, err := all(ctx, snapshot{tx}, scanValue[int64], `SELECT b.id FROM blobs b WHERE b.id IN (SELECT value FROM json_each(?))
		AND NOT EXISTS (SELECT 1 FROM files f WHERE f.blob = b.id) AND NOT EXISTS (SELECT 1 FROM upload_parts p WHERE p.blob = b.id)
		AND NOT EXISTS (SELECT 1 FROM variants v WHERE v.blob = b.id) AND NOT EXISTS (SELECT 1 FROM variants v WHERE v.variant = b.id)`, idList(put))
	if err != nil {
		return err
	}
	for _, do := range []struct {
		query string
		ids   []int64
	}{
		{"UPDATE blobs SET loose = 1 WHERE id IN (SELECT value FROM json_each(?))", put}, // others are Sweep's to look at
		{"DELETE FROM contents WHERE blob IN (SELECT value FROM json_each(?))", gone},
		{"DELETE FROM blobs WHERE id IN (SELECT value FROM json_each(?))", gone},
	} {
		if _, err := tx.ExecContext(ctx, do.query, idList(do.ids)); err != nil {
			return err
		}
	}
	return nil
}
