package publish

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"time"

	"sandlot"
	"sandlot/internal/base/turns"
	"sandlot/internal/domain/heads"
	"sandlot/internal/format/lure"
)

// Config holds the operator's settings of a Service. New fills in zero limits; the Service never changes it afterwards.
type Config struct {
	Places      sandlot.Places
	InlineMax   int    // content up to this many bytes is kept in its record; below 0: none but the empty
	MaxContent  int64  // bytes of one request's content, decoded and gunzipped
	MaxFile     int64  // bytes of a file that was assembled from parts
	MaxFiles    int    // files of a project
	Temporary   string // the folder of temporary files; "": the system's
	MaxUploads  int    // open uploads of one account, or of one network without a key
	UploadBytes int64  // of the open uploads of one network without a key; 0: no limit
	Opening     sandlot.Opening
	Quarantine  bool          // whether projects of unverified accounts load from and send to no other origin
	Public      bool          // whether strangers are expected: then only projects of verified accounts are listed
	Brands      *lure.Brands  // names that titles of unverified accounts must not show to others; nil: none
	NoRuntime   bool          // whether projects keep nothing of their players
	Blocklist   Blocklist     // nil: nothing is blocked
	Networks    NetworkHashes // nil: no network is recorded
	Quota       Quota         // of each account
	Room        func() bool   // whether the disk takes new content; nil: always
	Spend       func()        // frees the room on the disk that is reserved for steps which free room or protect people; nil: there is none
	SMTP        bool          // whether messages are really sent
	MailUp      func() bool   // whether messages get through; nil: they do
	Uncounted   bool          // whether messages have no limit per sender: the instance is local
	MailFolder  string        // the folder of messages that are not sent, as the operator named it
	Remembered  Remembered    // bounds of the caches in memory
	Heavy       func(bool)    // called when a first heavy call begins, and when the last one has ended; nil: not called
}

// Limits that the contract names, and the defaults of a Config.
const (
	DefaultInlineMax  = 64 << 10 // measured: a row beats a file up to about 100 KiB
	DefaultMaxFiles   = 10_000
	DefaultProjects   = 20_000
	DefaultMaxUploads = 1_000 // an agent has one or a few; each may hold a file on the disk
	MaxParts          = 10_000
	MaxUploadID       = 128
	UploadLife        = 24 * time.Hour // of an unfinished upload, and of the answer of a finished one
)

// Remembered bounds the caches of a Service; 0 is the default.
type Remembered struct {
	Projects int // in the cache of heads, at about 500 bytes each: 20,000, in 10 MiB
}

// Stores are the stores of a Service, which observes them: another Service needs others, of the same database if it
// likes. All but Statistics must be set.
type Stores struct {
	Store      Store
	Management ManagementStore
	Blobs      sandlot.Blobs
	Statistics Statistics // nil: nobody reads counts
}

// A ManagementStore keeps the keys and projects that owners manage by hand on the website.
type ManagementStore interface {
	KeyringStore
	ProjectStore
	TrashStore
	HoldStore
}

// A Service applies the rules. Each method takes the caller as an argument, calls Authorize, and returns an *Error for
// a refusal. Any other error is a fault of the service, for AsError to translate. When a method returns nil, its effect
// is durable and every later call sees it; other processes see it within heads.Hold.
//
// Its methods may be called concurrently. Edits of one project take effect one after another.
// When the context ends, a call stops before its next step of the store, but an upload that has
// all its parts is used nevertheless. A step that has begun happens wholly or not at all.
type Service struct {
	Config
	// Contents holds the bytes that calls use and versions name.
	Contents *Contents
	// Heads caches projects; the maker of the Service runs it.
	Heads *heads.Cache
	// Reader shows projects, files and accounts.
	Reader *Reader
	// Keyring holds the keys that people make on the website.
	Keyring *Keyring
	// Trash holds the deletions that can be taken back.
	Trash *Trash

	answers
	management  ManagementStore
	edits       *turns.Locks[sandlot.ProjectID] // one edit of a project at a time in this process; the store guards against others
	idempotency *idempotency
}

// Option replaces a part of a Service.
type Option func(*sources)

// sources are where a Service has its time and its randomness from.
type sources struct {
	now     func() time.Time
	elapsed func() time.Duration
	random  io.Reader
}

// WithClock makes the Service read the time from now, which may be called concurrently.
func WithClock(now func() time.Time) Option { return func(s *sources) { s.now = now } }

// WithRandom makes the Service draw names, keys and the installation's secret from r, which may
// be read concurrently. Keys are as secret as r is.
func WithRandom(r io.Reader) Option { return func(s *sources) { s.random = r } }

// WithElapsed makes the Service's Heads measure time by elapsed, which never goes back and may be called concurrently.
func WithElapsed(elapsed func() time.Duration) Option {
	return func(s *sources) { s.elapsed = elapsed }
}

// New returns a Service. Zero limits of cfg get their defaults. It reads the installation's secret from the store,
// makes it if there is none, and fails if that fails. The maker of a Service runs its Heads: without that, each project
// in use is read anew every second.
func New(ctx context.Context, cfg Config, stores Stores, log *slog.Logger, opts ...Option) (*Service, error) {
	cfg = cfg.withDefaults()
	from := sources{now: time.Now, random: rand.Reader}
	for _, o := range opts {
		o(&from)
	}
	cached := heads.New(stores.Store, cfg.Remembered.Projects, from.elapsed, log)
	vault, err := sandlot.OpenVault(ctx, stores.Store, from.random)
	if err != nil {
		return nil, err
	}
	contents := newContents(cfg, stores, log)
	store := stores.Store
	store.Observe(func(step func() (sandlot.Changed, error), blobs []sandlot.Blob) error {
		err := contents.held.use(func() error { return cached.After(step()) }, blobs...)
		if cfg.Blocklist != nil && errors.Is(err, sandlot.ErrBlocksMoved) {
			cfg.Blocklist.Moved()
		}
		return err
	})
	s := &Service{
		Config: cfg, Contents: contents, Heads: cached,
		management: stores.Management,
		edits:      turns.NewLocks[sandlot.ProjectID](),
		idempotency: &idempotency{
			store: store, vault: vault, now: from.now,
			inFlight: turns.NewLocks[sandlot.Digest](), places: cfg.Places,
		},
	}
	s.answers = answers{
		finder{store, cfg.Places},
		warner{&s.Config, contents, log},
		owners{store, vault, from.now, cfg.Uncounted},
		&uploads{
			store: store, contents: contents, vault: vault, now: from.now, locks: turns.NewLocks[sandlot.Digest](),
			maxFile: cfg.MaxFile, most: cfg.MaxUploads, networkBytes: cfg.UploadBytes, quota: cfg.Quota,
		},
	}
	s.Reader = &Reader{s.finder, s.warner, cached, s.management, stores.Statistics, vault, from.now}
	s.Keyring = &Keyring{store, s.management, s.idempotency, vault, from.now, cfg.Spend}
	s.Trash = &Trash{s}
	return s, nil
}

// withDefaults fills in the limits that are zero.
func (c Config) withDefaults() Config {
	setDefault(&c.InlineMax, DefaultInlineMax)
	setDefault(&c.Remembered.Projects, DefaultProjects)
	setDefault(&c.MaxContent, sandlot.DefaultMaxContent)
	setDefault(&c.MaxFile, sandlot.DefaultMaxFile)
	setDefault(&c.MaxFiles, DefaultMaxFiles)
	setDefault(&c.MaxUploads, DefaultMaxUploads)
	return c
}

// setDefault sets *v if it is 0.
func setDefault[T int | int64](v *T, to T) {
	if *v == 0 {
		*v = to
	}
}
