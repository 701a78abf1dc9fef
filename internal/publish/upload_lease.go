package publish

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// UploadLeaseMax is the longest that an upload is leased at a time: whoever sends a part again because its
	// node has died waits for so long. One that seems to be leased for longer got its time from a wrong clock.
	UploadLeaseMax = 6 * time.Second
	leaseRenew     = UploadLeaseMax / 3
	leaseLook      = 250 * time.Millisecond // how often a call looks whether another process is done
)

// complete uses an upload that has all its parts. One process at a time puts them
// together: others wait for its lease, and then find the upload moved.
func (up *uploads) complete(ctx, wait context.Context, c *completing, use func(context.Context, *completing) error) error {
	long, stop := context.WithTimeout(context.WithoutCancel(ctx), assemblyLimit)
	defer stop()
	if c.upload.Done != nil {
		return use(long, c)
	}
	lease, err := up.lease(ctx, wait, c)
	if err != nil {
		return err
	}
	done := make(chan struct{})
	kept := make(chan int64)
	go func() { kept <- up.keep(long, c, lease, done) }()
	err = use(long, c)
	close(done)
	if lease = <-kept; err != nil { // else the upload is over
		_, end := up.store.LeaseUpload(context.WithoutCancel(ctx), c.call.key, c.upload.Generation, lease, 0)
		up.note(end)
	}
	return err
}

// lease waits for the upload's lease.
func (up *uploads) lease(ctx, wait context.Context, c *completing) (int64, error) {
	for {
		lease, err := up.store.LeaseUpload(context.WithoutCancel(ctx), c.call.key, c.upload.Generation, 0, UploadLeaseMax)
		if err == nil {
			return lease, nil
		}
		if !errors.Is(err, ErrLeased) {
			return 0, fmt.Errorf("lease upload: %w", err)
		}
		if err := sleep(wait, leaseLook); err != nil {
			return 0, inProgress(ctx, err)
		}
	}
}

// keep renews a lease until done is closed, and returns what names it then. A renewal that
// fails is no reason to give up: should two processes put the same parts together, the
// step that uses them decides.
func (up *uploads) keep(ctx context.Context, c *completing, lease int64, done <-chan struct{}) int64 {
	tick := time.NewTicker(leaseRenew)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			renewed, err := up.store.LeaseUpload(ctx, c.call.key, c.upload.Generation, lease, UploadLeaseMax)
			if err == nil {
				lease = renewed
			}
			up.note(err)
		case <-done:
			return lease
		}
	}
}

// note logs that a lease could not be renewed or ended, unless it is somebody else's by now.
func (up *uploads) note(err error) {
	if err != nil && !errors.Is(err, ErrUploadMoved) && !errors.Is(err, ErrLeased) {
		up.log.Warn("the lease of an upload could not be renewed or ended; it lapses", "error", err)
	}
}

// sleep waits, unless ctx ends first.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
