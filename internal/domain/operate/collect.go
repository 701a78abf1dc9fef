package operate

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"time"

	"sandlot"
	"sandlot/internal/base/failpoint"
	"sandlot/internal/base/worker"
)

// Limits of the collector.
const (
	// Grace is the time that a record or blob is kept after the last reference to it has gone. No request lives as
	// long. Blobs that a request has staged are also known by their names, because times of files alone prove nothing.
	Grace        = 24 * time.Hour
	collectEvery = time.Hour
	collectBatch = 500 // records for each call, whose names are in memory at once
)

// A SweepStore forgets records without references, under the same promises as a publish.Store.
type SweepStore interface {
	// Sweep forgets expired uploads, idempotency records, sessions, logins and stops, blob records created before the
	// time given without references, the files of projects that were deleted before it, and used-up bookkeeping; at
	// most limit records a call. A record with a time in the future, from a wrong clock, counts as made now. It returns
	// the names that may now be deleted from Blobs, and whether there is more. A failure with one kind of records does
	// not keep it from others; it then returns the error together with the names.
	Sweep(ctx context.Context, now, before time.Time, limit int) (gone []sandlot.BlobRef, more bool, err error)
	// Unknown returns those of the names that no record has.
	Unknown(ctx context.Context, refs []sandlot.BlobRef) ([]sandlot.BlobRef, error)
}

// TrimStore forgets old versions, under the same promises as a publish.Store.
type TrimStore interface {
	// Trim reads some projects after the one with this Number and forgets those of their versions that have at least
	// keep newer ones and were superseded before the time given, or, by a clock that was ahead, long after; their files
	// are left to Sweep. A step of it changes at most limit records. It returns the Number of the last project it read,
	// and whether there is more; also with an error that is about one project, which is then the last.
	Trim(ctx context.Context, keep int, before time.Time, after int64, limit int) (last int64, more bool, err error)
}

// CollectBlobs stores the bytes that a Collector deletes. Its methods are those of publish.Blobs.
type CollectBlobs interface {
	Delete(ctx context.Context, ref sandlot.BlobRef) error
	List(ctx context.Context, before time.Time) iter.Seq2[sandlot.BlobRef, error]
}

// A Collector deletes everything without references: expired uploads, records that no version needs, and stored bytes
// without a record. If Keep is set, it first forgets versions beyond that number. Names of blobs are never used again,
// so it needs no lock: it may run beside everything else, other Collectors included. With Leases one of those at a time
// works, which spares the store the others. Only one Run or Collect of a Collector may be under way.
type Collector struct {
	Records SweepStore
	Blobs   CollectBlobs
	// Staged reports whether a request still holds a blob, as Contents.Held does. Such a blob is no stray, at any time
	// of its file. Nil if nobody stores anything meanwhile.
	Staged func(sandlot.BlobRef) bool
	Leases LeaseStore // nil: there is no other Collector
	Trim   TrimStore  // needed only if Keep is not 0
	Keep   int        // the number of versions kept of each project; 0: all
	Ages   *AgeGuard  // consulted before each round; nil: the clock is trusted
	Log    *slog.Logger
	Now    func() time.Time
	// Failures counts blobs that could not be deleted, and steps that failed.
	Failures *worker.Failures
	Spend    func() // as in Config

	undeleted worker.Setbacks[sandlot.BlobRef]

	lease   int64     // of the round that is under way; 0: none
	renewed time.Time // when the lease was renewed last
}

// Run collects every hour until ctx ends. While another process makes the round, it makes none.
func (c *Collector) Run(ctx context.Context) {
	worker.Every(ctx, collectEvery, func() {
		n, err := c.Collect(ctx)
		if err == nil {
			c.Failures.Worked()
		}
		switch {
		case err != nil && !errors.Is(err, sandlot.ErrLeased) && ctx.Err() == nil:
			c.Log.Warn("not all was collected; it will be tried again", "deleted", n, "error", err)
		case n > 0:
			c.Log.Info("collected", "deleted", n)
		}
	})
}

// Collect makes one round and returns the number of deleted blobs: none while the clock is not trusted. If another
// process makes one it is sandlot.ErrLeased. A failure does not keep it from the rest; the error joins all of them.
func (c *Collector) Collect(ctx context.Context) (deleted int, err error) {
	now := c.Now().UTC() // read before the guard is consulted, so that the guard knows of any jump before it
	may := c.Ages == nil
	if !may {
		if may, err = c.Ages.MayDelete(ctx); !may {
			return 0, err
		}
	}
	if err := c.hold(ctx); err != nil {
		if !errors.Is(err, sandlot.ErrLeased) {
			c.Failures.Add(1)
		}
		return 0, err
	}
	defer c.letGo(ctx)
	var failed worker.Errors
	failed.Add(err)
	failed.Add(c.trim(ctx, now.Add(-Grace)))
	deleted, err = c.sweep(ctx, now)
	failed.Add(err)
	// This is done also when the records cannot be written: strays are found by reading, and blobs that a failed step
	// may have recorded are held as staged.
	n, err := c.Strays(ctx, now.Add(-Grace))
	failed.Add(err)
	return deleted + n, failed.Err()
}

const (
	collectWork  = "collect"
	collectRenew = WorkLeaseMax / 4 // well before the lease lapses, even if a batch takes long
)

// hold leases the work of a round, or renews the lease if it is time.
func (c *Collector) hold(ctx context.Context) error {
	if c.Leases == nil || c.lease != 0 && time.Since(c.renewed) < collectRenew {
		return nil
	}
	begun, name := time.Now(), int64(0)
	err := sandlot.EvenFull(c.Spend, func() (err error) {
		name, err = c.Leases.LeaseWork(ctx, collectWork, c.lease, WorkLeaseMax)
		return err
	})
	if err == nil { // after a failed call the lease is as it was
		c.lease, c.renewed = name, begun
	}
	return err
}

// letGo ends the lease of a round. If that fails it lapses.
func (c *Collector) letGo(ctx context.Context) {
	if c.lease != 0 {
		if _, err := c.Leases.LeaseWork(context.WithoutCancel(ctx), collectWork, c.lease, 0); err != nil {
			c.Log.Warn("the collector's lease could not be ended; it lapses", "error", err)
		}
	}
	c.lease = 0
}

// sweep forgets unneeded records, and deletes their blobs.
func (c *Collector) sweep(ctx context.Context, now time.Time) (deleted int, err error) {
	var failed worker.Errors
	for more := true; more && ctx.Err() == nil; {
		if err := c.hold(ctx); err != nil {
			failed.Add(err)
			break
		}
		var gone []sandlot.BlobRef
		err := sandlot.EvenFull(c.Spend, func() (err error) {
			var some []sandlot.BlobRef
			some, more, err = c.Records.Sweep(ctx, now, now.Add(-Grace), collectBatch)
			gone = append(gone, some...)
			return err
		})
		if err != nil {
			c.Failures.Add(1)
			failed.Add(fmt.Errorf("sweep records: %w", err))
		}
		n, err := c.delete(ctx, gone)
		deleted += n
		failed.Add(err)
	}
	return deleted, failed.Err()
}

// trim forgets versions beyond Keep; their bytes are collected like others. Versions that were superseded after before
// are kept, because somebody may be reading them.
func (c *Collector) trim(ctx context.Context, before time.Time) error {
	if c.Keep == 0 {
		return nil
	}
	var failed worker.Errors
	last := int64(0)
	for more := true; more && ctx.Err() == nil; {
		var next int64
		var left bool
		err := sandlot.EvenFull(c.Spend, func() (err error) {
			next, left, err = c.Trim.Trim(ctx, c.Keep, before, last, collectBatch)
			return err
		})
		if err != nil {
			c.Failures.Add(1)
			failed.Add(fmt.Errorf("trim versions: %w", err))
			if next == last || errors.Is(err, sandlot.ErrUnavailable) {
				break // it is not about one project
			}
		}
		last, more = next, left
	}
	return failed.Err()
}

// Strays deletes blobs that were stored before a time and have no record, and returns their number. It does not consult
// Ages.
func (c *Collector) Strays(ctx context.Context, before time.Time) (deleted int, err error) {
	var failed worker.Errors
	batch := make([]sandlot.BlobRef, 0, collectBatch)
	flush := func() {
		failed.Add(c.hold(ctx)) // without it another round may begin beside this one
		n, err := c.deleteUnknown(ctx, batch)
		batch = batch[:0]
		deleted += n
		failed.Add(err)
	}
	for ref, err := range c.Blobs.List(ctx, before) {
		if err != nil {
			c.Failures.Add(1)
			failed.Add(fmt.Errorf("list blobs: %w", err))
			break
		}
		if batch = append(batch, ref); len(batch) == collectBatch {
			flush()
		}
	}
	flush()
	return deleted, failed.Err()
}

// deleteUnknown deletes those of the blobs that no record has and no request holds.
func (c *Collector) deleteUnknown(ctx context.Context, refs []sandlot.BlobRef) (deleted int, err error) {
	// Staged blobs are left out before the records are queried: a blob that is recorded in between is then found there.
	refs = slices.DeleteFunc(refs, func(ref sandlot.BlobRef) bool { return c.Staged != nil && c.Staged(ref) })
	unknown, err := c.Records.Unknown(ctx, refs)
	if err != nil {
		c.Failures.Add(1)
		return 0, fmt.Errorf("compare names: %w", err)
	}
	return c.delete(ctx, unknown)
}

// delete deletes blobs without references. A blob that cannot be deleted is put off. It has no record any more, so it
// is found among the strays later.
func (c *Collector) delete(ctx context.Context, refs []sandlot.BlobRef) (deleted int, err error) {
	var failed worker.Errors
	now := c.Now()
	for _, ref := range refs {
		if err := ctx.Err(); err != nil {
			failed.Add(err)
			break
		}
		if c.undeleted.Waits(ref, now) {
			continue
		}
		if err := c.Blobs.Delete(ctx, ref); err != nil {
			c.undeleted.Failed(ref, now) // one that is not remembered is tried each time
			c.Failures.Add(1)
			failed.Add(fmt.Errorf("delete blob: %w", err))
			continue
		}
		c.undeleted.Worked(ref)
		deleted++
		failpoint.Hit(failpoint.MidCollection)
	}
	return deleted, failed.Err()
}
