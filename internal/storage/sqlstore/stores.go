package sqlstore

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/players/boards"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/sqlstore/engine"
	"sandlot/internal/storage/sqlstore/postgres"
	"sandlot/internal/storage/sqlstore/sqlite"
)

// Stores of one subject each. The stores of the domain's rooms, below, are made of them.
type (
	SecretStore   struct{ db *DB }
	AccountStore  struct{ db *DB }
	ProjectStore  struct{ db *DB }
	FileStore     struct{ db *DB }
	UploadStore   struct{ db *DB }
	KeyStore      struct{ db *DB }
	TrashStore    struct{ db *DB }
	LoginStore    struct{ db *DB }
	SessionStore  struct{ db *DB }
	OwnerStore    struct{ db *DB }
	RecoveryStore struct{ db *DB }
	ClaimStore    struct{ db *DB }
	ConnectStore  struct{ db *DB }
	GrantStore    struct{ db *DB }
	StopStore     struct{ db *DB }
	RemovalStore  struct{ db *DB }
	FrontLine     struct{ db *DB } // holds, and the stores of the rooms below operate
)

type (
	// Publish is the store of a publish.Service.
	Publish struct {
		SecretStore
		AccountStore
		ProjectStore
		FileStore
		UploadStore
		KeyStore
		TrashStore
	}
	// Credentials is the store of a identity.Authenticator.
	Credentials struct{ db *DB }
	// Variants is the store of a squeeze.Worker.
	Variants struct{ db *DB }
	// Account is the store of an account.Service, a connect.Service and an oauth.Service.
	Account struct {
		SecretStore
		AccountStore
		ProjectStore
		LoginStore
		SessionStore
		OwnerStore
		RecoveryStore
		ClaimStore
		ConnectStore
		GrantStore
		StopStore
		RemovalStore
	}
	// Mail is the store of an account.Courier.
	Mail struct {
		db *DB
		ProjectStore
		StopStore
	}
	// Gallery is the store of package gallery.
	Gallery struct {
		db *DB
		SecretStore
		ProjectStore
	}
	// People is the store of an account.Profiles.
	People struct{ Gallery }
	// Covers is the store of package cover.
	Covers struct{ db *DB }
	// Tickets is the store of a ticket.Service.
	Tickets struct {
		db *DB
		SecretStore
	}
	// Players is the store of package players, Boards that of boards, and Faults that of faults.
	Players struct{ db *DB }
	Boards  struct {
		db         *DB
		size, most int64 // rows of a block, and of a ladder
	}
	Faults struct{ db *DB }
	// Trials is the store of package trial.
	Trials struct{ db *DB }
	// Operate is the store of an operate.Service.
	Operate struct {
		db *DB
		FrontLine
		SecretStore
		ProjectStore
		FileStore
		KeyStore
		RemovalStore
	}
	// Upkeep is the store of the workers of package operate, of verify and of backup.
	Upkeep struct {
		db *DB
		FileStore
	}
)

func (db *DB) Publish() Publish {
	return Publish{SecretStore{db}, AccountStore{db}, ProjectStore{db}, FileStore{db}, UploadStore{db}, KeyStore{db}, TrashStore{db}}
}

func (db *DB) Account() Account {
	return Account{
		SecretStore{db},
		AccountStore{db},
		ProjectStore{db},
		LoginStore{db},
		SessionStore{db},
		OwnerStore{db},
		RecoveryStore{db},
		ClaimStore{db},
		ConnectStore{db},
		GrantStore{db},
		StopStore{db},
		RemovalStore{db},
	}
}

func (a Account) Stores() account.Stores {
	return account.Stores{Secrets: a, Logins: a, Sessions: a, Owners: a, Recovery: a, Claims: a, Stops: a}
}

func (db *DB) Credentials() Credentials { return Credentials{db} }
func (db *DB) Variants() Variants       { return Variants{db} }
func (db *DB) Mail() Mail               { return Mail{db, ProjectStore{db}, StopStore{db}} }
func (db *DB) Gallery() Gallery         { return Gallery{db, SecretStore{db}, ProjectStore{db}} }
func (db *DB) People() People           { return People{db.Gallery()} }
func (db *DB) Covers() Covers           { return Covers{db} }
func (db *DB) Tickets() Tickets         { return Tickets{db, SecretStore{db}} }
func (db *DB) Players() Players         { return Players{db} }
func (db *DB) Boards() Boards           { return Boards{db, blockRows, boards.MaxRows} }
func (db *DB) Faults() Faults           { return Faults{db} }
func (db *DB) Trials() Trials           { return Trials{db} }
func (db *DB) Upkeep() Upkeep           { return Upkeep{db, FileStore{db}} }

func (db *DB) Operate() Operate {
	return Operate{db, FrontLine{db}, SecretStore{db}, ProjectStore{db}, FileStore{db}, KeyStore{db}, RemovalStore{db}}
}

func (store ProjectStore) Ping(ctx context.Context) error { return store.db.Ping(ctx) }

// Options differ from one use of SQLite to another. The zero value is right for a server. Uploads expire by Now.
type Options = sqlite.Options

// DB keeps the records in one database. Publish, Credentials, Variants, Account, Mail, Gallery, Operate and Upkeep
// are its views for their consumers, under the promises of their interfaces: a method that returns nil has made its
// effect durable. All methods may be called concurrently.
//
// When the disk is full writes fail with sandlot.ErrFull, reads go on, and writes work again as soon as there is
// room.
//
// Of SQLite: when an fsync fails, or the files were deleted or replaced, every later write and Ping fails with
// sandlot.ErrUnavailable until the process is started again. Another process that holds the database makes a write
// wait for 5 s at most, and then fail with sandlot.ErrUnavailable.
type DB struct {
	engine  engine.Engine
	dialect engine.Dialect
	mover   engine.Mover
	swept   *atomic.Bool // whether an unfinished sweep has forgotten anything; tests copy a DB to observe it apart
	around  publish.Around
}

// DropCopies removes the copies from before upgrades that OpenSQLite left beside a database before that time.
func DropCopies(path string, before time.Time) error { return sqlite.DropCopies(path, before) }

// OpenSQLite opens the database in the file of that name, as sqlite.Open does.
func OpenSQLite(ctx context.Context, path string, opts Options) (*DB, error) {
	opts.Brief = ofDays
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
	return &DB{engine: e, dialect: e.Dialect(), mover: m, swept: &atomic.Bool{}, around: unobserved}
}

// Close lets the writes that wait finish, folds the log into the database and ends the connections. Every later call
// is sandlot.ErrUnavailable. It may be called again.
func (db *DB) Close() error { return db.engine.Close() }

// After a failed commit it finds out by writing whether there is room again.
func (db *DB) Ping(ctx context.Context) error { return db.engine.Ping(ctx) }

// Now returns the time of the database, which all processes that use it share.
func (db *DB) Now() time.Time { return db.engine.Now() }

// Observe has every step of the database go through around from now on, those of its other stores, too.
func (p Publish) Observe(around publish.Around) { p.SecretStore.db.around = around }

// unobserved runs the steps of a command, which has no cached heads and no staged blobs.
func unobserved(step func() (sandlot.Changed, error), _ []sandlot.Blob) error {
	_, err := step()
	return err
}

// step runs the statements of one method as one atomic and durable step, which may record the blobs. All steps that
// change records pass here, so the observer gets the blobs of each before it runs, and its changes before it returns.
func (db *DB) step(ctx context.Context, blobs []sandlot.Blob, run func(*tx) error) error {
	bytes := 0
	for _, b := range blobs {
		bytes += b.InlineSize()
	}
	return stepOf(ctx, db, bytes, blobs, run)
}

// stepOf runs a step that writes that many bytes of content.
func stepOf(ctx context.Context, db *DB, bytes int, blobs []sandlot.Blob, run func(*tx) error) error {
	return db.around(func() (changed sandlot.Changed, err error) {
		err = db.engine.Step(ctx, bytes, func(t engine.Tx) error {
			x := &tx{Tx: t, dialect: db.dialect}
			err := run(x)
			changed = x.changed
			return err
		})
		return changed, err
	}, blobs)
}

func (db *DB) run(ctx context.Context, list ...engine.Statement) error {
	return db.step(ctx, nil, func(t *tx) error { return t.Run(list...) })
}

// must is a step of one statement that has to change a row; if it changes none the error is missing.
func (db *DB) must(ctx context.Context, missing error, query string, args ...any) error {
	return db.step(ctx, nil, func(t *tx) error { return t.must(missing, query, args...) })
}

func (db *DB) snapshot(ctx context.Context, read func(querier) error) error {
	return db.engine.Snapshot(ctx, func(q engine.Querier) error { return read(snapshot{q, db.dialect}) })
}

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

func (db *DB) amongNumbers(expression string) string {
	return db.dialect.Among(expression, db.dialect.Numbers("?", "j"))
}

func (db *DB) amongTexts(expression string) string {
	return db.dialect.Among(expression, db.dialect.Texts("?", "j"))
}

// in adds the operation to an error. It keeps nil.
func in(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// Engine returns the measurements of the database.
func (db *DB) Engine() EngineNumbers { return db.engine }

// EngineNumbers are the measurements of a database: see engine.Engine.
type EngineNumbers interface {
	Meters() *engine.Meters
	Pool() engine.Pool
	Skew() time.Duration
	Size(ctx context.Context) (engine.Size, error)
}
