package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"sandlot"
	"sandlot/internal/base/durable"
	"sandlot/internal/base/failpoint"
	"sandlot/internal/storage/sqlstore/engine"
)

const (
	// queueLen bounds the steps that wait. A commit of a full batch takes some 50 ms, so the last of them waits well
	// under a second; beyond that a refusal that asks to come back is better.
	queueLen = 1024
	// batchLen and batchBytes bound the steps that share a commit: more would gain little, and the pages of a batch
	// should fit the writer's cache.
	batchLen   = 256
	batchBytes = 4 << 20
)

// A writer runs steps one after another on the one connection that writes.
//
// It takes all steps that wait, runs them in one transaction, commits once, and only then answers them. While the
// commit waits for the disk the next steps gather, so the busier it is the more of them share an fsync.
type writer struct {
	db    *sql.DB
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
	queue chan *step
	ended chan struct{} // closed when the loop has returned

	mu     sync.RWMutex // held for writing only to close the queue
	closed bool

	poison  atomic.Pointer[error] // why nothing can be written until a restart
	ailing  atomic.Bool           // the last commit failed
	commits atomic.Int64
	steps   atomic.Int64 // that shared them
	meters  *engine.Meters

	// fold asks for the log to be folded into the database after the next batch; unfolded says that this was done,
	// but not all of the log could be copied. The log's keeper has it done again.
	fold, unfolded atomic.Bool

	place durable.Place // set when the database is open, before the first step

	// commit ends the transaction. It is a seam: a test puts a disk that fails here.
	commit func() error
}

// A step is one method's work inside a transaction.
type step struct {
	run   func(engine.Tx) error // may be run twice, the second time on the same state
	bytes int                   // of content that it writes
	since time.Time             // when it began to wait
	state atomic.Int32
	err   error
	done  chan error
}

const (
	waiting int32 = iota
	running
	dropped
)

func newWriter(ctx context.Context, db *sql.DB) (*writer, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	w := &writer{db: db, conn: conn, stmts: map[string]*sql.Stmt{}, queue: make(chan *step, queueLen), ended: make(chan struct{}), meters: engine.NewMeters()}
	w.commit = func() error { return w.exec("COMMIT") }
	go w.loop()
	return w, nil
}

// do runs a step and waits until it is durable. If ctx ends before the step's turn has come it is dropped; after that
// it is not interrupted, for nobody could know then whether it had happened. Any error but that of a commit is
// sandlot.ErrNoEffect.
func (w *writer) do(ctx context.Context, bytes int, run func(engine.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return sandlot.NoEffect(err)
	}
	s := &step{run: run, bytes: bytes, since: time.Now(), done: make(chan error, 1)}
	if err := w.enqueue(s); err != nil {
		return sandlot.NoEffect(err)
	}
	select {
	case err := <-s.done:
		return err
	case <-ctx.Done():
		if s.state.CompareAndSwap(waiting, dropped) {
			return sandlot.NoEffect(ctx.Err())
		}
		return <-s.done
	}
}

func (w *writer) enqueue(s *step) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if err := w.healthy(); err != nil {
		return err
	}
	select {
	case w.queue <- s:
		return nil
	default:
		return engine.ErrTooMany
	}
}

// healthy returns why nothing more can be written, if so. w.mu must be held.
func (w *writer) healthy() error {
	if w.closed {
		return errClosed
	}
	if err := w.poison.Load(); err != nil {
		return *err
	}
	return nil
}

// close lets the steps that wait finish, and takes no more.
func (w *writer) close() error {
	w.mu.Lock()
	first := !w.closed
	if w.closed = true; first {
		close(w.queue)
	}
	w.mu.Unlock()
	<-w.ended
	if !first {
		return nil
	}
	for _, s := range w.stmts {
		s.Close()
	}
	return errors.Join(w.conn.Close(), w.db.Close())
}

func (w *writer) loop() {
	defer close(w.ended)
	for s := range w.queue {
		batch := w.gather(s)
		err := w.begin()
		if err != nil {
			// The cause, such as a lock of another process, has lasted as long as anyone should wait.
			batch, err = w.rest(batch), sandlot.NoEffect(err)
		} else {
			err = w.transact(batch)
		}
		w.ailing.Store(err != nil)
		full := errors.Is(err, sandlot.ErrFull)
		if full { // before the answer: the caller may free room for the same step, which the log would take
			w.foldLog(true)
		}
		answer(batch, err)
		if !full {
			w.foldLog(false)
		}
	}
}

// foldLog folds the log into the database on request, or when the disk is full: a log without room to grow can then
// begin anew in its room. It does not wait for readers or another checkpoint.
func (w *writer) foldLog(full bool) {
	asked := w.fold.Swap(false)
	if !asked && !full {
		return
	}
	all, err := w.copyLog()
	if err != nil && lostSync(err) {
		_ = w.doubt(err)
	}
	if asked && !all {
		w.unfolded.Store(true)
	}
}

// copyLog copies the pages of the log that no reader keeps. It reports whether those were all.
func (w *writer) copyLog() (all bool, err error) {
	s, err := w.prepare("PRAGMA wal_checkpoint(PASSIVE)")
	if err != nil {
		return false, err
	}
	var busy, pages, copied int64
	err = s.QueryRow().Scan(&busy, &pages, &copied)
	return err == nil && busy == 0 && pages == copied, err
}

// answer returns to each step its own error, or the one that all of them share. A step that failed in a transaction
// which was committed was rolled back.
func answer(batch []*step, shared error) {
	for _, s := range batch {
		err := sandlot.NoEffect(s.err)
		if shared != nil {
			err = shared
		}
		s.done <- err
	}
}

// gather returns first and the steps that wait behind it.
func (w *writer) gather(first *step) []*step {
	batch, bytes := []*step{first}, first.bytes
	for len(batch) < batchLen && bytes < batchBytes {
		select {
		case s, ok := <-w.queue:
			if !ok {
				return batch
			}
			batch, bytes = append(batch, s), bytes+s.bytes
		default:
			return batch
		}
	}
	return batch
}

// rest adds to the batch all that wait.
func (w *writer) rest(batch []*step) []*step {
	for {
		select {
		case s, ok := <-w.queue:
			if !ok {
				return batch
			}
			batch = append(batch, s)
		default:
			return batch
		}
	}
}

func (w *writer) begin() error {
	if err := w.poison.Load(); err != nil {
		return *err
	}
	// Checked before, so that nobody sees a step that cannot be kept; and again after the commit, so that no such
	// step is acknowledged.
	if err := w.place.Check(); err != nil {
		return w.doubt(err)
	}
	return in("begin", Classify(w.exec("BEGIN IMMEDIATE")))
}

// transact runs the steps of a batch and commits. An error is that of all of them; otherwise each step has its own.
func (w *writer) transact(batch []*step) error {
	claimed := claim(batch)
	w.waited(claimed)
	if err := w.runAll(claimed); err != nil {
		_ = w.exec("ROLLBACK") // often it is rolled back already
		return sandlot.NoEffect(err)
	}
	if !slices.ContainsFunc(claimed, func(s *step) bool { return s.err == nil }) {
		// A commit would write the pages that were changed and changed back: a refusal costs no sync.
		return in("roll back", Classify(w.exec("ROLLBACK")))
	}
	failpoint.Hit(failpoint.BeforeCommit)
	began := time.Now()
	if err := w.commit(); err != nil {
		_ = w.exec("ROLLBACK")
		return w.failed(err)
	}
	w.meters.CommitSeconds.Since(began)
	w.meters.CommitBatch.Observe(float64(len(claimed)))
	if err := w.place.Check(); err != nil {
		return w.doubt(err)
	}
	failpoint.Hit(failpoint.AfterCommit)
	w.commits.Add(1)
	w.steps.Add(int64(len(batch)))
	return nil
}

// waited measures how long steps have waited for their turn.
func (w *writer) waited(steps []*step) {
	now := time.Now()
	for _, s := range steps {
		w.meters.Waited(now.Sub(s.since))
	}
}

func claim(batch []*step) []*step {
	claimed := make([]*step, 0, len(batch))
	for _, s := range batch {
		if s.state.CompareAndSwap(waiting, running) {
			claimed = append(claimed, s)
		}
	}
	return claimed
}

// runAll runs steps, each of which has happened wholly or not at all. Nearly always all of them succeed, so they run
// without savepoints first: for one, SQLite copies every page that a step changes, which took a fourth of the
// writer's time. If a step fails, nothing of this is kept, and all run again, each in a savepoint.
func (w *writer) runAll(steps []*step) error {
	failed := false
	for _, s := range steps {
		if s.err = guard(s.run, &Tx{w: w}); s.err != nil {
			failed = true
			break
		}
	}
	if !failed {
		return nil
	}
	_ = w.exec("ROLLBACK") // it may be rolled back already, if the disk is full for example
	if err := w.begin(); err != nil {
		return err
	}
	for _, s := range steps {
		if err := w.runOne(s); err != nil {
			return err
		}
	}
	return nil
}

// failed returns the error of a failed commit. After a failed fsync the kernel may have dropped the very pages that
// were to be written and call them clean: a later fsync would succeed without them. So nothing that is written after
// it may ever be acknowledged; only a new process, which reads the log from the disk, knows the state of the database
// again.
func (w *writer) failed(err error) error {
	if !lostSync(err) {
		failed := in("commit", Classify(err))
		if unwritten(err) {
			return sandlot.NoEffect(failed)
		}
		return failed
	}
	return w.doubt(err)
}

// doubt ends all writing until the process is started again.
func (w *writer) doubt(err error) error {
	poison := fmt.Errorf("%w: a commit did not reach the disk; see to the disk, then start the server again: %w",
		sandlot.ErrUnavailable, err)
	w.poison.Store(&poison)
	return poison
}

// runOne runs a step in a savepoint. It returns the error of a lost transaction, and not the step's.
func (w *writer) runOne(s *step) error {
	if err := w.exec("SAVEPOINT step"); err != nil {
		return in("begin step", Classify(err))
	}
	if s.err = guard(s.run, &Tx{w: w}); s.err != nil {
		if err := w.exec("ROLLBACK TO step"); err != nil {
			return lost(s.err, err)
		}
	}
	return in("end step", Classify(w.exec("RELEASE step")))
}

// lost is the error of a transaction that is gone: a full disk, for example, rolls the whole of it back in the middle
// of a step.
func lost(cause, rollback error) error {
	if code(cause) != 0 {
		return cause
	}
	return fmt.Errorf("%w: roll back step: %w", sandlot.ErrUnavailable, rollback)
}

// guard turns a panic into the error of the step that panicked.
func guard(run func(engine.Tx) error, t *Tx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a step: %v\n%s", p, debug.Stack())
		}
	}()
	return run(t)
}

func (w *writer) exec(query string) error {
	s, err := w.prepare(query)
	if err != nil {
		return err
	}
	_, err = s.Exec()
	return err
}

// prepare returns the statement, prepared at its first use. Queries are constants of this package, so there are only
// so many.
func (w *writer) prepare(query string) (*sql.Stmt, error) {
	if s, ok := w.stmts[query]; ok {
		return s, nil
	}
	s, err := w.conn.PrepareContext(context.Background(), steadyPlan(query))
	if err != nil {
		return nil, err
	}
	w.stmts[query] = s
	return s, nil
}
