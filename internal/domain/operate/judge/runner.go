package judge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"sandlot"
	"sandlot/internal/base/worker"
)

// Limits of the runner.
const (
	Patience   = 20 * time.Second // for one answer
	shotWait   = time.Minute      // for the picture of the play-tester
	atOnce     = 4                // versions that a node has judged at a time, so that a slow one does not hold up all others
	mostTries  = 3                // of one version
	pause      = 30 * time.Second // between them
	leaseFor   = 2 * time.Minute  // several times as long as a try may take
	poll       = 2 * time.Second
	afterFail  = 30 * time.Second // of the database
	recordTime = 10 * time.Second
	beat       = time.Hour
	gap        = 7 * 24 * time.Hour // without a judge, after which it does not catch up
)

// A Hook sends the evidence about a version to a judge, and returns its answer: at most MaxAnswer bytes, before ctx ends.
// It may be used concurrently.
type Hook interface {
	Call(ctx context.Context, evidence []byte) (answer []byte, err error)
}

// A Runner has versions judged that are due. There is only one Run at a time.
type Runner struct {
	Store    Store
	Contents Contents
	Pictures Pictures
	Playtest bool // whether versions get a screenshot
	Hook     Hook
	Fails    Answer // to a version without an answer: Pass or Hold
	Places   sandlot.Places
	Log      *slog.Logger
	Failures *worker.Failures
	Counts   *Counts
}

// Counts counts the verdicts since the process began, with those of versions without an answer. It may be read
// concurrently.
type Counts struct{ Passed, Held, Refused, Failed atomic.Int64 }

// Run has due versions judged, until ctx ends.
func (r *Runner) Run(ctx context.Context) {
	for !r.start(ctx) {
		if !worker.Wait(ctx, afterFail) {
			return
		}
	}
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() { r.rounds(ctx) })
	}
	for worker.Wait(ctx, beat) {
		r.start(ctx)
	}
	all.Wait()
}

// start records that the judge is at work, and reports whether that succeeded. A new judge does not begin with the pages
// of years.
func (r *Runner) start(ctx context.Context) bool {
	err := r.Store.StartJudging(ctx, gap)
	if err != nil && ctx.Err() == nil {
		r.failed(err)
	}
	return err == nil
}

func (r *Runner) rounds(ctx context.Context) {
	for wait := time.Duration(0); worker.Wait(ctx, wait); {
		switch err := r.Round(ctx); {
		case err == nil:
			wait = 0
			r.Failures.Worked()
		case errors.Is(err, sandlot.ErrNotFound):
			wait = poll
			r.Failures.Worked()
		case ctx.Err() == nil:
			wait = afterFail
			r.failed(err)
		}
	}
}

func (r *Runner) failed(err error) {
	r.Failures.Add(1)
	r.Log.Warn("verdicts of the judge are not recorded; it is tried again", "error", err)
}

// Round has the next version judged, if any: one without an answer is put off, or gets Fails after three tries. It is
// sandlot.ErrNotFound if none is due. Other errors are those of the store.
func (r *Runner) Round(ctx context.Context) error {
	wait := time.Duration(0)
	if r.Playtest {
		wait = shotWait
	}
	due, err := r.Store.ClaimVerdict(ctx, wait, leaseFor)
	if err != nil {
		return err
	}
	var v Verdict
	err = worker.Guarded(func() (err error) {
		v, err = r.judge(ctx, due)
		return err
	})
	stopped := ctx.Err() != nil
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer cancel()
	switch {
	case err == nil:
	case stopped:
		return r.Store.GiveBackVerdict(ctx, due, 0, true)
	case errors.Is(err, sandlot.ErrNotFound): // it was deleted meanwhile, and is due again if it comes back
		return r.Store.GiveBackVerdict(ctx, due, pause, false)
	case due.Try < mostTries:
		r.unanswered(due, err)
		return r.Store.GiveBackVerdict(ctx, due, pause, false)
	default:
		r.unanswered(due, err)
		v = Verdict{r.Fails, oneLine("No answer of the judge: " + err.Error())}
		r.Counts.Failed.Add(1)
	}
	return r.record(ctx, due, v)
}

func (r *Runner) unanswered(due Due, err error) {
	r.Failures.Add(1)
	r.Log.Warn("the judge has not answered", "project", due.Project.ID, "version", due.Project.Version, "try", due.Try, "error", err)
}

// judge returns the answer of the judge about a version.
func (r *Runner) judge(ctx context.Context, due Due) (Verdict, error) {
	if due.Try > mostTries {
		return Verdict{}, errors.New("this process ended three times before it came")
	}
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	evidence, err := r.gather(ctx, due)
	if err != nil {
		return Verdict{}, err
	}
	answer, err := r.Hook.Call(ctx, evidence)
	switch {
	case ctx.Err() != nil:
		return Verdict{}, fmt.Errorf("it took longer than %s", Patience)
	case err != nil:
		return Verdict{}, err
	case len(answer) > MaxAnswer:
		return Verdict{}, errors.New("the answer has more than 64 KiB")
	}
	return read(answer)
}

// record records a verdict. Another node may have it by now, or the project is gone.
func (r *Runner) record(ctx context.Context, due Due, v Verdict) error {
	err := r.Store.EndVerdict(ctx, due, v)
	if errors.Is(err, sandlot.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("record a verdict: %w", err)
	}
	switch v.Answer {
	case Hold:
		r.Counts.Held.Add(1)
	case Refuse:
		r.Counts.Refused.Add(1)
	default:
		r.Counts.Passed.Add(1)
	}
	return nil
}
