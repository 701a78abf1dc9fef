package operate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"sandlot"
	"sandlot/internal/base/worker"
)

// A ClockStore keeps the time at which the clock was last trusted, under the same promises as a publish.Store.
type ClockStore interface {
	// LastTime returns the time that was recorded last, or sandlot.ErrNotFound.
	LastTime(ctx context.Context) (time.Time, error)
	// RecordTime records a time in place of the former one.
	RecordTime(ctx context.Context, now time.Time) error
}

const (
	// clockJump is the most that the clock may differ from the time that the process has run without a jump. Daylight
	// saving does not move the clock.
	clockJump = time.Hour
	// ClockQuiet is the time that the clock must go right after a jump before anything is deleted by its age.
	ClockQuiet  = time.Hour
	clockEvery  = time.Minute
	recordEvery = 10 * time.Minute // well below clockJump, so that a restart is no jump
)

// AgeGuard decides whether records may be deleted because of their age. For an hour after a jump of the clock none may,
// so that a clock that is wrong for a while deletes nothing. All methods may be called concurrently.
type AgeGuard struct {
	Times   ClockStore
	Now     func() time.Time
	Running func() time.Duration // the time that the process has run, by a clock that nobody can set
	Log     *slog.Logger
	// Failures counts times that could not be read or recorded.
	Failures *worker.Failures

	mu       sync.Mutex
	started  bool
	begun    time.Time     // when the process began, by the clock since its last jump
	jumped   time.Duration // when the clock jumped last, by Running
	recorded time.Duration // when the time was recorded last, by Running
}

// Run reads the clock every minute until ctx ends, so that no jump is missed.
func (g *AgeGuard) Run(ctx context.Context) {
	worker.Every(ctx, clockEvery, func() {
		switch _, err := g.MayDelete(ctx); {
		case err == nil:
			g.Failures.Worked()
		case ctx.Err() == nil:
			g.Failures.Add(1)
			g.Log.Warn("the time was not recorded", "error", err)
		}
	})
}

// MayDelete reports whether the clock can be trusted: whether it has agreed for an hour with the time that the process
// has run. That hour may have been before a restart, if the clock agrees with the time that was recorded then. An error
// with true means that the time could not be recorded.
func (g *AgeGuard) MayDelete(ctx context.Context) (bool, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now, ran := g.Now().Round(0), g.Running() // Round leaves only the clock that can be set
	switch begun := now.Add(-ran); {
	case !g.started:
		if err := g.start(ctx, now, ran); err != nil {
			return false, err
		}
	case begun.Sub(g.begun).Abs() > clockJump:
		g.Log.Warn("the clock has jumped: nothing is deleted by age until it has gone right for an hour",
			"jump_seconds", begun.Sub(g.begun).Seconds())
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

// start compares the clock with the time that was recorded before the restart. Without one, the clock is not trusted
// yet.
func (g *AgeGuard) start(ctx context.Context, now time.Time, ran time.Duration) error {
	last, err := g.Times.LastTime(ctx)
	if err != nil && !errors.Is(err, sandlot.ErrNotFound) {
		return fmt.Errorf("read the time recorded last: %w", err)
	}
	g.started, g.begun, g.jumped, g.recorded = true, now.Add(-ran), ran, ran-recordEvery
	if err == nil && now.Sub(last).Abs() <= clockJump {
		g.jumped -= ClockQuiet
	}
	return nil
}
