package gallery

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"sandlot"
	"sandlot/internal/base/worker"
	"sandlot/internal/domain/gallery/figures"
)

// Counters counts plays and players. It returns the current numbers of a project, including plays that are not written
// yet. Plays are written every two seconds; a crash loses at most those of five seconds. All methods may be called
// concurrently; only one Run may be active.
type Counters struct {
	store    CountStore
	live     Live
	log      *slog.Logger
	now      func() time.Time
	public   bool
	limit    *countLimit
	beats    *countLimit // of new stays, and of sources counted apart from plays
	tally    *tally
	stays    *figures.Stays
	failures *worker.Failures
	played   atomic.Int64
}

// NewCounters returns Counters. failures counts the failed writes; it may be nil.
func NewCounters(cfg Config, store CountStore, live Live, log *slog.Logger, failures *worker.Failures) *Counters {
	cfg = cfg.withDefaults()
	return &Counters{
		store: store, live: live, log: log, now: cfg.Now, public: cfg.Public,
		limit: newCountLimit(playsAtOnce, playsAnHour), beats: newCountLimit(2*playsAtOnce, 2*playsAnHour),
		tally: newTally(cfg.Plays, cfg.Shared), stays: figures.NewStays(cfg.Plays / staysOfPlays), failures: failures,
	}
}

// Stats implements publish.Statistics.
func (c *Counters) Stats(ctx context.Context, p sandlot.Project) sandlot.Stats {
	out := sandlot.Stats{Likes: p.Likes}
	out.Plays = c.tally.plays(p.ID, func() (plays, number int64) {
		if fresh, err := c.store.Project(ctx, p.ID); err == nil {
			p.Plays, p.Counted, out.Likes = fresh.Plays, fresh.Counted, fresh.Likes
		}
		return p.Plays, p.Counted
	})
	n, err := c.live.Players(ctx, p.ID, c.now())
	if err != nil {
		c.log.Warn("players not counted", "error", err)
	}
	out.Players = n
	return out
}

// ListStats implements publish.Statistics.
func (c *Counters) ListStats(ctx context.Context, p sandlot.Project) sandlot.Stats {
	n, _ := c.live.Players(ctx, p.ID, c.now()) // a list is complete without it
	return sandlot.Stats{Players: n, Likes: p.Likes, Plays: c.tally.plays(p.ID, func() (plays, number int64) { return p.Plays, p.Counted })}
}

// staysOfPlays is the number of remembered loads of the last half hour per measured stay: people stay some minutes.
const staysOfPlays = 4

// play implements Service.Play.
func (c *Counters) play(id sandlot.ProjectID, p Player) {
	now := c.now()
	if c.tally.play(id, p, now, func() bool { return !c.public || c.limit.take(id, p.From, now) }) {
		c.played.Add(1)
	}
}

// Played returns the number of plays that this process has counted.
func (c *Counters) Played() int64 { return c.played.Load() }

// Unwritten implements figures.Counts.
func (c *Counters) Unwritten(id sandlot.ProjectID, read func() (batch int64)) figures.Added {
	return c.tally.unwritten(id, read)
}

// touch implements Service.Touch for a project that exists.
func (c *Counters) touch(ctx context.Context, id sandlot.ProjectID, p Player) {
	now := c.now()
	c.soft("count a player", c.live.Touch(ctx, id, p.ID, now, c.crowds(p.From)...))
	may := func() bool { return !c.public || c.beats.take(id, p.From, now) }
	c.tally.stayed(c.stays.Beat(id, p.Version, string(p.ID), now, may))
	if p.Source != "" {
		c.tally.led(id, p, now, may)
	}
}

// leave counts a player as gone.
func (c *Counters) leave(ctx context.Context, id sandlot.ProjectID, p Player) {
	now := c.now()
	c.soft("count a player out", c.live.Leave(ctx, id, p.ID, now))
	if over, ok := c.stays.Gone(id, string(p.ID), now); ok {
		c.tally.stayed([]figures.Stay{over})
	}
}

// soft logs an error about soft state, which fails no request.
func (c *Counters) soft(what string, err error) {
	if err != nil {
		c.log.Warn("could not "+what, "error", err)
	}
}

// Flush writes the plays that are still in memory. Plays stay there for the next Flush if the write fails.
func (c *Counters) Flush(ctx context.Context) error {
	c.tally.stayed(c.stays.End(c.now(), false))
	err := c.tally.flush(c.now, func(counts map[sandlot.ProjectID]Counts) ([]Load, error) { return c.store.AddCounts(ctx, counts) })
	if err != nil {
		c.failures.Add(1)
		return fmt.Errorf("write counts: %w", err)
	}
	c.failures.Worked()
	return nil
}

// Run writes plays every two seconds until ctx ends, and then once more, together with the stays that are still open.
func (c *Counters) Run(ctx context.Context) {
	worker.FlushUntil(ctx, "counts", func(flushing context.Context) error {
		if ctx.Err() != nil {
			c.tally.stayed(c.stays.End(c.now(), true))
		}
		return c.Flush(flushing)
	}, c.log)
}
