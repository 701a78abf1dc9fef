package sqlite

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"sandlot"
	"sandlot/internal/base/durable"
	"sandlot/internal/storage/sqlstore/engine"
)

// readers is how many connections read at once. Reads are short and mostly of cached pages, so more would only take
// turns on the same cores.
const readers = 4

var errClosed = fmt.Errorf("%w: the database is closed", sandlot.ErrUnavailable)

// probeBytes is the size of Ping's write after a failed commit: more than a publish with content in the database
// takes, so that its result holds for that.
const probeBytes = 1 << 20

// Options are the settings that may differ from one use of a database to another. The zero value is right for a
// server.
type Options struct {
	Now func() time.Time // time.Now if nil; stamps records
	// CacheBytes is how much of the database all connections cache together; 0: 8 MiB. The writer has half of it.
	CacheBytes int
	// Existing says to use a database as it is: it is neither created nor brought up to date, so that it is safe
	// beside a server of another release.
	Existing bool
}

// An Engine is one SQLite database. All methods may be called concurrently.
//
// It holds up to CacheBytes of cached pages, a half for the writer and an eighth for each of four readers, for which
// the process takes about four times that: each page of 16 KiB has a region of its own. Beside them there is the
// content of the steps that wait, which is their callers'.
type Engine struct {
	write  *writer
	read   *reader
	gate   gate
	log    *logKeeper
	now    func() time.Time
	path   string
	closed atomic.Bool
}

// Open opens the database in the file of that name, creates it with mode 0600 if it is not there, and brings its
// schema up to date. The folder has to exist. A file that is damaged, is not a database, is another program's, or was
// written by a newer sandlot is an error that says so in one sentence, and is left as it was; the first two wrap
// sandlot.ErrCorrupt.
//
// It does not keep a second server from opening the same file; both would work, but hold each other up.
func Open(ctx context.Context, path string, opts Options) (*Engine, error) {
	now := opts.Now
	if now == nil {
		now = time.Now
	}
	known, err := knownMigrations()
	if err != nil {
		return nil, err
	}
	if opts.Existing {
		err = checkCurrent(ctx, path, known)
	} else {
		err = prepareFile(ctx, path, known)
	}
	if err != nil {
		return nil, err
	}
	e := &Engine{now: now, path: path}
	if opts.CacheBytes <= 0 {
		opts.CacheBytes = cacheBytes
	}
	if err := e.connect(ctx, path, opts); err != nil {
		return nil, errors.Join(sentence(path, err), e.Close())
	}
	if err := e.migrate(ctx, path, known); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	if _, err := value[int64](ctx, e.read, "SELECT count(*) FROM migrations"); err != nil { // reads go on where the files are gone
		return nil, errors.Join(sentence(path, err), e.Close())
	}
	if e.write.place, err = placeOf(path); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	if e.log, err = keepLog(e, path); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

func (e *Engine) connect(ctx context.Context, path string, opts Options) error {
	cacheKiB := opts.CacheBytes >> 10
	c, err := newConnector(path, "rw", writerSettings(path, cacheKiB/2))
	if err != nil {
		return err
	}
	pool := sql.OpenDB(c)
	pool.SetMaxOpenConns(1)
	if e.write, err = newWriter(ctx, pool); err != nil {
		return errors.Join(err, pool.Close())
	}
	if c, err = newConnector(path, "ro", readerSettings(cacheKiB/2/readers)); err != nil {
		return err
	}
	pool = sql.OpenDB(c)
	pool.SetMaxOpenConns(readers)
	pool.SetMaxIdleConns(readers)
	e.read = newReader(pool)
	return nil
}

// Close lets the writes that wait finish, folds the log into the database and ends the connections. Every later call
// is sandlot.ErrUnavailable. It may be called again.
func (e *Engine) Close() error {
	first := !e.closed.Swap(true)
	var errs []error
	if first && e.log != nil {
		errs = append(errs, e.log.close())
	}
	// The readers go first: the last connection to close folds the log in, and only the writer may.
	if e.read != nil {
		errs = append(errs, e.read.db.Close())
	}
	if e.write != nil {
		errs = append(errs, e.write.close())
	}
	return errors.Join(errs...)
}

// Ping fails when nothing can be read or written. After a failed commit it finds out by writing whether there is room
// again.
func (e *Engine) Ping(ctx context.Context) error {
	err := e.Read(ctx, func(q engine.Querier) error {
		_, err := values[int64](ctx, q, "SELECT at FROM clock WHERE one = 1")
		return err
	})
	if err != nil {
		return in("ping", err)
	}
	return in("ping", e.Step(ctx, 0, func(t engine.Tx) error {
		if !e.write.ailing.Load() {
			return nil // to have had its turn is enough, and costs no fsync
		}
		return probe(t)
	}))
}

// probe writes as much as a publish may. The bytes are random because pages that stay the same are not written.
func probe(t engine.Tx) error {
	bytes := make([]byte, probeBytes)
	rand.Read(bytes)
	_, err := t.Exec("INSERT INTO probe (one, bytes) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET bytes = excluded.bytes", bytes)
	return err
}

// Now returns the time of the database's clock, which all processes that use it share: leases end by it. That of
// SQLite is this machine's clock, or Options.Now.
func (e *Engine) Now() time.Time { return e.now() }

// CheckPlace returns sandlot.ErrUnavailable unless the database's files are those that were opened: another database
// in their place has other records.
func (e *Engine) CheckPlace() error {
	if err := e.write.place.Check(); err != nil {
		return fmt.Errorf("%w: %w", sandlot.ErrUnavailable, err)
	}
	return nil
}

// placeOf remembers where the files of an open database are: the records and the log, which both stay the same as
// long as a connection is open. To check costs two calls of the system, for a whole commit.
func placeOf(path string) (durable.Place, error) {
	p := durable.Place{What: "the database"}
	for _, name := range []string{path, path + "-wal"} {
		info, err := os.Stat(name)
		if err != nil {
			return p, err
		}
		p.Add(name, info)
	}
	return p, nil
}
