package postgres

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

// clockEvery is the time between two readings of the database's clock, in which two machines drift apart by a few
// milliseconds.
const clockEvery = time.Minute

// clock is the database's clock, read without a query each time.
type clock struct {
	fixed func() time.Time // of tests, if not nil
	last  atomic.Pointer[reading]
	skew  atomic.Int64 // by how much this machine's clock was ahead, in nanoseconds
}

// A reading of the database's clock. Its own time has the machine's monotonic clock, so that it does not matter if
// somebody sets this machine's.
type reading struct{ here, there time.Time }

func (c *clock) now() time.Time {
	if c.fixed != nil {
		return c.fixed()
	}
	r := c.last.Load()
	return r.there.Add(time.Since(r.here))
}

// measure reads the database's clock. The answer counts as the time in the middle between question and answer.
func (c *clock) measure(ctx context.Context, conn *pgx.Conn) error {
	asked := time.Now()
	var micros int64
	if err := conn.QueryRow(ctx, "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)").Scan(&micros); err != nil {
		return err
	}
	took := time.Since(asked)
	c.skew.Store(int64(asked.Add(took / 2).Round(0).Sub(time.UnixMicro(micros))))
	c.learn(reading{here: asked.Add(took / 2), there: time.UnixMicro(micros).UTC()}, took/2)
	return nil
}

// learn records a reading that may be wrong by error. If it agrees with the last reading it changes nothing, so that
// the clock seldom goes back, and by little.
func (c *clock) learn(r reading, error time.Duration) {
	if last := c.last.Load(); last != nil {
		if off := r.there.Sub(last.there.Add(r.here.Sub(last.here))); off.Abs() <= error {
			return
		}
	}
	c.last.Store(&r)
}

// Now implements engine.Engine: it is the database's clock as it was read within the last minute or two, going on as
// this machine's does.
func (e *Engine) Now() time.Time { return e.clock.now() }

// keepTime reads the database's clock again and again. When that fails, the last reading goes on.
func (e *Engine) keepTime(ctx context.Context) {
	every := time.NewTicker(clockEvery)
	defer every.Stop()
	for {
		select {
		case <-every.C:
			e.readTime(ctx)
		case <-ctx.Done():
			return
		}
	}
}

func (e *Engine) readTime(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	c, err := e.acquire(ctx, true)
	if err != nil {
		return
	}
	defer c.Release()
	_ = e.clock.measure(ctx, c.Conn())
}
