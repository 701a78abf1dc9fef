package sqlite

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"sandlot"
	"sandlot/internal/storage/sqlstore/engine"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// scratch is a database with a table to write into.
func scratch(t *testing.T) *Engine {
	db := mustOpen(t, filepath.Join(testenv.MemoryDir(t), "sandlot.db"))
	mustExec(t, db, "CREATE TABLE scratch (name TEXT PRIMARY KEY) STRICT")
	return db
}

func insert(name string) func(engine.Tx) error {
	return func(t engine.Tx) error {
		_, err := t.Exec("INSERT INTO scratch (name) VALUES (?)", name)
		return err
	}
}

// names is what scratch holds, as a reader sees it.
func names(t *testing.T, db *Engine) string {
	t.Helper()
	list, err := values[string](t.Context(), db.read, "SELECT name FROM scratch ORDER BY name")
	expect.OK(t, err)
	return strings.Join(list, " ")
}

// occupied has a writer that is busy with a step until release is called. The
// step ends with the error want.
func occupied(t *testing.T, db *Engine, want error) (release func()) {
	t.Helper()
	begun, end, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- db.Step(context.Background(), 0, func(engine.Tx) error {
			close(begun)
			<-end
			return nil
		})
	}()
	<-begun
	return func() {
		t.Helper()
		close(end)
		expect.Is(t, "the step that kept the writer busy", <-done, want)
	}
}

// start runs a step beside the test, and returns when it waits in the queue.
func start(t *testing.T, db *Engine, ctx context.Context, run func(engine.Tx) error) <-chan error {
	t.Helper()
	before, done := len(db.write.queue), make(chan error, 1)
	go func() { done <- db.Step(ctx, 0, run) }()
	for deadline := time.Now().Add(10 * time.Second); len(db.write.queue) == before; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatal("the step does not come to wait")
		}
	}
	return done
}

func TestWriter(t *testing.T) {
	t.Run("steps that wait share a commit", func(t *testing.T) {
		db := scratch(t)
		release := occupied(t, db, nil)
		var waits []<-chan error
		for i := range 50 {
			waits = append(waits, start(t, db, t.Context(), insert(fmt.Sprint(i))))
		}
		before := db.write.commits.Load()
		release()
		for _, done := range waits {
			expect.Is(t, "step", <-done, nil)
		}
		// One of the step that kept the writer busy, one of all the others.
		expect.Equal(t, "commits", db.write.commits.Load()-before, 2)
		expect.Equal(t, "rows", len(strings.Fields(names(t, db))), 50)
	})

	t.Run("a refused step costs no commit", func(t *testing.T) {
		db := scratch(t)
		before := db.write.commits.Load()
		err := db.Step(t.Context(), 0, func(t engine.Tx) error { return errors.Join(insert("own")(t), errOwn) })
		expect.Is(t, "the step", err, errOwn)
		expect.Equal(t, "commits", db.write.commits.Load()-before, 0)
		expect.Equal(t, "rows", names(t, db), "")
		expect.Is(t, "the next", db.Step(t.Context(), 0, insert("next")), nil)
		expect.Equal(t, "commits of the next", db.write.commits.Load()-before, 1)
		expect.Equal(t, "rows of the next", names(t, db), "next")
	})

	t.Run("each step fails on its own", func(t *testing.T) {
		db := scratch(t)
		release := occupied(t, db, nil)
		one := start(t, db, t.Context(), insert("one"))
		own := start(t, db, t.Context(), func(t engine.Tx) error {
			return errors.Join(insert("own")(t), errOwn)
		})
		taken := start(t, db, t.Context(), insert("one"))
		panicked := start(t, db, t.Context(), func(t engine.Tx) error {
			_ = insert("panicked")(t)
			panic("oh")
		})
		two := start(t, db, t.Context(), insert("two"))
		release()
		expect.Is(t, "the first", <-one, nil)
		expect.Is(t, "one with an error of its own", <-own, errOwn)
		expect.Is(t, "one that the database refuses", <-taken, sandlot.ErrExists)
		if err := <-panicked; err == nil || !strings.Contains(err.Error(), "oh") {
			t.Errorf("one that panics: error is %v", err)
		}
		expect.Is(t, "the last", <-two, nil)
		expect.Equal(t, "what is there", names(t, db), "one two")
	})

	t.Run("a batch is bounded by count and by bytes", func(t *testing.T) {
		w := &writer{queue: make(chan *step, queueLen)}
		for range batchLen + 10 {
			w.queue <- &step{}
		}
		expect.Equal(t, "steps of a batch of small ones", len(w.gather(&step{})), batchLen)
		expect.Equal(t, "steps of the next", len(w.gather(<-w.queue)), 11)
		for range 9 {
			w.queue <- &step{bytes: batchBytes / 4}
		}
		expect.Equal(t, "steps of a batch of large ones", len(w.gather(<-w.queue)), 4)
	})

	t.Run("a step whose context ends before its turn is dropped", func(t *testing.T) {
		db := scratch(t)
		release := occupied(t, db, nil)
		ctx, cancel := context.WithCancel(t.Context())
		dropped := start(t, db, ctx, insert("dropped"))
		kept := start(t, db, t.Context(), insert("kept"))
		cancel()
		expect.Is(t, "the one dropped, while the writer is still busy", <-dropped, context.Canceled)
		release()
		expect.Is(t, "the other", <-kept, nil)
		expect.Equal(t, "what is there", names(t, db), "kept")
	})

	t.Run("a step that runs is not interrupted", func(t *testing.T) {
		db := scratch(t)
		ctx, cancel := context.WithCancel(t.Context())
		expect.Is(t, "the step", db.Step(ctx, 0, func(t engine.Tx) error {
			cancel()
			return insert("kept")(t)
		}), nil)
		expect.Equal(t, "what is there", names(t, db), "kept")
	})

	t.Run("a failed commit fails them all", func(t *testing.T) {
		db := scratch(t)
		commit := db.write.commit
		release := occupied(t, db, nil)
		one := start(t, db, t.Context(), insert("one"))
		own := start(t, db, t.Context(), func(engine.Tx) error { return errOwn })
		// Set while the writer is between two batches: by the step that it is busy with.
		first := true
		db.write.commit = func() error {
			if first {
				first = false
				return commit()
			}
			return fault(sqlite3.SQLITE_FULL)
		}
		release()
		expect.Is(t, "one", <-one, sandlot.ErrFull)
		expect.Is(t, "one with an error of its own", <-own, sandlot.ErrFull)
		expect.Equal(t, "what is there", names(t, db), "")
		expect.Is(t, "ping", db.Ping(t.Context()), sandlot.ErrFull)
		setCommit(t, db, commit)
		expect.Is(t, "ping once there is room", db.Ping(t.Context()), nil)
		expect.Is(t, "a step once there is room", db.Step(t.Context(), 0, insert("two")), nil)
	})

	t.Run("after a failed sync nothing is acknowledged", func(t *testing.T) {
		db := scratch(t)
		expect.Is(t, "a step before", db.Step(t.Context(), 0, insert("one")), nil)
		release := occupied(t, db, sandlot.ErrUnavailable)
		commit := db.write.commit
		db.write.commit = func() error {
			db.write.commit = commit // the disk is well again, or says so
			return fault(sqlite3.SQLITE_IOERR_FSYNC)
		}
		waiting := start(t, db, t.Context(), insert("two"))
		release()
		expect.Is(t, "a step that waited behind the commit that failed", <-waiting, sandlot.ErrUnavailable)
		expect.Is(t, "a later step", db.Step(t.Context(), 0, insert("three")), sandlot.ErrUnavailable)
		expect.Is(t, "ping", db.Ping(t.Context()), sandlot.ErrUnavailable)
		expect.Equal(t, "what can still be read", names(t, db), "one")
	})

	t.Run("a transaction that is lost fails all of its steps", func(t *testing.T) {
		db := scratch(t)
		release := occupied(t, db, nil)
		one := start(t, db, t.Context(), insert("one"))
		full := start(t, db, t.Context(), func(t engine.Tx) error {
			// As SQLite does when the disk is full in the middle of a step.
			return errors.Join(t.(*Tx).w.exec("ROLLBACK"), fmt.Errorf("%w: %w", sandlot.ErrFull, fault(sqlite3.SQLITE_FULL)))
		})
		two := start(t, db, t.Context(), insert("two"))
		release()
		for what, done := range map[string]<-chan error{"one": one, "the full one": full, "two": two} {
			expect.Is(t, what, <-done, sandlot.ErrFull)
		}
		expect.Equal(t, "what is there", names(t, db), "")
		expect.Is(t, "a step afterwards", db.Step(t.Context(), 0, insert("three")), nil)
	})

	t.Run("a full queue is ErrUnavailable", func(t *testing.T) {
		w := &writer{queue: make(chan *step, 1)}
		expect.Is(t, "the first", w.enqueue(&step{}), nil)
		expect.Is(t, "the second", w.enqueue(&step{}), sandlot.ErrUnavailable)
	})

	t.Run("close finishes the steps that wait and takes no more", func(t *testing.T) {
		db := scratch(t)
		release := occupied(t, db, nil)
		waiting := start(t, db, t.Context(), insert("one"))
		closed := make(chan error, 1)
		go func() { closed <- db.Close() }()
		release()
		expect.Is(t, "the step that waited", <-waiting, nil)
		expect.Is(t, "close", <-closed, nil)
		expect.Is(t, "close again", db.Close(), nil)
		expect.Is(t, "a later step", db.Step(t.Context(), 0, insert("two")), sandlot.ErrUnavailable)
		expect.Is(t, "ping", db.Ping(t.Context()), sandlot.ErrUnavailable)
		expect.Is(t, "a read", db.Read(t.Context(), func(engine.Querier) error { return nil }), sandlot.ErrUnavailable)
		expect.Is(t, "a read of several queries", db.Snapshot(t.Context(), func(engine.Querier) error { return nil }), sandlot.ErrUnavailable)
	})
}

// setCommit changes the seam while the writer is inside a step.
func setCommit(t *testing.T, db *Engine, commit func() error) {
	t.Helper()
	err := db.Step(t.Context(), 0, func(t engine.Tx) error {
		t.(*Tx).w.commit = func() error {
			t.(*Tx).w.commit = commit
			return t.(*Tx).w.exec("COMMIT")
		}
		return nil
	})
	expect.OK(t, err)
}

func TestErrors(t *testing.T) {
	for code, want := range map[fault]error{
		sqlite3.SQLITE_FULL:                  sandlot.ErrFull,
		sqlite3.SQLITE_IOERR_SHMSIZE:         sandlot.ErrFull,
		sqlite3.SQLITE_BUSY:                  sandlot.ErrUnavailable,
		sqlite3.SQLITE_BUSY_SNAPSHOT:         sandlot.ErrUnavailable,
		sqlite3.SQLITE_READONLY_DBMOVED:      sandlot.ErrUnavailable,
		sqlite3.SQLITE_IOERR_FSYNC:           sandlot.ErrUnavailable,
		sqlite3.SQLITE_CORRUPT_INDEX:         sandlot.ErrCorrupt,
		sqlite3.SQLITE_NOTADB:                sandlot.ErrCorrupt,
		sqlite3.SQLITE_CONSTRAINT_UNIQUE:     sandlot.ErrExists,
		sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY: sandlot.ErrExists,
		sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY: sandlot.ErrNotFound,
	} {
		expect.Is(t, code.Error(), Classify(fmt.Errorf("wrapped: %w", code)), want)
	}
	own := fault(sqlite3.SQLITE_CONSTRAINT_CHECK)
	expect.Equal(t, "an error of this program became", Classify(own), error(own))
	for code, want := range map[fault]bool{sqlite3.SQLITE_IOERR_FSYNC: true, sqlite3.SQLITE_IOERR_WRITE: false, sqlite3.SQLITE_IOERR_SHMSIZE: false, sqlite3.SQLITE_FULL: false} {
		expect.Equal(t, "lost sync of "+code.Error(), lostSync(code), want)
	}
}

func TestBoundsOfRowsAreNoParametersAlone(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"SELECT a FROM b ORDER BY a LIMIT ?":                       "SELECT a FROM b ORDER BY a LIMIT ? + 0",
		"SELECT a FROM (SELECT a FROM b LIMIT ?4) c LIMIT ?12":     "SELECT a FROM (SELECT a FROM b LIMIT ?4 + 0) c LIMIT ?12 + 0",
		"DELETE FROM b WHERE a IN (SELECT a FROM b LIMIT 100) = ?": "DELETE FROM b WHERE a IN (SELECT a FROM b LIMIT 100) = ?",
	} {
		expect.Equal(t, query, steadyPlan(query), want)
	}
}
