package trial

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"sandlot"
	"sandlot/internal/base/worker"
)

// Limits of the runner.
const (
	mostDaily  = 50 // trials of one account and day: some ten minutes of the only browser
	poll       = 3 * time.Second
	afterFail  = 30 * time.Second
	askAgain   = 10 * time.Minute // until a browser is probed again
	leaseFor   = 2 * time.Minute  // four times as long as a trial may take
	recordTime = 10 * time.Second
	shotTime   = 10 * time.Second
	looks      = 100 // for a version on this node, which caches reads for a second
	lookAgain  = 50 * time.Millisecond
)

// Browser opens pages; *browser.Browser is one.
type Browser interface {
	// Probe returns the reason why no page can be opened, nil if one can.
	Probe(ctx context.Context) error
	// Open opens a version and returns its observations. An error means nothing about the page.
	Open(ctx context.Context, due Due) (Seen, error)
}

// Shots takes the screenshots of versions. A screenshot is made by a page in the browser, and hostile.
type Shots interface {
	Shot(ctx context.Context, id sandlot.ProjectID, version int, picture []byte) error
}

// A Runner opens versions that are due, one at a time. There is only one Run at a time.
type Runner struct {
	Store    Store
	Projects Projects
	Browser  Browser
	Shots    Shots // nil: screenshots are dropped
	Turn     *Turn // shared with the Requests of the process
	Status   *Status
	Log      *slog.Logger
	Failures *worker.Failures
	Counts   *Counts
	Public   bool // whether projects of unverified accounts whose pages request secrets are held
}

// Counts counts the trials since the process began. It may be read concurrently.
type Counts struct {
	Done, Failed, Passed, Requested, Milliseconds atomic.Int64
}

// Run opens due versions until ctx ends. If no browser can be started, which is probed again after each failure, it
// logs that once, and probes again every ten minutes, or after half a minute if it was only slow.
func (r *Runner) Run(ctx context.Context) {
	ready := false
	for wait := time.Duration(0); worker.Wait(ctx, wait); {
		if !ready && !r.start(ctx) {
			return
		}
		ready = true
		switch err := r.Round(ctx); {
		case err == nil:
			r.Failures.Worked()
			wait = 0
		case errors.Is(err, sandlot.ErrNotFound):
			r.Failures.Worked()
			wait = poll
		default:
			if ctx.Err() == nil {
				r.Failures.Add(1)
				r.Log.Warn("a trial failed", "error", err)
			}
			wait, ready = afterFail, false
		}
	}
}

// start waits until a browser can be started, and reports whether one can.
func (r *Runner) start(ctx context.Context) bool {
	for told := false; ; told = true {
		err := r.probe(ctx)
		if err == nil {
			r.Status.Set("")
			r.Log.Info("the play-tester opens new versions")
			return true
		}
		if ctx.Err() != nil {
			return false
		}
		r.Status.Set("The play-tester of this service cannot start a browser; its operator finds the reason in the log.")
		if !told {
			r.Log.Warn("the play-tester opens nothing: " + err.Error())
		}
		again := askAgain
		if errors.Is(err, context.DeadlineExceeded) { // the machine may only be busy, as it is at a start
			again = afterFail
		}
		if !worker.Wait(ctx, again) {
			return false
		}
	}
}

// probe probes the browser in its turn.
func (r *Runner) probe(ctx context.Context) error {
	done, err := r.Turn.take(ctx)
	if err != nil {
		return err
	}
	defer done()
	return r.Browser.Probe(ctx)
}

// Round opens the next version. It is sandlot.ErrNotFound if none is due.
func (r *Runner) Round(ctx context.Context) error {
	due, seen, innocent, err := r.next(ctx)
	if due.Version == 0 {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	var untaken error
	if err == nil {
		// Before the end is recorded: a version with an end is not due again, so its screenshot would be lost in a
		// crash.
		untaken = r.picture(ctx, due, seen)
	}
	ctx, cancel := context.WithTimeout(ctx, recordTime)
	defer cancel()
	if errors.Is(err, sandlot.ErrNotFound) {
		r.Counts.Passed.Add(1)
		return errors.Join(err, r.Store.GiveBackTrial(ctx, due, false))
	}
	if err != nil {
		r.Counts.Failed.Add(1)
		err = fmt.Errorf("open version %d of %s: %w", due.Version, due.Project, err)
		return errors.Join(err, r.Store.GiveBackTrial(ctx, due, innocent))
	}
	r.Counts.Done.Add(1)
	if r.Public && len(seen.Fields) > 0 {
		err = r.Store.EndTrialHeld(ctx, due, seen.write())
	} else {
		err = r.Store.EndTrial(ctx, due, Done, seen.write())
	}
	r.Status.announce()
	if err == nil || errors.Is(err, sandlot.ErrNotFound) { // another node has it by now
		return untaken
	}
	return errors.Join(untaken, fmt.Errorf("record trial: %w", err))
}

// next claims and opens the next version in its turn, so that no lease runs while it waits. innocent reports whether the
// version is not the cause of an error.
func (r *Runner) next(ctx context.Context) (due Due, seen Seen, innocent bool, err error) {
	done, err := r.Turn.take(ctx)
	if err != nil {
		return due, seen, false, err
	}
	defer done()
	if due, err = r.Store.ClaimTrial(ctx, mostTries, mostDaily, leaseFor); err != nil {
		return Due{}, seen, false, err
	}
	began := time.Now()
	seen, err = r.open(ctx, due)
	r.Counts.Milliseconds.Add(time.Since(began).Milliseconds())
	innocent = err != nil && !errors.Is(err, sandlot.ErrNotFound) && (ctx.Err() != nil || r.Browser.Probe(ctx) != nil)
	return due, seen, innocent, err
}

// errNothingSeen is a trial without a screenshot: the next may come when the machine is less busy.
var errNothingSeen = errors.New("the machine was too busy to draw the page")

// open opens a version, and checks afterwards whether it was the current one to the end. It is sandlot.ErrNotFound if
// it was not, or its project is gone: if that comes back, it is due again.
func (r *Runner) open(ctx context.Context, due Due) (seen Seen, err error) {
	if err := r.current(ctx, due); err != nil {
		return Seen{}, err
	}
	err = worker.Guarded(func() (err error) {
		seen, err = r.Browser.Open(ctx, due)
		return err
	})
	if err == nil && seen.nothing() && due.Try < mostTries {
		err = errNothingSeen
	}
	if err != nil {
		return Seen{}, err
	}
	return seen, r.current(ctx, due)
}

// current returns nil once visitors of this node get the version, which may be a moment after another node has
// published it. It is sandlot.ErrNotFound if they get nothing, or a newer one.
func (r *Runner) current(ctx context.Context, due Due) error {
	for range looks {
		p, err := r.Projects.Current(ctx, sandlot.Caller{}, due.Project)
		if errors.Is(err, sandlot.CodeHeld) {
			err = nil // its owner and moderators see it
		}
		switch {
		case errors.Is(err, sandlot.CodeProjectNotFound), errors.Is(err, sandlot.CodeTakenDown):
			return fmt.Errorf("%s: %w", due.Project, sandlot.ErrNotFound)
		case err != nil || p.Version == due.Version:
			return err
		case p.Version > due.Version:
			return fmt.Errorf("version %d of %s: %w", due.Version, due.Project, sandlot.ErrNotFound)
		}
		worker.Wait(ctx, lookAgain)
	}
	return errors.New("this node does not have the version yet")
}

// picture hands over the screenshot, if there is one, within a time of its own: the result of the trial waits no longer
// for it.
func (r *Runner) picture(ctx context.Context, due Due, s Seen) error {
	if r.Shots == nil || len(s.Shot) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, shotTime)
	defer cancel()
	if err := worker.Guarded(func() error { return r.Shots.Shot(ctx, due.Project, due.Version, s.Shot) }); err != nil {
		return fmt.Errorf("take the picture of version %d of %s: %w", due.Version, due.Project, err)
	}
	return nil
}
