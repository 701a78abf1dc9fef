package sqlite

import (
	"context"
	"fmt"

	"sandlot"
	"sandlot/internal/storage/sqlstore/engine"
)

const (
	// unusedKept is how much room stays with the database: more than comes and goes within minutes, so that pages do
	// not travel to and fro.
	unusedKept = 16 << 20
	// giveBackPages is the number of pages that one step returns: 1 MiB, some milliseconds of moving pages.
	giveBackPages = 64
)

// Unused returns how many bytes of the file are free for new records.
func (e *Engine) Unused(ctx context.Context) (int64, error) {
	pages, err := value[int64](ctx, e.read, "PRAGMA freelist_count")
	return pages * pageSize, in("count unused pages", sandlot.NoEffect(err))
}

// GiveBack makes the file shorter by some of its unused pages, and reports whether there are more; while steps wait it
// does nothing.
func (e *Engine) GiveBack(ctx context.Context) (more bool, err error) {
	unused, err := e.Unused(ctx)
	if err != nil || unused <= unusedKept {
		return false, err
	}
	if len(e.write.queue) > 0 {
		return true, nil
	}
	more = unused-giveBackPages*pageSize > unusedKept
	err = e.Step(ctx, 0, func(t engine.Tx) error {
		if !more {
			// The change that makes the file shorter is in the log first. A request outside of this step would be used
			// up by the batch before it.
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
