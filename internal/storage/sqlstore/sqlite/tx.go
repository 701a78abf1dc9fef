package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"regexp"
	"slices"
	"sync"

	"sandlot"
	"sandlot/internal/storage/sqlstore/engine"
)

// A Tx is engine.Tx on the connection that writes.
type Tx struct{ w *writer }

var _ engine.Tx = (*Tx)(nil)

func (t *Tx) Query(_ context.Context, query string, args ...any) (engine.Rows, error) {
	s, err := t.w.prepare(query)
	if err != nil {
		return nil, Classify(err)
	}
	return asRows(s.Query(args...))
}

func (t *Tx) Exec(query string, args ...any) (int64, error) {
	s, err := t.w.prepare(query)
	if err != nil {
		return 0, Classify(err)
	}
	r, err := s.Exec(args...)
	if err != nil {
		return 0, Classify(err)
	}
	return r.RowsAffected()
}

// SQLite returns the number of a row without RETURNING, which would cost a trigger.
func (t *Tx) Run(list ...engine.Statement) error {
	for _, st := range list {
		s, err := t.w.prepare(st.Query)
		if err != nil {
			return Classify(err)
		}
		for _, args := range st.Rows {
			if st.None != nil {
				if err := finds(s, args, st.None); err != nil {
					return err
				}
				continue
			}
			r, err := s.Exec(args...)
			if err != nil {
				return Classify(err)
			}
			if st.IDs != nil {
				id, _ := r.LastInsertId() // the driver has it
				*st.IDs = append(*st.IDs, id)
			}
		}
	}
	return nil
}

// finds returns none unless a query finds a row.
func finds(s *sql.Stmt, args []any, none error) error {
	rows, err := s.Query(args...)
	if err != nil {
		return Classify(err)
	}
	defer rows.Close()
	if rows.Next() {
		return nil
	}
	return cmp.Or(Classify(rows.Err()), none)
}

func (e *Engine) Dialect() engine.Dialect { return Dialect{} }

// Steps that wait for each other share a commit, but each can fail on its own.
func (e *Engine) Step(ctx context.Context, bytes int, run func(engine.Tx) error) error {
	return e.write.do(ctx, bytes, run)
}

// A step that failed is not run again.
func (e *Engine) LongStep(ctx context.Context, run func(engine.Tx) error) error {
	var failed error
	return e.Step(ctx, 0, func(t engine.Tx) error {
		if failed == nil {
			failed = run(t)
		}
		return failed
	})
}

// While reads make way for the log's end it waits, a second at most.
func (e *Engine) Read(ctx context.Context, read func(engine.Querier) error) error {
	if e.closed.Load() {
		return sandlot.NoEffect(errClosed)
	}
	e.gate.enter(ctx)
	defer e.gate.leave()
	return sandlot.NoEffect(read(e.read))
}

// snapshot reads inside one read transaction. Its statements are not kept: to prepare one may take a connection more,
// and they may all be in snapshots.
type snapshot struct{ tx *sql.Tx }

func (s snapshot) Query(ctx context.Context, query string, args ...any) (engine.Rows, error) {
	return asRows(s.tx.QueryContext(ctx, query, args...))
}

func (e *Engine) Snapshot(ctx context.Context, read func(engine.Querier) error) error {
	if e.closed.Load() {
		return sandlot.NoEffect(errClosed)
	}
	e.gate.enter(ctx)
	defer e.gate.leave()
	t, err := e.read.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return sandlot.NoEffect(Classify(err))
	}
	defer t.Rollback() // nothing was written, so nothing is lost
	return sandlot.NoEffect(read(snapshot{t}))
}

func (e *Engine) LongSnapshot(ctx context.Context, read func(engine.Querier) error) error {
	return e.Snapshot(ctx, read)
}

// driverRows are those of the driver, with errors that are classified.
type driverRows struct{ rows *sql.Rows }

func asRows(r *sql.Rows, err error) (engine.Rows, error) {
	if err != nil {
		return nil, Classify(err)
	}
	return driverRows{r}, nil
}

func (r driverRows) Next() bool { return r.rows.Next() }

func (r driverRows) Scan(dest ...any) error { return Classify(r.rows.Scan(dest...)) }

func (r driverRows) Err() error { return Classify(r.rows.Err()) }

func (r driverRows) Close() error { return Classify(r.rows.Close()) }

// reader runs queries on the connections that only read. Each query sees one consistent state.
type reader struct {
	db    *sql.DB
	mu    sync.Mutex
	stmts map[string]*sql.Stmt
}

func newReader(db *sql.DB) *reader { return &reader{db: db, stmts: map[string]*sql.Stmt{}} }

// Query runs a statement that is prepared at its first use.
func (r *reader) Query(ctx context.Context, query string, args ...any) (engine.Rows, error) {
	s, err := r.prepare(ctx, query)
	if err != nil {
		return nil, Classify(err)
	}
	return asRows(s.QueryContext(ctx, args...))
}

func (r *reader) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	r.mu.Lock()
	s := r.stmts[query]
	r.mu.Unlock()
	if s != nil {
		return s, nil
	}
	s, err := r.db.PrepareContext(ctx, steadyPlan(query))
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

// limits are bounds of rows that are parameters.
var limits = regexp.MustCompile(`\bLIMIT \?[0-9]*`)

// steadyPlan makes the bounds in a query sums. SQLite plans a prepared statement again with each new value of a bound
// that is a parameter alone, which takes six times as long as to run it.
func steadyPlan(query string) string { return limits.ReplaceAllString(query, "$0 + 0") }

func (r *reader) queries() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Keys(r.stmts))
}

func values[T any](ctx context.Context, q engine.Querier, query string, args ...any) ([]T, error) {
	rows, err := q.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []T
	for rows.Next() {
		var v T
		if err := rows.Scan(&v); err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, rows.Err()
}

func value[T any](ctx context.Context, q engine.Querier, query string, args ...any) (v T, err error) {
	list, err := values[T](ctx, q, query, args...)
	if err == nil && len(list) == 0 {
		err = sandlot.ErrNotFound
	}
	if err != nil {
		return v, err
	}
	return list[0], nil
}
