package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	sqlite3 "modernc.org/sqlite/lib"

	"sandlot"
	"sandlot/internal/storage/sqlstore/engine"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestRegression32OnlyWhatNeverReachedACommitIsWithoutEffect: bytes may go that a step would have
// recorded exactly when its error says so, and then a crash does not bring the step back.
func TestRegression32OnlyWhatNeverReachedACommitIsWithoutEffect(t *testing.T) {
	without := func(t *testing.T, what string, err error, want bool) {
		t.Helper()
		if err == nil || errors.Is(err, sandlot.ErrNoEffect) != want {
			t.Errorf("%s: error is %v; that it had no effect should be %v", what, err, want)
		}
	}
	for code, want := range map[fault]bool{
		sqlite3.SQLITE_FULL:              true,
		sqlite3.SQLITE_IOERR_WRITE:       true,
		sqlite3.SQLITE_IOERR_SHMSIZE:     false, // all frames are in the log
		sqlite3.SQLITE_IOERR_FSYNC:       false,
		sqlite3.SQLITE_IOERR_SHORT_READ:  false,
		sqlite3.SQLITE_BUSY:              false, // not seen at a commit, so nothing is known of it
		sqlite3.SQLITE_CONSTRAINT_UNIQUE: false,
	} {
		t.Run("a commit that fails with "+code.Error(), func(t *testing.T) {
			db := scratch(t)
			db.write.commit = func() error { return code }
			without(t, "the step", db.Step(t.Context(), 0, insert("one")), want)
		})
	}
	t.Run("a step that fails, or panics", func(t *testing.T) {
		db := scratch(t)
		without(t, "one that fails", db.Step(t.Context(), 0, func(engine.Tx) error { return errOwn }), true)
		without(t, "one that panics", db.Step(t.Context(), 0, func(engine.Tx) error { panic("oh") }), true)
		expect.Is(t, "its own error", db.Step(t.Context(), 0, func(engine.Tx) error { return errOwn }), errOwn)
	})
	t.Run("one that another process keeps from beginning", func(t *testing.T) {
		path := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
		db, other := mustOpen(t, path), mustOpen(t, path)
		release := occupied(t, other, nil)
		expect.Is(t, "wait no longer", db.write.exec("PRAGMA busy_timeout = 1"), nil)
		err := db.Step(t.Context(), 0, func(engine.Tx) error { return nil })
		release()
		expect.Is(t, "the step", err, sandlot.ErrUnavailable)
		without(t, "the step", err, true)
	})
	t.Run("one for which too many wait, whose caller leaves, or that comes after the end", func(t *testing.T) {
		full := &writer{queue: make(chan *step)}
		without(t, "too many", full.do(t.Context(), 0, nil), true)
		db := scratch(t)
		release := occupied(t, db, nil)
		ctx, cancel := context.WithCancel(t.Context())
		left := start(t, db, ctx, insert("left"))
		cancel()
		without(t, "left", <-left, true)
		release()
		without(t, "left before", db.Step(ctx, 0, insert("before")), true)
		expect.Is(t, "close", db.Close(), nil)
		without(t, "closed", db.Step(t.Context(), 0, insert("closed")), true)
	})
	t.Run("those behind a sync that failed, whose own step is not", func(t *testing.T) {
		db := scratch(t)
		db.write.commit = func() error { return fault(sqlite3.SQLITE_IOERR_FSYNC) }
		without(t, "the step", db.Step(t.Context(), 0, insert("one")), false)
		without(t, "the next", db.Step(t.Context(), 0, insert("two")), true)
	})
	t.Run("one for which the database was not in its place before, not one after which it was not", func(t *testing.T) {
		for _, before := range []bool{true, false} {
			path := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
			db := mustOpen(t, path)
			move := func() { expect.Is(t, "move", os.Rename(path, path+".moved"), nil) }
			commit := db.write.commit
			db.write.commit = func() error { move(); return commit() }
			if before {
				move()
			}
			without(t, "the step", db.Step(t.Context(), 0, func(engine.Tx) error { return nil }), before)
		}
	})
}
