package sqlite

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"sync"

	"sandlot/internal/publish"
)

// A Tx is a step's access to the transaction it is part of. It is used by that step
// alone, and not after it. Its statements are not interrupted.
type Tx struct{ w *writer }

// Query reads. The rows must be closed before the next statement.
func (t *Tx) Query(_ context.Context, query string, args ...any) (*sql.Rows, error) {
	s, err := t.w.prepare(query)
	if err != nil {
		return nil, err
	}
	return s.Query(args...)
}

// Exec runs a statement and tells how many rows it changed. Its errors are classified.
func (t *Tx) Exec(query string, args ...any) (int64, error) {
	r, err := t.run(query, args)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// Insert records one row and returns its id. SQLite tells it without RETURNING,
// which would cost a trigger; PostgreSQL will need that. Its errors are classified.
func (t *Tx) Insert(query string, args ...any) (int64, error) {
	r, err := t.run(query, args)
	if err != nil {
		return 0, err
	}
	return r.LastInsertId()
}

func (t *Tx) run(query string, args []any) (sql.Result, error) {
	s, err := t.w.prepare(query)
	if err != nil {
		return nil, err
	}
	r, err := s.Exec(args...)
	return r, Classify(err)
}

// Step runs what one method of a store does as one atomic and durable step: when it
// returns nil the effect is synced to the disk. Steps that wait for each other share
// a commit, but each can fail on its own. run may be called twice, the second time on
// the same state. bytes says how much content it writes.
//
// If ctx ends before the step's turn has come it is dropped; after that it is not
// interrupted. Any error but that of a commit is publish.ErrNoEffect. A queue that is
// full is ErrTooMany.
func (e *Engine) Step(ctx context.Context, bytes int, run func(*Tx) error) error {
	return e.write.do(ctx, bytes, run)
}

// Query reads outside of any step, between BeginRead and EndRead. What it reads is
// one consistent state.
func (e *Engine) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if e.closed.Load() {
		return nil, errClosed
	}
	return e.read.Query(ctx, query, args...)
}

// BeginRead waits while reads make way for the log's end, a second at most. Each is
// followed by one EndRead, when the rows are closed.
func (e *Engine) BeginRead(ctx context.Context) { e.gate.enter(ctx) }

// EndRead ends what BeginRead began.
func (e *Engine) EndRead() { e.gate.leave() }

// A Snapshot reads inside one read transaction. Its statements are not kept: to
// prepare one may take a connection more, and they may all be in snapshots.
type Snapshot struct{ tx *sql.Tx }

// Query reads the state that the snapshot has.
func (s Snapshot) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return s.tx.QueryContext(ctx, query, args...)
}

// Snapshot runs several queries on one consistent state. Any error is
// publish.ErrNoEffect.
func (e *Engine) Snapshot(ctx context.Context, read func(Snapshot) error) error {
	if e.closed.Load() {
		return publish.NoEffect(errClosed)
	}
	e.BeginRead(ctx)
	defer e.EndRead()
	t, err := e.read.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return publish.NoEffect(Classify(err))
	}
	defer t.Rollback() // nothing was written, so nothing is lost
	return publish.NoEffect(read(Snapshot{t}))
}

// reader runs queries on the connections that only read. Each query sees one
// consistent state.
type reader struct {
	db    *sql.DB
	mu    sync.Mutex
	stmts map[string]*sql.Stmt
}

func newReader(db *sql.DB) *reader { return &reader{db: db, stmts: map[string]*sql.Stmt{}} }

// Query runs a statement that is prepared at its first use.
func (r *reader) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	s, err := r.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}

func (r *reader) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	r.mu.Lock()
	s := r.stmts[query]
	r.mu.Unlock()
	if s != nil {
		return s, nil
	}
	s, err := r.db.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if other := r.stmts[query]; other != nil {
		return other, s.Close()
	}
	r.stmts[query] = s
	return s, nil
}

func (r *reader) queries() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Keys(r.stmts))
}

// querier runs a query: a Tx, an Engine, a reader or a Snapshot.
type querier interface {
	Query(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// values returns the only column of all rows, and its errors are classified.
func values[T any](ctx context.Context, q querier, query string, args ...any) ([]T, error) {
	rows, err := q.Query(ctx, query, args...)
	if err != nil {
		return nil, Classify(err)
	}
	defer rows.Close()
	var list []T
	for rows.Next() {
		var v T
		if err := rows.Scan(&v); err != nil {
			return nil, Classify(err)
		}
		list = append(list, v)
	}
	return list, Classify(rows.Err())
}

// value returns the first of values. No row is publish.ErrNotFound.
func value[T any](ctx context.Context, q querier, query string, args ...any) (v T, err error) {
	list, err := values[T](ctx, q, query, args...)
	if err == nil && len(list) == 0 {
		err = publish.ErrNotFound
	}
	if err != nil {
		return v, err
	}
	return list[0], nil
}
