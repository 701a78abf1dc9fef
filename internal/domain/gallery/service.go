package gallery

import (
	"context"
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// Config holds an operator's settings of a gallery.
type Config struct {
	// Public is set if the instance is open to strangers. The additions of one network to a project's numbers are then
	// limited, and only projects of verified accounts are listed.
	Public bool
	// Plays is how many loads are remembered for half an hour, so that each counts once, at about 100 bytes each.
	// Beyond that the older half is forgotten, and may count twice. 0 is DefaultPlays.
	Plays int
	// Shared is set if other processes count plays of the same projects. The store then reports whether one of them
	// counted a load within the last half hour.
	Shared bool
	// Texts is the size in bytes of the titles, handles and tags kept for searches; projects older than those are not
	// found. 0 is DefaultTexts.
	Texts int
	Now   func() time.Time // nil: time.Now
	// Draw returns a random number from 0 to n-1; nil: math/rand. It may be called concurrently.
	Draw func(n int64) int64
}

// DefaultPlays is the default number of remembered loads: 25 MiB.
const DefaultPlays = 250_000

func (c Config) withDefaults() Config {
	if c.Plays == 0 {
		c.Plays = DefaultPlays
	}
	if c.Texts == 0 {
		c.Texts = DefaultTexts
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Draw == nil {
		c.Draw = mathrand.Int64N
	}
	return c
}

// Projects holds the methods of publish that a Service needs; *publish.Reader implements it.
type Projects interface {
	// Current returns the current state of a project, possibly with old counts. A project that was taken down is
	// CodeTakenDown.
	Current(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) (sandlot.Project, error)
	// Find returns a project by its id or address, in its current state in the store. A project that was taken down is
	// CodeTakenDown.
	Find(ctx context.Context, by sandlot.Caller, ref string) (sandlot.Project, error)
	// Whoami lists the caller's projects, newest change first.
	Whoami(ctx context.Context, by sandlot.Caller, limit int, cursor string) (publish.Identity, error)
}

// Service holds the rules for the public lists, pages, plays and likes. Its methods may be called concurrently. Each
// takes the caller, and returns a *sandlot.Error or sandlot.ErrNotFound for a refusal. Any other error is a fault of
// the service.
type Service struct {
	Config
	store    Store
	projects Projects
	counters *Counters
	vault    *sandlot.Vault
	likes    *countLimit
	lists    *lists
	texts    *cached[*texts]
}

// New returns a Service. cfg must be the Config of counters. New sets in the store which projects may be listed and
// reads the installation's secret, and returns the error if either fails.
func New(ctx context.Context, cfg Config, store Store, projects Projects, counters *Counters) (*Service, error) {
	vault, err := sandlot.OpenVault(ctx, store, rand.Reader)
	if err != nil {
		return nil, err
	}
	if err := store.ListUnverified(ctx, !cfg.Public); err != nil {
		return nil, fmt.Errorf("set which projects may be listed: %w", err)
	}
	return &Service{
		Config: cfg.withDefaults(), store: store, projects: projects, counters: counters, vault: vault,
		likes: newCountLimit(likesAtOnce, likesAnHour), lists: newLists(), texts: newCached[*texts](firstFor),
	}, nil
}
