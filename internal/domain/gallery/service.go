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

// Config is what an operator decides about a gallery.
type Config struct {
	// Public says that strangers are expected. Then what one network adds to a project's numbers is bounded, and only projects of verified
	// accounts are listed.
	Public bool
	// Plays is how many loads are remembered for half an hour, so that each counts once, at about 100 bytes each. Beyond that the older half
	// is forgotten, and may count twice. 0 is DefaultPlays.
	Plays int
	// Shared says that other processes count the plays of the same projects. Then the store tells whether a load of the last half hour was
	// counted by one of them.
	Shared bool
	// Texts is how many bytes of titles, handles and tags are kept for searches; older projects than those are not found. 0 is DefaultTexts.
	Texts int
	Now   func() time.Time // nil: time.Now
	// Draw draws a number from 0 up to n, without n; nil: math/rand. It may be called concurrently.
	Draw func(n int64) int64
}

// DefaultPlays is how many loads of the last half hour are remembered by default: 25 MiB.
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

// Projects is what a Service asks of publish; *publish.Service has it.
type Projects interface {
	// Current returns the current state of a project, whose counts may be old. One that was taken down is CodeTakenDown.
	Current(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) (sandlot.Project, error)
	// Find returns a project by its id or address, as the store has it now. One that was taken down is CodeTakenDown.
	Find(ctx context.Context, by sandlot.Caller, ref string) (sandlot.Project, error)
	// Whoami lists the caller's projects, newest change first.
	Whoami(ctx context.Context, by sandlot.Caller, limit int, cursor string) (publish.Identity, error)
}

// Service has the rules of what everybody sees and plays. Its methods may be called concurrently. Each takes the caller, and returns a
// *sandlot.Error or sandlot.ErrNotFound for what it refuses. Any other error is a fault of the service.
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

// New makes a Service. cfg must be the Config that counters was made with. New tells the store what may be listed and reads the
// installation's secret, and returns the error if either fails.
func New(ctx context.Context, cfg Config, store Store, projects Projects, counters *Counters) (*Service, error) {
	vault, err := sandlot.OpenVault(ctx, store, rand.Reader)
	if err != nil {
		return nil, err
	}
	if err := store.ListUnverified(ctx, !cfg.Public); err != nil {
		return nil, fmt.Errorf("choose what is listed: %w", err)
	}
	return &Service{
		Config: cfg.withDefaults(), store: store, projects: projects, counters: counters, vault: vault,
		likes: newCountLimit(likesAtOnce, likesAnHour), lists: newLists(), texts: newCached[*texts](firstFor),
	}, nil
}
