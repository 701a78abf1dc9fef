package gallery

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"sandlot/internal/publish"
)

// Config is what an operator decides about a gallery.
type Config struct {
	Public bool             // whether strangers are expected: then a network counts only so much, and only projects of verified accounts are listed
	Plays  int              // that are remembered for half an hour, at about 100 bytes each; beyond it the older half may count twice; 0: DefaultPlays
	Now    func() time.Time // nil: time.Now
}

// DefaultPlays is how many plays of the last half hour are remembered: 25 MiB.
const DefaultPlays = 250_000

func (c Config) withDefaults() Config {
	if c.Plays == 0 {
		c.Plays = DefaultPlays
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

// Projects is what a Service asks of publish; *publish.Service has it.
type Projects interface {
	// Site returns the current state of a project, whose counts may be old. One that was taken down is CodeTakenDown.
	Site(ctx context.Context, by publish.Caller, id publish.ProjectID) (publish.Project, error)
	// Find returns a project by its id or address, as the store has it now. One that was taken down is CodeTakenDown.
	Find(ctx context.Context, by publish.Caller, ref string) (publish.Project, error)
	// Whoami lists the caller's projects, newest change first.
	Whoami(ctx context.Context, by publish.Caller, limit int, cursor string) (publish.Identity, error)
}

// Service is the rules of what everybody sees and plays. Its methods may be called concurrently; each takes the caller as an argument and
// returns a *publish.Error for what it refuses, or publish.ErrNotFound. Any other error is a fault of the service.
type Service struct {
	Config
	store    Store
	projects Projects
	counters *Counters
	vault    *publish.Vault
	likes    *countLimit
	lists    *lists
}

// New makes a Service, whose Config must be that of its counters. It tells the store what may be listed, and fails with it.
func New(ctx context.Context, cfg Config, store Store, projects Projects, counters *Counters) (*Service, error) {
	vault, err := publish.OpenVault(ctx, store, rand.Reader)
	if err != nil {
		return nil, err
	}
	if err := store.ListUnverified(ctx, !cfg.Public); err != nil {
		return nil, fmt.Errorf("choose what is listed: %w", err)
	}
	return &Service{
		Config: cfg.withDefaults(), store: store, projects: projects, counters: counters, vault: vault,
		likes: newCountLimit(likesAtOnce, likesAnHour), lists: newLists(),
	}, nil
}
