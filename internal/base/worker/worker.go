// Package worker holds the common parts of work in the background, in every room: it continues past failures, counts
// them, and retries them later.
package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// Failures counts the failed items of a worker, since the process began, and records when it last worked without one. A
// nil Failures records nothing. It may be used concurrently.
type Failures struct{ n, worked atomic.Int64 }

// Add counts n more.
func (f *Failures) Add(n int) {
	if f != nil {
		f.n.Add(int64(n))
	}
}

// Count returns the number of failures.
func (f *Failures) Count() int64 {
	if f == nil {
		return 0
	}
	return f.n.Load()
}

// Worked records that a round without a failure has ended now, whether or not there was anything to do.
func (f *Failures) Worked() {
	if f != nil {
		f.worked.Store(time.Now().UnixNano())
	}
}

// LastWorked returns the end of the last such round, the zero time if there was none.
func (f *Failures) LastWorked() time.Time {
	if f == nil || f.worked.Load() == 0 {
		return time.Time{}
	}
	return time.Unix(0, f.worked.Load())
}

// Guarded runs a worker's work on one item and returns its error. A panic becomes an error of that item like any other,
// with its stack: it must not end the process, which would begin with the same item again.
func Guarded(work func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return work()
}

// errorsTold is how many errors of one round are reported; the others are counted.
const errorsTold = 10

// Errors gathers the errors of a round of work that continues past them. The zero value has none. It is for one
// goroutine at a time.
type Errors struct {
	told []error
	more int
}

// Add adds an error; nil adds nothing.
func (e *Errors) Add(err error) {
	switch {
	case err == nil:
	case len(e.told) < errorsTold:
		e.told = append(e.told, err)
	default:
		e.more++
	}
}

// Err returns the first ten errors joined, and the number of the others, or nil if there were none.
func (e *Errors) Err() error {
	if e.more == 0 {
		return errors.Join(e.told...)
	}
	return errors.Join(append(e.told, fmt.Errorf("and %d more failures", e.more))...)
}

// Every calls do at once, and again when pause has passed after each call, until ctx ends.
func Every(ctx context.Context, pause time.Duration, do func()) {
	for again := true; again; again = Wait(ctx, pause) {
		do()
	}
}

// Wait waits for d, and reports whether it passed before ctx ended.
func Wait(ctx context.Context, d time.Duration) bool {
	if ctx.Err() != nil {
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// flushEvery is well under the 5 s of data that a crash may lose.
const flushEvery = 2 * time.Second

// FlushUntil calls flush every two seconds until ctx ends, and then once more with a limit of two seconds, although ctx
// has ended. It logs an error under the name in what, and continues. It returns after the last call.
func FlushUntil(ctx context.Context, what string, flush func(context.Context) error, log *slog.Logger) {
	for Wait(ctx, flushEvery) {
		if err := flush(ctx); err != nil {
			log.Warn("could not write "+what, "error", err)
		}
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushEvery)
	defer cancel()
	if err := flush(last); err != nil {
		log.Warn("could not write the last "+what, "error", err)
	}
}
