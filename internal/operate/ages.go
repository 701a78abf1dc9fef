package operate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"sandlot/internal/publish"
)

// A ClockStore remembers what time it was, under the same promises as a publish.Store.
type ClockStore interface {
	// LastTime returns the time that was recorded last.
	LastTime(ctx context.Context) (time.Time, error)
	// RecordTime records what time it is.
	RecordTime(ctx context.Context, now time.Time) error
}

const (
	// clockJump is by how much a clock may differ from what the process has run, before it is taken for wrong. Changes of daylight saving do not move it.
	clockJump = time.Hour
	// ClockQuiet is how long a clock must go right after a jump before anything is deleted by it.
	ClockQuiet  = time.Hour
	clockEvery  = time.Minute
	recordEvery = 10 * time.Minute // well below clockJump, so that a restart is no jump
)

// AgeGuard decides whether anything may be deleted for its age. After a jump of the
// clock nothing may, for an hour: so a clock that is wrong for a while takes nothing
// with it. It may be used concurrently.
type AgeGuard struct {
	Times   ClockStore
	Now     func() time.Time
	Running func() time.Duration // how long the process has run, by a clock that nobody sets
	Log     *slog.Logger
	// Failures counts times that could not be read or recorded.
	Failures *publish.Failures

	mu       sync.Mutex
	started  bool
	begun    time.Time     // when the process began, by the clock as it was when it jumped last
	jumped   time.Duration // when it did, as Running tells it
	recorded time.Duration // when the time was recorded last
}

// Run looks at the clock every minute until ctx ends, so that no jump is missed.
func (g *AgeGuard) Run(ctx context.Context) {
	tick := time.NewTicker(clockEvery)
	defer tick.Stop()
	for {
		if _, err := g.MayDelete(ctx); err != nil && ctx.Err() == nil {
			g.Failures.Add(1)
			g.Log.Warn("the time was not recorded", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// MayDelete reports whether the clock has gone right for an hour, against the time
// that the process has run, or since it was right before a restart.
func (g *AgeGuard) MayDelete(ctx context.Context) (bool, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now, ran := g.Now().Round(0), g.Running() // Round: the clock as it is set, without the one that nobody sets
	switch begun := now.Add(-ran); {
	case !g.started:
		if err := g.start(ctx, now, ran); err != nil {
			return false, err
		}
	case begun.Sub(g.begun).Abs() > clockJump:
		g.Log.Warn("the clock has jumped: nothing is deleted by age until it has gone right for an hour", "jump_seconds", begun.Sub(g.begun).Seconds())
		g.begun, g.jumped = begun, ran
	}
	if ran-g.jumped < ClockQuiet {
		return false, nil
	}
	if ran-g.recorded < recordEvery {
		return true, nil
	}
	// Only a clock that is trusted is recorded: a restart must not make one trusted.
	if err := g.Times.RecordTime(ctx, now); err != nil {
		return true, fmt.Errorf("record the time: %w", err)
	}
	g.recorded = ran
	return true, nil
}

// start compares the clock with the time that was recorded before the restart.
// Where none was, it has still to prove itself.
func (g *AgeGuard) start(ctx context.Context, now time.Time, ran time.Duration) error {
	last, err := g.Times.LastTime(ctx)
	if err != nil && !errors.Is(err, publish.ErrNotFound) {
		return fmt.Errorf("read the time recorded last: %w", err)
	}
	g.started, g.begun, g.jumped, g.recorded = true, now.Add(-ran), ran, ran-recordEvery
	if err == nil && now.Sub(last).Abs() <= clockJump {
		g.jumped -= ClockQuiet
	}
	return nil
}
