package publish

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"sandlot/internal/failpoint"
)

// Limits of the collector.
const (
	// Grace is how long what nothing refers to is kept: no request lives as long, so the collector needs no lock.
	Grace        = 24 * time.Hour
	collectEvery = time.Hour
	collectBatch = 500 // records a step, so that writers in between wait milliseconds
)

// Collector deletes what nothing refers to any more: expired uploads, records
// without a version, and stored bytes without a record; and versions that are too
// many, if so set. Names are never used
// again, so it may run beside everything else, and beside other collectors.
type Collector struct {
	Records SweepStore
	Blobs   Blobs
	Trim    TrimStore // needed only if Keep is not 0
	Keep    int       // versions of each project; 0: all of them
	Log     *slog.Logger
	Now     func() time.Time
}

// Run collects every hour until ctx ends.
func (c *Collector) Run(ctx context.Context) {
	tick := time.NewTicker(collectEvery)
	defer tick.Stop()
	for {
		if n, err := c.Collect(ctx); err != nil && ctx.Err() == nil {
			c.Log.Warn("collection stopped early", "deleted", n, "error", err)
		} else if n > 0 {
			c.Log.Info("collected", "deleted", n)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// Collect makes one round and returns how many blobs it deleted.
func (c *Collector) Collect(ctx context.Context) (deleted int, err error) {
	now := c.Now().UTC()
	if err := c.trim(ctx, now.Add(-Grace)); err != nil {
		return 0, err
	}
	for more := true; more; {
		var gone []BlobRef
		gone, more, err = c.Records.Sweep(ctx, now, now.Add(-Grace), collectBatch)
		if err != nil {
			return deleted, fmt.Errorf("sweep records: %w", err)
		}
		n, err := c.delete(ctx, gone)
		deleted += n
		if err != nil {
			return deleted, err
		}
	}
	n, err := c.Strays(ctx, now.Add(-Grace))
	return deleted + n, err
}

// trim forgets versions that are too many, of which the bytes are then collected.
// What was superseded within the grace is kept, for somebody may be reading it.
func (c *Collector) trim(ctx context.Context, before time.Time) error {
	if c.Keep == 0 {
		return nil
	}
	last := int64(0)
	for more := true; more; {
		var err error
		if last, more, err = c.Trim.Trim(ctx, c.Keep, before, last, collectBatch); err != nil {
			return fmt.Errorf("trim versions: %w", err)
		}
	}
	return nil
}

// Strays deletes bytes that were stored before the time given and have no record,
// and returns how many blobs that were.
func (c *Collector) Strays(ctx context.Context, before time.Time) (deleted int, err error) {
	batch := make([]BlobRef, 0, collectBatch)
	flush := func() error {
		unknown, err := c.Records.Unknown(ctx, batch)
		if err != nil {
			return fmt.Errorf("compare names: %w", err)
		}
		batch = batch[:0]
		n, err := c.delete(ctx, unknown)
		deleted += n
		return err
	}
	for ref, err := range c.Blobs.List(ctx, before) {
		if err != nil {
			return deleted, fmt.Errorf("list blobs: %w", err)
		}
		if batch = append(batch, ref); len(batch) == collectBatch {
			if err := flush(); err != nil {
				return deleted, err
			}
		}
	}
	return deleted, flush()
}

func (c *Collector) delete(ctx context.Context, refs []BlobRef) (deleted int, err error) {
	for _, ref := range refs {
		if err := c.Blobs.Delete(ctx, ref); err != nil {
			return deleted, fmt.Errorf("delete blob: %w", err)
		}
		deleted++
		failpoint.Hit(failpoint.MidCollection)
	}
	return deleted, nil
}
