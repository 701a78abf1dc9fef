package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"time"

	"sandlot/internal/publish"
)

// querier runs a query: a tx, a reader or a snapshot.
type querier interface {
	query(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// row is what a scan function reads.
type row interface{ Scan(dest ...any) error }

// one returns the first row. No row is ErrNotFound. It is for lookups by a key: once
// begun it is not interrupted, for that would take two goroutines for each, which
// cost as much as the lookup. An error of a read outside of a step is publish.ErrNoEffect.
func one[T any](ctx context.Context, q querier, scan func(row) (T, error), query string, args ...any) (T, error) {
	db, ok := q.(*DB)
	if !ok {
		return first(ctx, q, scan, query, args...)
	}
	db.gate.enter(ctx)
	defer db.gate.leave()
	v, err := first(ctx, q, scan, query, args...)
	return v, publish.NoEffect(err)
}

func first[T any](ctx context.Context, q querier, scan func(row) (T, error), query string, args ...any) (T, error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	rows, err := q.query(context.WithoutCancel(ctx), query, args...)
	if err != nil {
		return none, classify(err)
	}
	defer rows.Close()
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return none, classify(err)
		}
		return none, publish.ErrNotFound
	}
	v, err := scan(rows)
	if err != nil {
		return none, classify(err)
	}
	return v, classify(rows.Close())
}

// all returns all rows. Its errors are as those of one.
func all[T any](ctx context.Context, q querier, scan func(row) (T, error), query string, args ...any) ([]T, error) {
	db, ok := q.(*DB)
	if !ok {
		return each(ctx, q, scan, query, args...)
	}
	db.gate.enter(ctx)
	defer db.gate.leave()
	list, err := each(ctx, q, scan, query, args...)
	return list, publish.NoEffect(err)
}

func each[T any](ctx context.Context, q querier, scan func(row) (T, error), query string, args ...any) ([]T, error) {
	rows, err := q.query(ctx, query, args...)
	if err != nil {
		return nil, classify(err)
	}
	defer rows.Close()
	var list []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, classify(err)
		}
		list = append(list, v)
	}
	return list, classify(rows.Err())
}

// scanValue reads a single column.
func scanValue[T any](r row) (v T, err error) {
	err = r.Scan(&v)
	return v, err
}

// tx is a step's access to the transaction it is part of. It is used by that step
// alone. Its statements are not interrupted.
type tx struct{ w *writer }

func (t *tx) query(_ context.Context, query string, args ...any) (*sql.Rows, error) {
	s, err := t.w.prepare(query)
	if err != nil {
		return nil, err
	}
	return s.Query(args...)
}

// exec runs a statement and tells how many rows it changed.
func (t *tx) exec(query string, args ...any) (int64, error) {
	s, err := t.w.prepare(query)
	if err != nil {
		return 0, err
	}
	r, err := s.Exec(args...)
	if err != nil {
		return 0, classify(err)
	}
	return r.RowsAffected()
}

// insert records one row and returns its id. SQLite tells it without RETURNING,
// which would cost a trigger; PostgreSQL will need that.
func (t *tx) insert(query string, args ...any) (int64, error) {
	s, err := t.w.prepare(query)
	if err != nil {
		return 0, err
	}
	r, err := s.Exec(args...)
	if err != nil {
		return 0, classify(err)
	}
	return r.LastInsertId()
}

// must runs a statement that has to change a row; if it changes none the error is
// missing.
func (t *tx) must(missing error, query string, args ...any) error {
	n, err := t.exec(query, args...)
	if err == nil && n == 0 {
		return missing
	}
	return err
}

// number returns the first column of the first row.
func (t *tx) number(query string, args ...any) (int64, error) {
	return one(context.Background(), t, scanValue[int64], query, args...)
}

// reader runs queries on the connections that only read. Each query sees one
// consistent state.
type reader struct {
	db    *sql.DB
	mu    sync.Mutex
	stmts map[string]*sql.Stmt
}

func (r *reader) query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
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

// snapshot reads inside one read transaction. Its statements are not kept: to
// prepare one may take a connection more, and they may all be in snapshots.
type snapshot struct{ tx *sql.Tx }

func (s snapshot) query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return s.tx.QueryContext(ctx, query, args...)
}

// micros is how a time is stored. The zero time has a number of its own, too.
func micros(t time.Time) int64 { return t.UnixMicro() }

// stored is the time as it will be read back.
func stored(t time.Time) time.Time { return time.UnixMicro(micros(t)).UTC() }

// asTime scans a stored time.
type asTime struct{ t *time.Time }

// Scan implements sql.Scanner.
func (a asTime) Scan(src any) error {
	n, ok := src.(int64)
	if !ok {
		return fmt.Errorf("a time is stored as %T", src)
	}
	*a.t = time.UnixMicro(n).UTC()
	return nil
}

// asDigest scans a stored hash; null is the zero Digest.
type asDigest struct{ d *publish.Digest }

// Scan implements sql.Scanner.
func (a asDigest) Scan(src any) error {
	b, ok := src.([]byte)
	if src == nil {
		*a.d = publish.Digest{}
		return nil
	}
	if !ok || len(b) != len(a.d) {
		return fmt.Errorf("%w: a hash is stored as %d bytes of %T", publish.ErrCorrupt, len(b), src)
	}
	copy(a.d[:], b)
	return nil
}

// orEmpty is b, or an empty value where nil would be stored as null.
func orEmpty(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// orNull is a hash, or null for the zero Digest.
func orNull(d publish.Digest) []byte {
	if d == (publish.Digest{}) {
		return nil
	}
	return d[:]
}

// orNone is an account's ID, or null for none.
func orNone(id publish.AccountID) any {
	if id == 0 {
		return nil
	}
	return int64(id)
}
