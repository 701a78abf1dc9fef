package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"sandlot"
	"sandlot/internal/storage/sqlstore/engine"
)

// connections is the default number for a node. Steps take three of four at most, which leaves the others to reads.
// Three nodes with their background work then fit into the hundred that PostgreSQL allows by default; more keep a
// server of a few cores no busier.
const connections = 16

var errClosed = fmt.Errorf("%w: the database is closed", sandlot.ErrUnavailable)

// Options differ from one use of a database to another. The zero value is right for a server.
type Options struct {
	// Now is the clock of tests: it stamps records, and is taken for the database's. Nil is the real one.
	Now func() time.Time
	// Existing says to use a database as it is: it is neither created nor brought up to date, so that it is safe
	// beside a server of another release.
	Existing bool
	// Alone refuses a database that another connection of the same user is open to, such as a node's.
	Alone bool
	// Connections is how many there may be at most, 2 at least; 0 is pool_max_conns of the URL, or else 16.
	Connections int
}

// An Engine is one PostgreSQL database, which other processes may use at the same time. It implements engine.Engine.
// All methods may be called concurrently.
type Engine struct {
	pool  *pgxpool.Pool
	name  string // for messages
	place atomic.Pointer[place]

	queries rewritten
	slots   *slots
	turns   chan struct{} // one for each step that runs
	waiting atomic.Int64
	full    atomic.Bool // the last step found no room
	meters  *engine.Meters

	begin, beginSnapshot []string // the statements that begin a transaction

	// Seams: tests have less patience.
	againTime, outcomeTime time.Duration

	clock clock

	life
}

// A life ends when the last call that uses an engine has.
type life struct {
	mu     sync.RWMutex // held for writing only to close
	closed bool
	using  sync.WaitGroup
	stop   context.CancelFunc
}

// Open connects to the database of that URL, postgres://..., and brings its schema up to date; several processes may do
// so at once. It fails with one sentence, without the password, if the database cannot be reached or does not admit
// this user, is too old, read-only, not in UTF8, or another application's, or if this program cannot use its schema. In
// all these cases nothing was changed.
//
// A pooler in between that pools transactions is found out, and then nothing is kept in sessions.
func Open(ctx context.Context, url string, opts Options) (*Engine, error) {
	known, err := knownMigrations()
	if err != nil {
		return nil, err
	}
	return open(ctx, url, opts, known)
}

func open(ctx context.Context, url string, opts Options, known []engine.Migration) (*Engine, error) {
	config, err := parse(url)
	if err != nil {
		return nil, err
	}
	bound(config.ConnConfig)
	e := &Engine{name: nameOf(&config.ConnConfig.Config), slots: newSlots(), againTime: againTime, outcomeTime: outcomeTime, meters: engine.NewMeters()}
	e.begin, e.beginSnapshot = []string{"BEGIN ISOLATION LEVEL READ COMMITTED"}, []string{"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"}
	e.clock.fixed = opts.Now
	s, err := look(ctx, config.ConnConfig, e.name)
	if err == nil && opts.Alone {
		err = alone(ctx, config.ConnConfig, e.name)
	}
	if err != nil {
		return nil, err
	}
	e.configure(config, s)
	if opts.Connections > 0 {
		config.MaxConns = int32(opts.Connections)
	}
	config.MaxConns = max(2, config.MaxConns)
	e.turns = make(chan struct{}, max(1, config.MaxConns*3/4))
	if e.pool, err = pgxpool.NewWithConfig(context.WithoutCancel(ctx), config); err != nil {
		return nil, unreachable(e.name, err)
	}
	if err := e.prepare(ctx, opts, s, known); err != nil {
		e.pool.Close()
		return nil, err
	}
	return e, nil
}

// prepare brings the schema up to date, and reads its properties.
func (e *Engine) prepare(ctx context.Context, opts Options, s state, known []engine.Migration) error {
	var err error
	if opts.Existing {
		err = e.checkCurrent(ctx, s, known)
	} else {
		err = e.migrate(ctx, s, known)
	}
	if err != nil {
		return err
	}
	c, err := e.acquire(ctx, false)
	if err != nil {
		return unreachable(e.name, err)
	}
	defer c.Release()
	p, err := placeOf(ctx, c.Conn())
	if err != nil {
		return unreachable(e.name, err)
	}
	e.place.Store(&p)
	if err := e.clock.measure(ctx, c.Conn()); err != nil {
		return unreachable(e.name, err)
	}
	background, stop := context.WithCancel(context.Background())
	e.stop = stop
	e.using.Go(func() { e.keepTime(background) })
	return nil
}

// enter keeps the engine open until leave.
func (l *life) enter() error {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.closed {
		return errClosed
	}
	l.using.Add(1)
	return nil
}

func (l *life) leave() { l.using.Done() }

func (e *Engine) Close() error {
	e.mu.Lock()
	first := !e.closed
	e.closed = true
	e.mu.Unlock()
	if first {
		e.stop()
	}
	e.using.Wait()
	e.pool.Close()
	return nil
}

func (e *Engine) Dialect() engine.Dialect { return dialect{} }

// It writes, and where the last step found no room it writes as much as a publish may.
func (e *Engine) Ping(ctx context.Context) error {
	return in("ping", e.Step(ctx, 0, func(t engine.Tx) error {
		if !e.full.Load() {
			_, err := t.Exec("UPDATE instance SET probed_at = now()")
			return err
		}
		_, err := t.Exec("UPDATE instance SET probed_at = now(), probe = ?", probe())
		return err
	}))
}

// It queries the database each time: behind a pooler or a name server it may change under a connection.
func (e *Engine) CheckPlace() error {
	if err := e.enter(); err != nil {
		return err
	}
	defer e.leave()
	ctx, cancel := context.WithTimeout(context.Background(), acquireTime)
	defer cancel()
	c, err := e.acquire(ctx, true)
	if err != nil {
		return err
	}
	defer c.Release()
	err = e.checkPlaceOf(ctx, c.Conn())
	return in("look whether it is the same database", classify(err, c.Conn().IsClosed()))
}

// It does nothing: deleted records are overwritten when autovacuum has freed their room and it is used again, and
// traces stay in the log and its archive for as long as the operator keeps them.
func (e *Engine) Wipe() {}

// It is always 0: autovacuum makes room for new records, and the database does not report how much.
func (e *Engine) Unused(context.Context) (int64, error) { return 0, nil }

// It does nothing: autovacuum returns the unused end of a table.
func (e *Engine) GiveBack(context.Context) (more bool, err error) { return false, nil }

// There are no copies in files of this engine: it is always errors.ErrUnsupported.
func (e *Engine) CopyTo(context.Context, string, func(engine.Tx) error) error {
	return sandlot.NoEffect(errors.ErrUnsupported)
}

// It finds nothing: the database's constraints keep the store's references, and a check of its pages and indexes needs
// rights and an extension that its operator has (pg_amcheck, and checksums at initdb).
func (e *Engine) Damage(context.Context, int, string) ([]string, error) { return nil, nil }

var _ engine.Engine = (*Engine)(nil)

// probeBytes is the size of Ping's write after a step that found no room: more than a publish with content in the
// database takes, so that its result holds for that.
const probeBytes = 1 << 20

// probe returns random bytes, for compressible ones take no room.
func probe() []byte {
	bytes := make([]byte, probeBytes)
	rand.Read(bytes)
	return bytes
}
