package cover

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"sandlot"
	"sandlot/internal/base/worker"
	"sandlot/internal/format/picture"
)

// Limits of a Worker.
const (
	page      = 256 // projects that are read at a time
	perOwner  = 2   // of one account among them, so that many projects of one hold up no other
	batch     = 8   // projects that are leased at a time
	leaseFor  = 2 * time.Minute
	poll      = 500 * time.Millisecond
	afterFail = 10 * time.Second
	restStep  = 50 * time.Millisecond
	maxRest   = 2 * time.Second // before each picture, so that endless load delays covers but never prevents them
	mostTries = 3               // of a cover without an end, as when the process died of it
	way       = "1"             // the way in which pictures are made: a change of it changes this
)

// A Worker makes the covers of projects after they are published. Several may share the work; a Worker is for one Run.
type Worker struct {
	service  *Service
	log      *slog.Logger
	failures *worker.Failures
	putOff   worker.Setbacks[int64]
	after    int64 // where the next page begins
}

// NewWorker returns a Worker of a Service, which counts failures.
func NewWorker(s *Service, log *slog.Logger, failures *worker.Failures) *Worker {
	return &Worker{service: s, log: log, failures: failures}
}

// Run makes covers until ctx ends.
func (w *Worker) Run(ctx context.Context) {
	for wait := time.Duration(0); worker.Wait(ctx, wait); {
		n, err := w.Round(ctx)
		if err == nil {
			w.failures.Worked()
		}
		switch {
		case err != nil && ctx.Err() == nil:
			w.log.Warn("covers not made; they will be tried again", "error", err)
			wait = afterFail
		case n == 0:
			wait = poll
		default:
			wait = 0
		}
	}
}

// Round makes the covers of some projects, and returns the number of finished ones. A project that fails is put off,
// and holds up no other.
func (w *Worker) Round(ctx context.Context) (int, error) {
	numbers, err := w.waiting(ctx)
	var tasks []Task
	var lease int64
	if err == nil && len(numbers) > 0 {
		tasks, lease, err = w.service.Store.Lease(ctx, numbers, leaseFor)
	}
	if err != nil {
		w.failures.Add(1)
		return 0, fmt.Errorf("look for covers to be made: %w", err)
	}
	done := 0
	var failed error
	for i, t := range tasks {
		err := worker.Guarded(func() error { return w.one(ctx, t, lease) })
		switch {
		// The last two: it has changed, and comes again.
		case err == nil, errors.Is(err, sandlot.ErrMoved), errors.Is(err, sandlot.ErrNotFound):
			w.putOff.Worked(t.Number)
			done++
			continue
		case ctx.Err() != nil:
			w.giveBack(ctx, tasks[i:i+1], lease, true)
			w.giveBack(ctx, tasks[i+1:], lease, false)
			return done, ctx.Err()
		case errors.Is(err, errSlow):
			w.putOff.Failed(t.Number, w.service.Now())
			w.giveBack(ctx, tasks[i:i+1], lease, false)
			continue
		}
		w.failures.Add(1)
		w.putOff.Failed(t.Number, w.service.Now())
		w.giveBack(ctx, tasks[i:i+1], lease, true)
		failed = errors.Join(failed, fmt.Errorf("cover of %s: %w", t.Project.ID, err))
		if errors.Is(err, sandlot.ErrUnavailable) || errors.Is(err, sandlot.ErrFull) {
			w.giveBack(ctx, tasks[i+1:], lease, false)
			break
		}
	}
	return done, failed
}

// waiting returns the next projects whose cover is to be made, few of each account. After the last it begins anew.
func (w *Worker) waiting(ctx context.Context) ([]int64, error) {
	list, err := w.service.Store.Due(ctx, w.after, page)
	if err == nil && len(list) == 0 && w.after > 0 {
		w.after = 0
		list, err = w.service.Store.Due(ctx, 0, page)
	}
	if err != nil {
		return nil, err
	}
	of, now := map[sandlot.AccountID]int{}, w.service.Now()
	var numbers []int64
	for _, p := range list {
		w.after = p.Number
		if w.putOff.Waits(p.Number, now) || of[p.Account] == perOwner {
			continue
		}
		of[p.Account]++
		if numbers = append(numbers, p.Number); len(numbers) == batch {
			break
		}
	}
	return numbers, nil
}

// giveBack ends the lease of tasks; with forget their begun tries do not count.
func (w *Worker) giveBack(ctx context.Context, tasks []Task, lease int64, forget bool) {
	if len(tasks) == 0 {
		return
	}
	var numbers []int64
	for _, t := range tasks {
		numbers = append(numbers, t.Number)
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), afterFail)
	defer cancel()
	if err := w.service.Store.GiveBack(limited, numbers, lease, forget); err != nil {
		w.log.Warn("covers are not given back; they are free when their leases lapse", "error", err)
	}
}

// rest waits while content is arriving, but not forever.
func (w *Worker) rest(ctx context.Context) error {
	for waited := time.Duration(0); waited < maxRest && w.service.Content.Receiving(); waited += restStep {
		if !worker.Wait(ctx, restStep) {
			return ctx.Err()
		}
	}
	return ctx.Err()
}

// one finds the cover of a project, and records it.
func (w *Worker) one(ctx context.Context, t Task, lease int64) error {
	if err := w.rest(ctx); err != nil {
		return err
	}
	s := w.service
	var err error
	if t.Tries, err = s.Store.Begin(ctx, t.Number, lease); err != nil {
		return err
	}
	l := &looking{Service: s, task: t}
	made, err := l.look(ctx)
	if err != nil {
		return err
	}
	settle := func(n *Fresh) error {
		settled := Settled{Cover: l.keep, Fresh: n, Source: l.source, Made: l.made, Findings: written(l.findings)}
		if n != nil {
			settled.Cover = n.ID
		}
		return s.Store.Settle(ctx, t, lease, settled, s.Now())
	}
	if made == nil {
		return settle(nil)
	}
	return s.record(ctx, *made, settle)
}

// Shot takes the picture of a trial of a version, as PNG, JPEG or WebP: it may be the project's cover from now on. A
// picture of another version than the current one, of a suspended or deleted project, or of no valid format is dropped.
func (w *Worker) Shot(ctx context.Context, id sandlot.ProjectID, version int, bytesOf []byte) error {
	s := w.service
	p, _, err := s.Store.Cover(ctx, id)
	if errors.Is(err, sandlot.ErrNotFound) || err == nil && p.Version != version {
		return nil
	}
	if err != nil {
		return err
	}
	made, err := s.maker.Make(ctx, bytes.NewReader(bytesOf), picture.Cover())
	var problem *picture.Problem
	if errors.As(err, &problem) {
		return nil
	}
	if err != nil {
		return err
	}
	err = s.record(ctx, made, func(n *Fresh) error { return s.Store.Shoot(ctx, id, version, *n, s.Now()) })
	if errors.Is(err, sandlot.ErrMoved) || errors.Is(err, sandlot.ErrSuspended) || errors.Is(err, sandlot.ErrNotFound) {
		return nil
	}
	return err
}
