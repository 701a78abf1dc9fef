package sqlstore

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"sandlot/internal/storage/sqlstore/engine"
	"sandlot/internal/storage/sqlstore/postgres"
	"sandlot/internal/storage/sqlstore/sqlite"
)

// Options are what may differ from one use of SQLite to another. The zero value
// is right for a server. Now also tells whether an upload has expired.
type Options = sqlite.Options

// DB keeps the records in one database. Publish, Credentials, Variants, Account,
// Mail, Gallery, Operate and Upkeep are its views for their consumers, under the promises
// of their interfaces: a method that returns nil has made its effect durable. All
// methods may be called concurrently.
//
// When the disk is full writes fail with sandlot.ErrFull, reads go on, and writes
// work again as soon as there is room.
//
// Of SQLite: when an fsync fails, or the files were deleted or replaced, every later
// write and Ping fails with sandlot.ErrUnavailable until the process is started again.
// Another process that holds the database makes a write wait for 5 s at most, and
// then fail with sandlot.ErrUnavailable.
type DB struct {
	engine  engine.Engine
	dialect engine.Dialect
	mover   engine.Mover
	swept   atomic.Bool // whether a sweep that is not at its end has forgotten anything
}

// OpenSQLite opens the database in the file of that name, as sqlite.Open does.
func OpenSQLite(ctx context.Context, path string, opts Options) (*DB, error) {
	e, err := sqlite.Open(ctx, path, opts)
	if err != nil {
		return nil, err
	}
	return newDB(e, sqlite.Mover{}), nil
}

// OpenPostgres opens the PostgreSQL database of a URL, as postgres.Open does.
func OpenPostgres(ctx context.Context, url string, opts postgres.Options) (*DB, error) {
	e, err := postgres.Open(ctx, url, opts)
	if err != nil {
		return nil, err
	}
	return newDB(e, postgres.Mover{}), nil
}

func newDB(e engine.Engine, m engine.Mover) *DB {
	return &DB{engine: e, dialect: e.Dialect(), mover: m}
}

// Close lets the writes that wait finish, folds the log into the database and
// ends the connections. Every later call is sandlot.ErrUnavailable. It may be
// called again.
func (db *DB) Close() error { return db.engine.Close() }

// After a failed commit it finds out by writing
// whether there is room again.
func (db *DB) Ping(ctx context.Context) error { return db.engine.Ping(ctx) }

// Now is what the clock of the database says, which all processes that use it share.
func (db *DB) Now() time.Time { return db.engine.Now() }

// step runs what one method does as one atomic and durable step. bytes says how
// much content it writes.
func (db *DB) step(ctx context.Context, bytes int, run func(*tx) error) error {
	return db.engine.Step(ctx, bytes, func(t engine.Tx) error { return run(&tx{Tx: t, dialect: db.dialect}) })
}

// run is a step of statements alone.
func (db *DB) run(ctx context.Context, list ...engine.Statement) error {
	return db.step(ctx, 0, func(t *tx) error { return t.Run(list...) })
}

// must is a step of one statement that has to change a row; if it changes none the error is missing.
func (db *DB) must(ctx context.Context, missing error, query string, args ...any) error {
	return db.step(ctx, 0, func(t *tx) error { return t.must(missing, query, args...) })
}

// snapshot runs several queries on one consistent state. Any error is
// sandlot.ErrNoEffect.
func (db *DB) snapshot(ctx context.Context, read func(querier) error) error {
	return db.engine.Snapshot(ctx, func(q engine.Querier) error { return read(snapshot{q, db.dialect}) })
}

// snapshot reads inside one read transaction, or by one query.
type snapshot struct {
	q       engine.Querier
	dialect engine.Dialect
}

func (s snapshot) read(_ context.Context, read func(engine.Querier) error) error { return read(s.q) }

func (s snapshot) words() engine.Dialect { return s.dialect }

func (db *DB) read(ctx context.Context, read func(engine.Querier) error) error {
	return db.engine.Read(ctx, read)
}

func (db *DB) words() engine.Dialect { return db.dialect }

// amongNumbers holds where an expression is one of the numbers that the query's parameter lists.
func (db *DB) amongNumbers(expression string) string {
	return db.dialect.Among(expression, db.dialect.Numbers("?", "j"))
}

// amongTexts holds where an expression is one of the texts that the query's parameter lists.
func (db *DB) amongTexts(expression string) string {
	return db.dialect.Among(expression, db.dialect.Texts("?", "j"))
}

// in says what was being done when err came up. It keeps nil.
func in(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
