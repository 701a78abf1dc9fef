package sqlstore

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"sandlot/internal/publish"
)

// readers is how many connections read at once. Reads are short and mostly of
// cached pages, so more would only take turns on the same cores.
const readers = 4

var errClosed = fmt.Errorf("%w: the database is closed", publish.ErrUnavailable)

// probeBytes is what Ping writes after a failed commit: more than a publish with
// content in the database takes, so that what it says is true of that.
const probeBytes = 1 << 20

// Options are what may differ from one use of a store to another. The zero value
// is right for a server.
type Options struct {
	Now func() time.Time // time.Now if nil; stamps blob records and tells whether an upload has expired
	// CacheBytes is how much of the database all connections cache together; 0: 8 MiB. The writer has half of it.
	CacheBytes int
	// Existing says to use a database as it is: it is neither created nor brought up to date, so that it is safe beside a server of
	// another release.
	Existing bool
}

// DB keeps the records in one SQLite database. It implements publish.Store,
// publish.JobStore, publish.SweepStore, publish.VariantStore and
// publish.AdminStore, under their promises: a method that returns nil has synced its effect to the disk. All
// methods may be called concurrently.
//
// When the disk is full writes fail with publish.ErrFull, reads go on, and writes
// work again as soon as there is room. When an fsync fails, or the files were
// deleted or replaced, every later write and Ping fails with
// publish.ErrUnavailable until the process is started again.
// Another process that holds the database makes a write wait for 5 s at most, and
// then fail with publish.ErrUnavailable.
//
// It holds up to CacheBytes of cached pages, a half for the writer and an eighth for each of four
// readers, for which the process takes about four times that: each page of 16 KiB
// has a region of its own. Beside them there is the content of the steps that
// wait, which is their callers'.
type DB struct {
	write  *writer
	read   *reader
	gate   gate
	log    *logKeeper
	drafts drafting
	now    func() time.Time
	closed atomic.Bool
	swept  atomic.Bool // whether a sweep that is not at its end has forgotten anything

	// Set when the database is open.
	pageSize int64
	shrinks  bool // whether it can give pages back
}

// OpenSQLite opens the database in the file of that name, creates it with mode
// 0600 if it is not there, and brings its schema up to date. The folder has to
// exist. A file that is damaged, is not a database, is another program's, or was
// written by a newer sandlot is an error that says so in one sentence, and is left
// as it was; the first two wrap publish.ErrCorrupt.
//
// It does not keep a second server from opening the same file; both would work,
// but hold each other up.
func OpenSQLite(ctx context.Context, path string, opts Options) (*DB, error) {
	now := opts.Now
	if now == nil {
		now = time.Now
	}
	known, err := sqliteMigrations()
	if err != nil {
		return nil, err
	}
	if opts.Existing {
		err = checkCurrent(ctx, path, known)
	} else {
		err = prepareFile(ctx, path, known)
	}
	if err == nil && !opts.Existing {
		err = sentence(path, adopt(ctx, path))
	}
	if err != nil {
		return nil, err
	}
	db := &DB{now: now, drafts: drafting{at: map[publish.ProjectID]chan struct{}{}}}
	if opts.CacheBytes <= 0 {
		opts.CacheBytes = cacheBytes
	}
	if err := db.connect(ctx, path, opts.CacheBytes>>10); err != nil {
		return nil, errors.Join(sentence(path, err), db.Close())
	}
	if err := db.migrate(ctx, path, known); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if err := db.measure(ctx); err != nil {
		return nil, errors.Join(sentence(path, err), db.Close())
	}
	if db.write.place, err = placeOf(path); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if db.log, err = keepLog(db, path); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

func (db *DB) connect(ctx context.Context, path string, cacheKiB int) error {
	c, err := newConnector(path, "rw", writerPragmas(cacheKiB/2))
	if err != nil {
		return err
	}
	pool := sql.OpenDB(c)
	pool.SetMaxOpenConns(1)
	if db.write, err = newWriter(ctx, pool); err != nil {
		return errors.Join(err, pool.Close())
	}
	if c, err = newConnector(path, "ro", readerPragmas(cacheKiB/2/readers)); err != nil {
		return err
	}
	pool = sql.OpenDB(c)
	pool.SetMaxOpenConns(readers)
	pool.SetMaxIdleConns(readers)
	db.read = &reader{db: pool, stmts: map[string]*sql.Stmt{}}
	return openAll(ctx, pool)
}

// openAll opens all connections that readers will have. To open one later would wait
// for a file system that is frozen.
func openAll(ctx context.Context, pool *sql.DB) error {
	var conns []*sql.Conn
	var err error
	for range readers {
		var c *sql.Conn
		if c, err = pool.Conn(ctx); err != nil {
			break
		}
		conns = append(conns, c)
	}
	for _, c := range conns {
		err = errors.Join(err, c.Close())
	}
	return err
}

// Close lets the writes that wait finish, folds the log into the database and
// ends the connections. Every later call is publish.ErrUnavailable. It may be
// called again.
func (db *DB) Close() error {
	first := !db.closed.Swap(true)
	var errs []error
	if first && db.log != nil {
		errs = append(errs, db.log.close())
	}
	// The readers go first: the last connection to close folds the log in, and only
	// the writer may.
	if db.read != nil {
		errs = append(errs, db.read.db.Close())
	}
	if db.write != nil {
		errs = append(errs, db.write.close())
	}
	return errors.Join(errs...)
}

// Ping implements publish.Store. After a failed commit it finds out by writing
// whether there is room again.
func (db *DB) Ping(ctx context.Context) error {
	if _, err := one(ctx, db, scanValue[int64], "SELECT seq FROM counter WHERE one = 1"); err != nil {
		return in("ping", err)
	}
	return in("ping", db.step(ctx, 0, func(t *tx) error {
		if !db.write.ailing.Load() {
			return nil // to have had its turn is enough, and costs no fsync
		}
		return t.probe()
	}))
}

// probe writes as much as a publish may. The bytes are random because pages that
// stay the same are not written.
func (t *tx) probe() error {
	bytes := make([]byte, probeBytes)
	rand.Read(bytes)
	_, err := t.exec("INSERT INTO probe (one, bytes) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET bytes = excluded.bytes", bytes)
	return err
}

// step runs what one method does as one atomic and durable step. bytes says how
// much content it writes.
func (db *DB) step(ctx context.Context, bytes int, run func(*tx) error) error {
	return db.write.do(ctx, bytes, run)
}

// query reads outside of any step.
func (db *DB) query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if db.closed.Load() {
		return nil, errClosed
	}
	return db.read.query(ctx, query, args...)
}

// snapshot runs several queries on one consistent state. Any error is
// publish.ErrNoEffect.
func (db *DB) snapshot(ctx context.Context, read func(querier) error) error {
	if db.closed.Load() {
		return publish.NoEffect(errClosed)
	}
	db.gate.enter(ctx)
	defer db.gate.leave()
	t, err := db.read.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return publish.NoEffect(classify(err))
	}
	defer t.Rollback() // nothing was written, so nothing is lost
	return publish.NoEffect(read(snapshot{t}))
}
