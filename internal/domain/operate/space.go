package operate

import (
	"context"
	"log/slog"
	"time"

	"sandlot"
	"sandlot/internal/base/worker"
)

// A SpaceStore returns the room of deleted records to the disk, under the same promises as a
// publish.Store.
type SpaceStore interface {
	// Unused returns the bytes of the store's room on the disk that hold no records. New records get them first. A
	// store that tends its room by itself has none.
	Unused(ctx context.Context) (int64, error)
	// GiveBack returns a little of that room to the disk, unless other steps wait, and reports whether there is more to
	// return. It keeps some for the records of the next minutes.
	GiveBack(ctx context.Context) (more bool, err error)
}

const (
	shrinkEvery = time.Minute
	// shrinkPause comes after each step, so that at most half of the writer's time goes into it.
	shrinkPause = 10 * time.Millisecond
)

// A Shrinker returns the room of deleted records to the disk, in small steps between which others may write.
type Shrinker struct {
	Space SpaceStore
	Log   *slog.Logger
	// Failures counts steps that failed.
	Failures *worker.Failures
	Spend    func() // as in Config
}

// Run shrinks every minute until ctx ends. Failures are logged and counted.
func (s *Shrinker) Run(ctx context.Context) {
	worker.Every(ctx, shrinkEvery, func() {
		switch err := s.Shrink(ctx); {
		case err == nil:
			s.Failures.Worked()
		case ctx.Err() == nil:
			s.Failures.Add(1)
			s.Log.Warn("unused room not given back to the disk", "error", err)
		}
	})
}

// Shrink returns all unused room to the disk but for the rest that GiveBack keeps.
func (s *Shrinker) Shrink(ctx context.Context) error {
	for {
		var more bool
		err := sandlot.EvenFull(s.Spend, func() (err error) {
			more, err = s.Space.GiveBack(ctx)
			return err
		})
		if err != nil || !more {
			return err
		}
		select {
		case <-time.After(shrinkPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
