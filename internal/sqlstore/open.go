package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"sync/atomic"
	"time"

	"sandlot/internal/publish"
	"sandlot/internal/sqlstore/sqlite"
)

// Options are what may differ from one use of a store to another. The zero value
// is right for a server. Now also tells whether an upload has expired.
type Options = sqlite.Options

// DB keeps the records in one SQLite database. Publish, Credentials, Variants, Account,
// Mail, Gallery, Operate and Upkeep are its views for their consumers, under the promises
// of their interfaces: a method that returns nil has synced its effect to the disk. All
// methods may be called concurrently.
//
// When the disk is full writes fail with publish.ErrFull, reads go on, and writes
// work again as soon as there is room. When an fsync fails, or the files were
// deleted or replaced, every later write and Ping fails with
// publish.ErrUnavailable until the process is started again.
// Another process that holds the database makes a write wait for 5 s at most, and
// then fail with publish.ErrUnavailable.
type DB struct {
	engine *sqlite.Engine
	drafts drafting
	now    func() time.Time
	swept  atomic.Bool // whether a sweep that is not at its end has forgotten anything
}

// OpenSQLite opens the database in the file of that name, as sqlite.Open does.
func OpenSQLite(ctx context.Context, path string, opts Options) (*DB, error) {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	e, err := sqlite.Open(ctx, path, opts)
	if err != nil {
		return nil, err
	}
	return &DB{engine: e, now: opts.Now, drafts: drafting{at: map[publish.ProjectID]chan struct{}{}}}, nil
}

// Close lets the writes that wait finish, folds the log into the database and
// ends the connections. Every later call is publish.ErrUnavailable. It may be
// called again.
func (db *DB) Close() error { return db.engine.Close() }

// Ping implements publish.Store. After a failed commit it finds out by writing
// whether there is room again.
func (db *DB) Ping(ctx context.Context) error { return db.engine.Ping(ctx) }

// step runs what one method does as one atomic and durable step. bytes says how
// much content it writes.
func (db *DB) step(ctx context.Context, bytes int, run func(*tx) error) error {
	return db.engine.Step(ctx, bytes, func(t *sqlite.Tx) error { return run(&tx{t}) })
}

// query reads outside of any step.
func (db *DB) query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return db.engine.Query(ctx, query, args...)
}

// snapshot runs several queries on one consistent state. Any error is
// publish.ErrNoEffect.
func (db *DB) snapshot(ctx context.Context, read func(querier) error) error {
	return db.engine.Snapshot(ctx, func(s sqlite.Snapshot) error { return read(snapshot{s}) })
}

// snapshot reads inside one read transaction.
type snapshot struct{ s sqlite.Snapshot }

func (s snapshot) query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return s.s.Query(ctx, query, args...)
}

// dialect has the engine's own words for the queries of this package.
var dialect sqlite.Dialect

// classify makes an error of the database one of those that publish knows.
func classify(err error) error { return sqlite.Classify(err) }

// in says what was being done when err came up. It keeps nil.
func in(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
