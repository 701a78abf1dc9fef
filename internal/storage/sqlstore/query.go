package sqlstore

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"sandlot"
	"sandlot/internal/storage/sqlstore/engine"
)

// querier runs queries: a tx or a snapshot, or a DB, of which each query is a read of
// its own.
type querier interface {
	read(ctx context.Context, read func(engine.Querier) error) error
	words() engine.Dialect
}

// row is what a scan function reads.
type row interface{ Scan(dest ...any) error }

// one returns the first row. No row is ErrNotFound. It is for lookups by a key: once
// begun it is not interrupted, for that would take two goroutines for each, which
// cost as much as the lookup. An error of a read outside of a step is sandlot.ErrNoEffect.
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
	if v, err = firstOf(rows, scan); err != nil {
		return v, err
	}
	return v, rows.Close()
}

func firstOf[T any](rows engine.Rows, scan func(row) (T, error)) (v T, err error) {
	if rows.Next() {
		return scan(rows)
	}
	if err := rows.Err(); err != nil {
		return v, err
	}
	return v, sandlot.ErrNotFound
}

// ask is one for an answer that the step needs a little later: use gets it, and its
// error, as engine.Tx.Ask says.
func ask[T any](t *tx, scan func(row) (T, error), use func(T, error) error, query string, args ...any) {
	t.Ask(func(rows engine.Rows) error { return use(firstOf(rows, scan)) }, query, args...)
}

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

// scanValue reads a single column.
func scanValue[T any](r row) (v T, err error) {
	err = r.Scan(&v)
	return v, err
}

// tx is a step's access to the transaction it is part of. It is used by that step
// alone. Its statements are not interrupted.
type tx struct {
	engine.Tx
	dialect engine.Dialect
}

func (t *tx) read(_ context.Context, read func(engine.Querier) error) error { return read(t.Tx) }

func (t *tx) words() engine.Dialect { return t.dialect }

// amongNumbers holds where an expression is one of the numbers that the statement's
// parameter lists.
func (t *tx) amongNumbers(expression string) string {
	return t.dialect.Among(expression, t.dialect.Numbers("?", "j"))
}

// exec runs a statement and tells how many rows it changed.
func (t *tx) exec(query string, args ...any) (int64, error) { return t.Exec(query, args...) }

// later is exec for a statement of which the step needs no answer, and which engines
// may send with the next.
func (t *tx) later(query string, args ...any) error { return t.Later(nil, query, args...) }

// must runs a statement that has to change a row; if it changes none the error is
// missing.
func (t *tx) must(missing error, query string, args ...any) error {
	n, err := t.exec(query, args...)
	if err == nil && n == 0 {
		return missing
	}
	return err
}

// lockAccount has the step wait for others that change an account or its projects, and
// keeps it from them until it ends: what the step reads of them from now on is what
// was committed last, and stays. It comes before all that the step decides by. Where a
// step locks several records, the account is the first.
func (t *tx) lockAccount(id sandlot.AccountID) error {
	locked := t.dialect.Locked("accounts")
	if locked == "" {
		return nil
	}
	return t.later("SELECT id FROM accounts WHERE id = ?"+locked, id)
}

// lockOwner is lockAccount for the account of a project.
func (t *tx) lockOwner(id sandlot.ProjectID) error {
	locked := t.dialect.Locked("accounts")
	if locked == "" {
		return nil
	}
	return t.later("SELECT id FROM accounts WHERE id = (SELECT account FROM projects WHERE id = ?)"+locked, string(id))
}

// lockOwnerOf is lockAccount for the account of the project of that number.
func (t *tx) lockOwnerOf(project int64) error {
	locked := t.dialect.Locked("accounts")
	if locked == "" {
		return nil
	}
	return t.later("SELECT id FROM accounts WHERE id = (SELECT account FROM projects WHERE num = ?)"+locked, project)
}

// lockSubject is lockAccount for an account, or for that of a project.
func (t *tx) lockSubject(s sandlot.Subject) error {
	if s.Project != "" {
		return t.lockOwner(s.Project)
	}
	return t.lockAccount(s.Account)
}

// alone has the step wait for others that are alone with the same, until they end. It is
// for what has no row yet that could be locked. Where a step locks the account, too,
// that comes before.
func (t *tx) alone(with sandlot.Digest) error {
	query := t.dialect.Alone("?")
	if query == "" {
		return nil
	}
	return t.later(query, int64(binary.BigEndian.Uint64(with[:])))
}

// number returns the first column of the first row.
func (t *tx) number(query string, args ...any) (int64, error) {
	return one(context.Background(), t, scanValue[int64], query, args...)
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
type asDigest struct{ d *sandlot.Digest }

// Scan implements sql.Scanner.
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
