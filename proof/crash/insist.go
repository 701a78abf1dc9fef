package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"sandlot/internal/base/failpoint"
)

const (
	insistTries    = 4                // lives of the program
	insistPatience = 30 * time.Second // for the point in each life: far longer than the service takes on the busiest machine
	insistSteps    = 24               // of each worker: more than the parts of an upload
)

// insistAll kills at each point without a kill so far: rare points, and those passed late on a busy machine, do not
// depend on the luck of earlier kills.
func (e *epoch) insistAll(ctx context.Context) error {
	for _, p := range e.count.missed(e.points()) {
		if p == failpoint.MidBackup {
			continue // the server does not pass it
		}
		if err := e.insist(ctx, p, insistTries, insistPatience); err != nil {
			return err
		}
	}
	return nil
}

// insist kills at a point. Each worker sends a few requests that pass that point, and then leaves the program idle, so
// that its background work has time.
func (e *epoch) insist(ctx context.Context, p failpoint.Point, tries int, patience time.Duration) error {
	for range tries {
		// Leases of a killed program are ended, to save the wait.
		if err := e.lapse(ctx, append(slices.Clone(longLeases), "uploads")...); err != nil {
			return err
		}
		d := drawPoint(e.random, p)
		d.count, d.after, d.only = 1, patience, true
		if hit, err := e.round(ctx, d); hit {
			return nil
		} else if err != nil {
			return fmt.Errorf("before or at the repeated %v: %w", d, err)
		}
	}
	return fmt.Errorf("the service did not pass %s in %d tries of %v with requests that must pass it", p, tries, patience)
}

// press lets each worker send requests that pass the point, and waits for the end of the program. The collector needs
// no requests.
func (e *epoch) press(c *client, p *program, d death) error {
	var err error
	if d.how != bySweep {
		err = e.each(func(w *worker) error {
			w.draw.toward = d.point
			defer func() { w.draw.toward = "" }()
			return w.work(c, insistSteps)
		})
	}
	if err == nil {
		<-p.exited // it is killed when its time is over
	}
	return err
}

// errand draws an operation that passes the drawer's point.
func (d *drawer) errand(o *op, s *shard) {
	assembles := d.toward == failpoint.MidAssembly || d.toward == failpoint.AfterAssembly
	switch {
	case len(s.Accounts) == 0 || d.toward == failpoint.MidMail:
		d.newcomer(o, true)
	case assembles && s.Upload != nil:
		d.part(o, s.Upload)
	case assembles:
		d.begin(o, s)
	default: // a page that is stored as a blob and gets variants
		o.Kind, o.Account, o.Content = publish, len(s.Accounts)-1, content{Seed: d.random.Uint64() >> 16, Size: 100_000, HTML: true}
	}
}
