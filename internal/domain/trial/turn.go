package trial

import (
	"context"
	"sync"
	"time"

	"sandlot"
)

// mostInTurn bounds the calls that wait for the browser of this process: each may wait turnWait.
const mostInTurn = 4

// A Turn gives the browser of this process to one page at a time, in the order in which they come. It may be used
// concurrently.
type Turn struct {
	free chan struct{} // holds an element while the browser is free

	mu      sync.Mutex
	waiting int
	playing map[sandlot.AccountID]bool // the accounts whose calls wait or play
}

// NewTurn returns a Turn with a free browser.
func NewTurn() *Turn {
	t := &Turn{free: make(chan struct{}, 1), playing: map[sandlot.AccountID]bool{}}
	t.free <- struct{}{}
	return t
}

// take waits for the browser until ctx ends, and takes it. done returns it.
func (t *Turn) take(ctx context.Context) (done func(), err error) {
	select {
	case <-t.free:
		return func() { t.free <- struct{}{} }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// enter takes the browser for a call about a project of an account. It refuses the call if another call of the account has
// not ended, if too many wait, or if the browser is not free in time.
func (t *Turn) enter(ctx context.Context, account sandlot.AccountID) (done func(), err error) {
	t.mu.Lock()
	err = t.full(account)
	if err == nil {
		t.playing[account] = true
		t.waiting++
	}
	t.mu.Unlock()
	if err != nil {
		return nil, err
	}
	until, cancel := context.WithTimeout(ctx, turnWait)
	defer cancel()
	free, late := t.take(until)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting--
	if late != nil {
		delete(t.playing, account)
		return nil, busy("The play-tester was busy with other projects for %d s.", int(turnWait/time.Second))
	}
	return func() {
		free()
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.playing, account)
	}, nil
}

// full refuses a call of an account that has one, or beyond the most that wait.
func (t *Turn) full(account sandlot.AccountID) error {
	switch {
	case t.playing[account]:
		return sandlot.Refuse(sandlot.CodeRateLimited, "Another check of this account is not over.").After(turnWait).
			With(sandlot.OpWait).Note("Nothing was opened. Send one after the other.")
	case t.waiting >= mostInTurn:
		return busy("%d checks wait for the play-tester already.", t.waiting)
	}
	return nil
}

func busy(format string, args ...any) *sandlot.Error {
	return sandlot.Refuse(sandlot.CodeUnavailable, format, args...).After(turnWait).With(sandlot.OpWait)
}
