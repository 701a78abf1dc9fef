package trial

import (
	"context"
	"time"

	"sandlot"
	"sandlot/internal/base/worker"
)

// WaitMax is the longest wait of Await: less than the time after which most clients and proxies give up.
const WaitMax = 20 * time.Second

const (
	askEvery    = 500 * time.Millisecond
	mostWaiting = 200 // calls of Await at once; each holds a connection
)

// Await returns c, the Checks of a project, anew as soon as the trial of its current version is over, and after wait or
// WaitMax at the latest. It reads no list of files. It does not wait while nothing can be opened, nor while 200 other
// calls wait.
func (s *Service) Await(ctx context.Context, by sandlot.Caller, c Checks, wait time.Duration) (Checks, error) {
	if err := sandlot.Authorize(by, sandlot.ActReadFiles, &c.Project); err != nil {
		return Checks{}, err
	}
	if wait <= 0 || !c.State.pending() {
		return c, nil
	}
	select {
	case s.waiting <- struct{}{}:
		defer func() { <-s.waiting }()
	default:
		return c, nil
	}
	for end := time.Now().Add(min(wait, WaitMax)); c.State.pending() && s.rest(ctx, end); {
		p, err := s.projects.Current(ctx, by, c.Project.ID)
		if err == nil {
			err = sandlot.Authorize(by, sandlot.ActReadFiles, &p)
		}
		if err != nil {
			return Checks{}, err
		}
		if c, err = s.checks(ctx, p); err != nil {
			return Checks{}, err
		}
	}
	return s.queued(ctx, c)
}

// rest waits before the next look, and reports whether there is time for one.
func (s *Service) rest(ctx context.Context, end time.Time) bool {
	_, why := s.status.look()
	left := time.Until(end)
	return why == "" && left > 0 && worker.Wait(ctx, min(left, askEvery))
}

// pending reports whether a trial has yet to end.
func (s State) pending() bool { return s == Waiting || s == Running }

// queued adds the place in the queue to the Checks of a version that waits.
func (s *Service) queued(ctx context.Context, c Checks) (Checks, error) {
	var err error
	if c.State == Waiting {
		c.Ahead, err = s.store.TrialsAhead(ctx, c.Project.ID)
	}
	return c, err
}
