// Package testworld gives tests the real thing: the Service over the real SQLite store, real blobs and a real count of players, on a clock
// that tests move, with its log in memory. Only tests import it.
//
// Full gives it what several nodes share instead: PostgreSQL, an S3-compatible store and Redis. Sets has both.
//
// A world takes a few milliseconds: its database is a copy of one that was migrated once for each test program, and its folder lies in
// memory where the machine has such a place. Faults are asked of it (World.Faults, World.Blobs), so that no test needs a Service or a store
// that only imitates them. When its test ends, a world fails the test if a key is in the log.
package testworld

import (
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"net/url"
	"sync"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/account/connect"
	"sandlot/internal/domain/account/identity"
	"sandlot/internal/domain/account/oauth"
	"sandlot/internal/domain/cover"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/gallery/figures"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/operate/desk"
	"sandlot/internal/domain/players"
	"sandlot/internal/domain/players/boards"
	"sandlot/internal/domain/players/faults"
	"sandlot/internal/domain/publish"
	"sandlot/internal/domain/publish/ticket"
	"sandlot/internal/domain/trial"
	"sandlot/internal/storage/blob"
	"sandlot/internal/storage/sqlstore"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// InlineMax is how many bytes are kept in a record: few, so that short texts take both ways of keeping bytes.
const InlineMax = 100

// Start is what the clock of a world shows first.
var Start = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// A World is one installation, with a handle on each of its parts.
type World struct {
	Services
	Parts
	*records
	*post

	now    func() time.Time
	newSet func(*World) set
	copies
}

// Services are those of an installation.
type Services struct {
	Publish *publish.Service
	Account *account.Service
	Gallery *gallery.Service
	Figures *figures.Service // of Counters
	Operate *operate.Service
	Desk    *desk.Service   // of Publish
	Tickets *ticket.Service // of Publish
	Covers  *cover.Service  // of Publish
	Connect *connect.Service
	OAuth   *oauth.Service // without Documents
	Trials  *trial.Service // of Publish, beside a runner that can open pages

	Runtime Runtime

	Counters *gallery.Counters
	KeyUses  *identity.KeyUses
	Callers  *identity.Authenticator // with the keys and sessions of Publish
}

// Runtime are the services of players, each of Publish.
type Runtime struct {
	Players *players.Service
	Boards  *boards.Service
	Faults  *faults.Service
}

// Parts are their dependencies.
type Parts struct {
	Config publish.Config // of the Service
	DB     *sqlstore.DB   // the store as a command beside the server has it: no Service observes its steps, and it has no faults
	Served *sqlstore.DB   // the store whose steps Publish observes
	Disk   *blob.Disk     // is Stored where that is a folder
	Faults *Faults        // of the steps of the stores that the Service calls
	Blobs  *Blobs         // that the Service calls
	Live   gallery.Live
	Clock  *Clock
	Log    *slog.Logger
	Logs   *Logs
	Dir    string // has sandlot.db and the folder blobs, or the folder cache
}

// copies keep the records as they were last copied.
type copies struct {
	copying  sync.Mutex
	copied   func(testing.TB) set
	copiedAt string // what Written was before
}

// An Option changes a world before it is opened.
type Option func(*World)

// With changes the Service's settings, which are those of Config.
func With(change func(*publish.Config)) Option { return func(w *World) { change(&w.Config) } }

// RealTime lets the world run on the machine's clock; its Clock then moves nothing.
func RealTime() Option { return func(w *World) { w.now = time.Now } }

// Places are those of a world: the path form and the form with a host for each project, on localhost:8080.
func Places() sandlot.Places {
	return sandlot.Places{Base: &url.URL{Scheme: "http", Host: "localhost:8080"}, Content: "localhost:8080", PathForm: true}
}

// EmptyDatabase is a database with its tables.
var EmptyDatabase = testenv.Template{Make: func(path string) error {
	db, err := sqlstore.OpenSQLite(context.Background(), path, sqlstore.Options{})
	if err != nil {
		return err
	}
	return db.Close()
}}

// New opens a world that is empty, until the test ends.
func New(t testing.TB, opts ...Option) *World {
	t.Helper()
	return open(t, nil, NewClock(Start), opts)
}

// Copy opens a world on SQLite with a copy of w's records, its blobs and its time. Neither sees later records of the
// other; the blobs are the same, so neither may collect them.
func (w *World) Copy(t testing.TB, opts ...Option) *World {
	t.Helper()
	return open(t, w.snapshot(t)(t), NewClock(w.Clock.Now()), append([]Option{func(c *World) { c.Config = w.Config }}, opts...))
}

// Node is another node of the installation: all of a world anew over the same database and blobs, at the same time. What one writes the
// other
// sees as another process does.
func (w *World) Node(t testing.TB, opts ...Option) *World {
	t.Helper()
	return open(t, w.set, w.Clock, append([]Option{func(n *World) { n.Config = w.Config }}, opts...))
}

// snapshot makes sets with the records that w has now. Tests copy a world many times in which nothing is written meanwhile: they are kept
// until something is.
func (w *World) snapshot(t testing.TB) (lay func(testing.TB) set) {
	t.Helper()
	w.copying.Lock()
	defer w.copying.Unlock()
	if written := w.Written(); w.copied == nil || w.copiedAt != written {
		w.copied, w.copiedAt = w.set.(*embedded).snapshot(t, w.DB), written
	}
	return w.copied
}

// open opens a world in a set, or in a new one.
func open(t testing.TB, in set, clock *Clock, opts []Option) *World {
	t.Helper()
	w := &World{records: &records{t: t, set: in}, now: clock.Now, newSet: newEmbedded}
	w.Config = publish.Config{Places: Places(), InlineMax: InlineMax, MailFolder: "./data/mail"}
	w.Faults, w.Clock, w.Logs, w.post = &Faults{}, clock, &Logs{}, &post{w: w}
	w.Log = slog.New(slog.NewTextHandler(w.Logs, nil))
	for _, o := range opts {
		o(w)
	}
	if w.set == nil {
		w.set = w.newSet(w)
	}
	var err error
	if w.DB, err = w.set.openRecords(t.Context(), w.now); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.close)
	w.Stored, w.Live = w.set.openBlobs(w), w.set.openLive(w)
	w.Blobs = &Blobs{Blobs: w.Stored}
	w.Counters = w.newCounters(gallery.Config{Public: w.Config.Public})
	w.KeyUses = identity.NewKeyUses(w.DB.Credentials(), w.Log, nil)
	w.Callers = &identity.Authenticator{Store: w.DB.Credentials(), Uses: w.KeyUses, Now: w.now, Log: w.Log}
	w.Served = w.beside()
	w.Publish = w.AnotherOn(w.Config, w.StoresOn(w.Served))
	w.Account = w.AnotherAccount(w.Served.Account().Stores())
	w.Connect = &connect.Service{Store: w.Served.Account(), Logins: w.Account.Logins, Now: w.now}
	w.OAuth = &oauth.Service{Store: w.Served.Account(), Vault: w.Vault(), Places: w.Config.Places, Now: w.now, Spend: w.Config.Spend}
	w.Gallery = w.newGallery(gallery.Config{Public: w.Config.Public}, w.Publish.Reader, w.Counters)
	w.Figures = figures.New(w.DB.Gallery(), w.Publish.Reader, w.Counters, w.now)
	w.Operate = w.AnotherOperate(operate.Config{})
	w.Covers = cover.New(cover.Config{
		Store: w.Served.Covers(), Content: w.Publish.Contents, Projects: w.Publish.Reader,
		Places: w.Config.Places, Temporary: w.Dir, Now: w.now,
	})
	w.Tickets, err = ticket.New(t.Context(), w.DB.Tickets(), w.Publish, ticket.WithClock(w.now))
	expect.OK(t, err)
	w.Desk, err = desk.New(t.Context(), desk.Config{Store: w.Served.Operate().Desk(), Contents: w.Publish.Contents, Now: w.now})
	expect.OK(t, err)
	w.Trials = trial.New(w.DB.Trials(), w.Publish.Reader, &trial.Status{})
	w.Runtime = w.newRuntime()
	return w
}

func (w *World) newRuntime() (r Runtime) {
	of, limits := w.Publish.Reader, players.NewLimits(w.Config.Public, w.now)
	r.Players = players.New(players.Config{Store: w.Served.Players(), Projects: of, Vault: w.Vault(), Limits: limits, Now: w.now, Log: w.Log})
	r.Boards = boards.New(boards.Config{Store: w.DB.Boards(), Projects: of, Vault: w.Vault(), Limits: limits, Now: w.now})
	r.Faults = faults.New(faults.Config{Store: w.DB.Faults(), Projects: of, Limits: limits, Now: w.now, Log: w.Log})
	return r
}

func (w *World) close() {
	if err := w.DB.Close(); err != nil {
		w.t.Error(err)
	}
	if sandlot.KeyPattern.MatchString(w.Logs.String()) {
		w.t.Errorf("a key is in the log:\n%s", w.Logs)
	}
}

// beside is the same store for another Service to observe.
func (w *World) beside() *sqlstore.DB {
	db := *w.DB
	return &db
}

// Stores returns the stores for another Service on the same records.
func (w *World) Stores() publish.Stores { return w.StoresOn(w.beside()) }

// StoresOn is Stores of a store that the Service will observe.
func (w *World) StoresOn(db *sqlstore.DB) publish.Stores {
	s := &faulty{db: db, faults: w.Faults}
	return publish.Stores{Store: Store{db.Publish(), s}, Management: Management{db.Publish(), s}, Blobs: w.Blobs, Statistics: w.Counters}
}

// Another is a second Service on the stores as they are: what a restart would bring, or another process.
func (w *World) Another(cfg publish.Config) *publish.Service {
	w.t.Helper()
	return w.AnotherOn(cfg, w.Stores())
}

// AnotherOn is Another on other stores.
func (w *World) AnotherOn(cfg publish.Config, stores publish.Stores) *publish.Service {
	w.t.Helper()
	cfg.Temporary = cmp.Or(cfg.Temporary, w.Dir)
	s, err := publish.New(w.t.Context(), cfg, stores, w.Log, publish.WithClock(w.now))
	expect.OK(w.t, err)
	return s
}

// AnotherAccount is a second account.Service beside w.Publish, on these stores.
func (w *World) AnotherAccount(stores account.Stores) *account.Service {
	w.t.Helper()
	cfg := account.Config{Spend: w.Config.Spend}
	s, err := account.New(w.t.Context(), cfg, stores, account.WithClock(w.now))
	expect.OK(w.t, err)
	return s
}

// AnotherOperate is a second operate.Service on the stores as they are, as a command beside the server opens one.
func (w *World) AnotherOperate(cfg operate.Config) *operate.Service {
	w.t.Helper()
	s, err := operate.New(w.t.Context(), cfg, w.DB.Operate(), operate.WithClock(w.now))
	expect.OK(w.t, err)
	return s
}

// Vault is that of the installation.
func (w *World) Vault() *sandlot.Vault {
	w.t.Helper()
	v, err := sandlot.OpenVault(w.t.Context(), w.DB.Publish(), rand.Reader)
	expect.OK(w.t, err)
	return v
}

// AnotherGallery is a second gallery on the stores as they are, with counters of its own and a Service that has seen nothing yet. Its time
// is the world's.
func (w *World) AnotherGallery(cfg gallery.Config) *gallery.Service {
	w.t.Helper()
	return w.newGallery(cfg, w.Another(w.Config).Reader, w.newCounters(cfg))
}

// AnotherCounting is AnotherGallery with its counters.
func (w *World) AnotherCounting(cfg gallery.Config) (*gallery.Service, *gallery.Counters) {
	w.t.Helper()
	counters := w.newCounters(cfg)
	return w.newGallery(cfg, w.Another(w.Config).Reader, counters), counters
}

func (w *World) newGallery(cfg gallery.Config, projects gallery.Projects, counters *gallery.Counters) *gallery.Service {
	w.t.Helper()
	cfg.Now = w.now
	s, err := gallery.New(w.t.Context(), cfg, w.DB.Gallery(), projects, counters)
	expect.OK(w.t, err)
	return s
}

func (w *World) newCounters(cfg gallery.Config) *gallery.Counters {
	cfg.Now = w.now
	return gallery.NewCounters(cfg, Counts{w.DB.Gallery(), w.Faults}, w.Live, w.Log, nil)
}

// Now is the world's time.
func (w *World) Now() time.Time { return w.now() }
