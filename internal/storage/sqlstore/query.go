package sqlstore

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"sandlot"
	"sandlot/internal/storage/sqlstore/engine"
)

// querier runs queries: a tx or a snapshot, or a DB, where each query is a read of its own.
type querier interface {
	read(ctx context.Context, read func(engine.Querier) error) error
	words() engine.Dialect
}

type row interface{ Scan(dest ...any) error }

// one returns the first row, or ErrNotFound. It is for lookups by a key: it is not interrupted, for that would cost as
// much as the lookup. An error of a read outside of a step is sandlot.ErrNoEffect.
func one[T any](ctx context.Context, q querier, scan func(row) (T, error), query string, args ...any) (v T, err error) {
	if err := ctx.Err(); err != nil {
		return v, sandlot.NoEffect(err)
	}
	ctx = context.WithoutCancel(ctx)
	err = q.read(ctx, func(q engine.Querier) (err error) {
		v, err = first(ctx, q, scan, query, args...)
		return err
	})
	return v, err
}

func first[T any](ctx context.Context, q engine.Querier, scan func(row) (T, error), query string, args ...any) (v T, err error) {
	rows, err := q.Query(ctx, query, args...)
	if err != nil {
		return v, err
	}
	defer rows.Close()
	if !rows.Next() {
		return v, cmp.Or(rows.Err(), sandlot.ErrNotFound)
	}
	if v, err = scan(rows); err != nil {
		return v, err
	}
	return v, rows.Close()
}

// fields returns a scan function that writes the columns of a row to the given places.
func fields[T any](of func(*T) []any) func(row) (T, error) {
	return func(r row) (v T, err error) {
		err = r.Scan(of(&v)...)
		return v, err
	}
}

// before is a row whose first columns go to to.
type before struct {
	row
	to []any
}

func (b before) Scan(dest ...any) error { return b.row.Scan(append(slices.Clone(b.to), dest...)...) }

// all returns all rows. Its errors are as those of one.
func all[T any](ctx context.Context, q querier, scan func(row) (T, error), query string, args ...any) (list []T, err error) {
	err = q.read(ctx, func(q engine.Querier) (err error) {
		list, err = each(ctx, q, scan, query, args...)
		return err
	})
	return list, err
}

func each[T any](ctx context.Context, q engine.Querier, scan func(row) (T, error), query string, args ...any) ([]T, error) {
	rows, err := q.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, rows.Err()
}

func scanValue[T any](r row) (v T, err error) {
	err = r.Scan(&v)
	return v, err
}

func do(query string, args ...any) engine.Statement {
	return engine.Statement{Query: query, Rows: [][]any{args}}
}

// tx is a step's access to the transaction it is part of. It is used by that step alone. Its statements are not
// interrupted.
type tx struct {
	engine.Tx
	dialect engine.Dialect
	changed sandlot.Changed // set by a step that changes how projects are read
}

func (t *tx) read(_ context.Context, read func(engine.Querier) error) error { return read(t.Tx) }

func (t *tx) words() engine.Dialect { return t.dialect }

func (t *tx) amongNumbers(expression string) string {
	return t.dialect.Among(expression, t.dialect.Numbers("?", "j"))
}

func (t *tx) do(query string, args ...any) error {
	_, err := t.Exec(query, args...)
	return err
}

// insert adds a row, and returns the number that the database gives it in the column id.
func (t *tx) insert(id, query string, args ...any) (int64, error) {
	var ids []int64
	if err := t.Run(engine.Statement{Query: query, Rows: [][]any{args}, ID: id, IDs: &ids}); err != nil {
		return 0, err
	}
	return ids[0], nil
}

// must runs a statement that has to change a row; if it changes none the error is missing.
func (t *tx) must(missing error, query string, args ...any) error {
	n, err := t.Exec(query, args...)
	if err == nil && n == 0 {
		return missing
	}
	return err
}

// lock locks the accounts that a query finds until the step ends: from now on the step reads their last committed
// state. It comes before all reads that the step decides by. Of several locked records, the account is the first.
func (t *tx) lock(query string, args ...any) error {
	locked := t.dialect.Locked("accounts")
	if locked == "" {
		return nil
	}
	return t.do(query+locked, args...)
}

func (t *tx) lockAccount(id sandlot.AccountID) error {
	return t.lock("SELECT id FROM accounts WHERE id = ?", id)
}

func (t *tx) lockOwner(id sandlot.ProjectID) error {
	return t.lock("SELECT id FROM accounts WHERE id = (SELECT account FROM projects WHERE id = ?)", string(id))
}

// onAccount runs a step that first locks an account; onProject first locks the account of a project.
func (db *DB) onAccount(ctx context.Context, id sandlot.AccountID, run func(*tx) error) error {
	return db.step(ctx, nil, func(t *tx) error {
		if err := t.lockAccount(id); err != nil {
			return err
		}
		return run(t)
	})
}

func (db *DB) onProject(ctx context.Context, id sandlot.ProjectID, run func(*tx) error) error {
	return db.step(ctx, nil, func(t *tx) error {
		if err := t.lockOwner(id); err != nil {
			return err
		}
		return run(t)
	})
}

func (t *tx) lockOwnerOf(project int64) error {
	return t.lock("SELECT id FROM accounts WHERE id = (SELECT account FROM projects WHERE num = ?)", project)
}

func (t *tx) lockSubject(s sandlot.Subject) error {
	if s.Project != "" {
		return t.lockOwner(s.Project)
	}
	return t.lockAccount(s.Account)
}

// alone makes the step wait for others that called it with the same digest. It is for records without a row that could
// be locked. A step that also locks the account does that first.
func (t *tx) alone(with sandlot.Digest) error {
	query := t.dialect.Alone("?")
	if query == "" {
		return nil
	}
	return t.do(query, int64(binary.BigEndian.Uint64(with[:])))
}

func (t *tx) number(query string, args ...any) (int64, error) {
	return one(context.Background(), t, scanValue[int64], query, args...)
}

// below fails if a query counts as many as the limit or more.
func (t *tx) below(limit int64, over error, query string, args ...any) error {
	n, err := t.number(query, args...)
	if err == nil && n >= limit {
		err = over
	}
	return err
}

// micros returns the stored form of a time. The zero time has a number of its own, too.
func micros(t time.Time) int64 { return t.UnixMicro() }

// microsOr0 is micros of a time that may be zero, which sometime reads.
func microsOr0(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return micros(t)
}

// stored is the time as it will be read back.
func stored(t time.Time) time.Time { return time.UnixMicro(micros(t)).UTC() }

type asTime struct{ t *time.Time }

func (a asTime) Scan(src any) error {
	n, ok := src.(int64)
	if !ok {
		return fmt.Errorf("a time is stored as %T", src)
	}
	*a.t = time.UnixMicro(n).UTC()
	return nil
}

// sometime scans a stored time; 0 is the zero time.
type sometime struct{ t *time.Time }

func (s sometime) Scan(src any) error {
	if n, ok := src.(int64); ok && n == 0 {
		*s.t = time.Time{}
		return nil
	}
	return asTime(s).Scan(src)
}

// asDigest scans a stored hash; null is the zero Digest.
type asDigest struct{ d *sandlot.Digest }

func (a asDigest) Scan(src any) error {
	b, ok := src.([]byte)
	if src == nil {
		*a.d = sandlot.Digest{}
		return nil
	}
	if !ok || len(b) != len(a.d) {
		return fmt.Errorf("%w: a hash is stored as %d bytes of %T", sandlot.ErrCorrupt, len(b), src)
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
func orNull(d sandlot.Digest) []byte {
	if d == (sandlot.Digest{}) {
		return nil
	}
	return d[:]
}

// orNone is an account's ID, or null for none.
func orNone(id sandlot.AccountID) any {
	if id == 0 {
		return nil
	}
	return int64(id)
}
