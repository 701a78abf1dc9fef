package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"sandlot"
	"sandlot/internal/storage/sqlstore/engine"
)

const (
	// unusedKept is how much room stays with the database: more than comes and goes within minutes, so that pages do not travel to and fro.
	unusedKept = 16 << 20
	// giveBackPages is what one step returns: 1 MiB, some milliseconds of moving pages.
	giveBackPages = 64
	// adoptBytes bounds the records that are copied once so that their database can shrink: some seconds of a start.
	adoptBytes = 256 << 20
)

// Unused tells how many bytes of the file are free for new records.
func (e *Engine) Unused(ctx context.Context) (int64, error) {
	var pages int64
	err := e.Read(ctx, func(q engine.Querier) (err error) {
		pages, err = value[int64](ctx, q, "PRAGMA freelist_count")
		return err
	})
	return pages * e.pageSize, in("count unused pages", err)
}

// GiveBack makes the file shorter by some of its unused pages, and tells whether there
// are more; while steps wait it does nothing. A database that was not adopted gives
// nothing back.
func (e *Engine) GiveBack(ctx context.Context) (more bool, err error) {
	unused, err := e.Unused(ctx)
	if err != nil || !e.shrinks || unused <= unusedKept {
		return false, err
	}
	if len(e.write.queue) > 0 {
		return true, nil
	}
	more = unused-giveBackPages*e.pageSize > unusedKept
	err = e.Step(ctx, 0, func(t engine.Tx) error {
		if !more {
			// What leads to the shorter file is in the log first. The batch before this one would use up what is asked for outside.
			e.write.fold.Store(true)
		}
		rows, err := t.Query(ctx, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", giveBackPages))
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() { // a row for each page: to stop reading is to stop moving
		}
		return rows.Err()
	})
	return more && err == nil, in("give room back", err)
}

// measure finds out what GiveBack and Unused have to know.
func (e *Engine) measure(ctx context.Context) (err error) {
	if e.pageSize, err = value[int64](ctx, e.read, "PRAGMA page_size"); err != nil {
		return err
	}
	e.shrinks, err = value[bool](ctx, e.read, "SELECT auto_vacuum <> 0 FROM pragma_auto_vacuum")
	return err
}

// overwritten is the user_version of a database in which everything was deleted under
// secure_delete: in older ones unused pages still hold what was there.
const overwritten = 1

// adopt makes a database of before this could shrink, or overwrote what it deletes,
// into one that can and has, by copying its records once. The copy goes through the
// log, so it has happened wholly or not at all. One that is too large stays as it is,
// and so does one for which there is no room now: its unused pages are filled again,
// but not given back.
func adopt(ctx context.Context, path string) error {
	// A copy in memory could be more than there is.
	c, err := newConnector(path, "rw", append(writerPragmas(cacheBytes>>11), pragma{name: "temp_store", set: "FILE", want: "1"}))
	if err != nil {
		return err
	}
	pool := sql.OpenDB(c)
	pool.SetMaxOpenConns(1)
	var mode, version, bytes int64
	err = pool.QueryRowContext(ctx, `SELECT auto_vacuum, user_version, (page_count - freelist_count) * page_size
		FROM pragma_auto_vacuum, pragma_user_version, pragma_page_count, pragma_freelist_count, pragma_page_size`).Scan(&mode, &version, &bytes)
	if err == nil && (mode == 0 || version < overwritten) && bytes <= adoptBytes {
		if _, err = pool.ExecContext(ctx, fmt.Sprintf("PRAGMA page_size = %d; PRAGMA auto_vacuum = INCREMENTAL; VACUUM", pageSize)); err == nil {
			_, err = pool.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", overwritten))
		}
	}
	err = errors.Join(Classify(err), pool.Close())
	if errors.Is(err, sandlot.ErrFull) || errors.Is(err, sandlot.ErrUnavailable) {
		return nil // the next start tries again
	}
	return in("copy the records of a database that cannot shrink", err)
}
