package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"sandlot"
	"sandlot/internal/base/failpoint"
	"sandlot/internal/storage/sqlstore/engine"
)

const (
	// waitingMax bounds the steps that wait or run. A step takes some milliseconds of a connection, so with a dozen
	// of them the last has its turn in well under a second; beyond that a refusal that asks to come back is better.
	waitingMax = 1024
	// attemptTime bounds one attempt at a step, for a network that swallows messages. The database's own timeouts end
	// one long before. A commit has as much again.
	attemptTime = 30 * time.Second
	// againTime bounds for how long a step that failed without its fault begins anew. A restart of PostgreSQL takes a
	// few seconds, and nobody waits much longer.
	againTime = 10 * time.Second
	// againMax bounds how often: where that many attempts fail, one more is no help.
	againMax = 50
)

// Step implements engine.Engine.
//
// An attempt that a deadlock, a serialization failure, a lock or a lost connection ended before COMMIT was sent has
// had no effect, and the step begins anew, for at most ten seconds. When the connection breaks after that, Step
// queries the database for the outcome: see outcome.
func (e *Engine) Step(ctx context.Context, _ int, run func(engine.Tx) error) error {
	return e.step(ctx, attemptTime, run)
}

// Each statement in it has the time of a statement.
func (e *Engine) LongStep(ctx context.Context, run func(engine.Tx) error) error {
	return e.step(ctx, longTime, run)
}

func (e *Engine) step(ctx context.Context, most time.Duration, run func(engine.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return sandlot.NoEffect(err)
	}
	if err := e.enter(); err != nil {
		return sandlot.NoEffect(err)
	}
	defer e.leave()
	defer e.waiting.Add(-1)
	if e.waiting.Add(1) > waitingMax {
		return sandlot.NoEffect(engine.ErrTooMany)
	}
	began := time.Now()
	select {
	case e.turns <- struct{}{}:
		e.meters.Waited(time.Since(began))
		defer func() { <-e.turns }()
	case <-ctx.Done():
		return sandlot.NoEffect(ctx.Err())
	}
	return e.repeat(ctx, most, run)
}

// repeat makes attempts at a step until one succeeds, or fails for good.
func (e *Engine) repeat(ctx context.Context, most time.Duration, run func(engine.Tx) error) error {
	until := time.Now().Add(e.againTime)
	for n := 1; ; n++ {
		again, err := e.attempt(ctx, n > 1, most, run)
		if !again || n == againMax || time.Now().After(until) {
			return err
		}
		select {
		case <-time.After(pause(n)):
		case <-ctx.Done(): // it has not begun: no attempt so far had any effect
			return sandlot.NoEffect(ctx.Err())
		}
	}
}

// pause returns the wait after n attempts: longer each time, and random, so that steps that met do not meet again.
func pause(n int) time.Duration {
	return rand.N(min(4*time.Millisecond<<min(n, 10), time.Second))
}

// attempt makes one attempt at a step. again is set if it had no effect and the next may succeed. sure requests a
// connection that answers.
func (e *Engine) attempt(ctx context.Context, sure bool, most time.Duration, run func(engine.Tx) error) (again bool, err error) {
	c, err := e.acquire(ctx, sure)
	if err != nil {
		return ctx.Err() == nil && passing(err, true), sandlot.NoEffect(err)
	}
	defer c.Release()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), most)
	defer cancel()
	t := &transaction{e: e, ctx: ctx, conn: c.Conn(), slot: e.slots.take()}
	defer func() { e.slots.give(t.slot, t.conn.IsClosed()) }()
	if err = guard(run, t); err == nil && t.wrote {
		return e.commit(t, c)
	}
	if err != nil {
		e.full.Store(errors.Is(err, sandlot.ErrFull))
	}
	again = err != nil && passing(err, t.conn.IsClosed())
	if t.begun && !t.conn.IsClosed() {
		_, _ = simple(ctx, t.conn, "ROLLBACK") // should it fail, the pool ends the connection, and the database the transaction
	}
	return again, sandlot.NoEffect(err)
}

// guard turns a panic into the error of the step that panicked.
func guard(run func(engine.Tx) error, t *transaction) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a step: %v\n%s", p, debug.Stack())
		}
	}()
	return run(t)
}

// commit ends the transaction of a step. Its results are those of attempt.
func (e *Engine) commit(t *transaction, c *pgxpool.Conn) (again bool, err error) {
	failpoint.Hit(failpoint.BeforeCommit)
	ctx, cancel := context.WithTimeout(context.Background(), attemptTime)
	defer cancel()
	began := time.Now()
	tag, err := simple(ctx, t.conn, "COMMIT")
	switch answer := said(err); {
	case err == nil && tag == "COMMIT":
		e.meters.CommitSeconds.Since(began)
		e.meters.CommitBatch.Observe(1)
		failpoint.Hit(failpoint.AfterCommit)
		e.full.Store(false)
		return false, nil
	case err == nil:
		return false, sandlot.NoEffect(fmt.Errorf("a commit was answered by %s", tag))
	case answer != nil && !t.conn.IsClosed() && !unclear(answer):
		return passing(err, false), sandlot.NoEffect(in("commit", classify(err, false)))
	}
	// The connection goes first, so that there is one to ask by.
	_ = t.conn.Close(ctx)
	c.Release()
	return e.outcome(t.slot, err)
}
