// Package trial opens each new version once, as a person would who found it: the play-tester. It checks whether the
// page paints, moves and fails, and warns the owner. Its findings are warnings: nothing is refused because of a trial,
// and nobody else sees them.
//
// It decides when a version is opened, and interprets the observations. Package browser, below it, opens a page without
// harm.
package trial

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"sandlot"
	"sandlot/internal/base/worker"
)

// State is the progress of the trial of a project's current version.
type State string

// The states.
const (
	Off         State = "off"         // this service opens nothing
	Unavailable State = "unavailable" // it would, and cannot
	Waiting     State = "waiting"
	Running     State = "running"
	Ended       State = "done"
	NotOpened   State = "failed" // it was tried without a result, or there were too many
)

// Checks holds the results of a project's trials. All but State and Reason is of the last version that was opened,
// which may be older than the current one; its Version is 0 if none was.
type Checks struct {
	Project  sandlot.Project
	State    State
	Reason   string // why the current version has no result
	TooMany  bool   // the current version was not opened because its account had published so many that day
	Ahead    int    // while State is Waiting: the number of versions that are opened before, MostAhead at most
	Version  int
	At       time.Time
	Seen     Seen
	Findings []Finding
}

// Projects looks up projects; *publish.Reader is one.
type Projects interface {
	Current(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) (sandlot.Project, error)
	// Versions is only for callers who may read all of a project's files.
	Versions(ctx context.Context, by sandlot.Caller, ref string, limit int, cursor string) (sandlot.VersionPage, error)
}

// Service returns the results of trials. Its methods may be called concurrently.
type Service struct {
	store    Store
	projects Projects
	status   *Status
	waiting  chan struct{} // a slot for each call of Await that waits
}

// New returns a Service. status is that of the Runner beside it; nil: there is none.
func New(store Store, projects Projects, status *Status) *Service {
	return &Service{store: store, projects: projects, status: status, waiting: make(chan struct{}, mostWaiting)}
}

// Checks returns the results of a project's trials, by its id or one of its addresses. It is only for callers who may
// read all of the project's files.
func (s *Service) Checks(ctx context.Context, by sandlot.Caller, ref string) (Checks, error) {
	if err := sandlot.Authorize(by, sandlot.ActReadFiles, nil); err != nil {
		return Checks{}, err
	}
	page, err := s.projects.Versions(ctx, by, ref, 1, "")
	if err != nil {
		return Checks{}, err
	}
	c, err := s.checks(ctx, page.Project)
	if err != nil {
		return c, err
	}
	return s.queued(ctx, c)
}

// checks returns the Checks of a project, without its place in the queue.
func (s *Service) checks(ctx context.Context, p sandlot.Project) (Checks, error) {
	r, err := s.store.Trial(ctx, p.ID)
	if err != nil {
		return Checks{}, fmt.Errorf("read trial: %w", err)
	}
	c := Checks{Project: p}
	c.State, c.Reason = s.state(p, r)
	c.TooMany = c.State == NotOpened && r.Outcome == Passed
	if r.Outcome == Done {
		c.Version, c.At = r.Version, r.At
		if c.Seen, err = read(r.Seen); err != nil {
			return Checks{}, fmt.Errorf("read trial of %s: %w", p.ID, err)
		}
		c.Findings = findings(c.Seen)
	}
	return c, nil
}

// state returns the progress of the trial of the current version.
func (s *Service) state(p sandlot.Project, r Record) (State, string) {
	off, why := s.status.look()
	switch {
	case r.Version == p.Version && r.Outcome == Done:
		return Ended, ""
	case r.Version == p.Version && r.Outcome == Passed:
		return NotOpened, fmt.Sprintf("This version was not opened: of an account %d are opened a day.", mostDaily)
	case r.Version == p.Version:
		return NotOpened, "The browser broke off with this version, twice. That may be no fault of the project."
	case r.Running == p.Version:
		return Running, ""
	case off:
		return Off, "This service does not open projects by itself."
	case why != "":
		return Unavailable, why
	}
	return Waiting, ""
}

// Status holds the reason why the Runner of this process can open nothing. The zero value has none. It may be used
// concurrently; a nil one is that of a service without a play-tester.
type Status struct{ why atomic.Value }

// Set sets the reason why nothing can be opened; empty: it can.
func (s *Status) Set(why string) { s.why.Store(why) }

func (s *Status) look() (off bool, why string) {
	if s == nil {
		return true, ""
	}
	why, _ = s.why.Load().(string)
	return false, why
}

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

// mostWarned bounds the projects that Warnings reads: the newest of a list.
const mostWarned = 10

// After returns the State of the trial of a version that was just made, and the Warnings of the version before it, 0
// for none.
func (s *Service) After(ctx context.Context, by sandlot.Caller, p sandlot.Project, before int) (State, []sandlot.Warning, error) {
	if off, _ := s.status.look(); off {
		return Off, nil, nil
	}
	r, err := s.store.Trial(ctx, p.ID)
	if err != nil {
		return "", nil, fmt.Errorf("read trial: %w", err)
	}
	state, _ := s.state(p, r)
	p.Version = before
	warnings, err := warn(by, p, r)
	return state, warnings, err
}

// Warnings returns a warning for each of the first ten projects whose version was found broken when it was opened. It
// skips projects whose files by may not read.
func (s *Service) Warnings(ctx context.Context, by sandlot.Caller, projects ...sandlot.Project) (all []sandlot.Warning, err error) {
	if off, _ := s.status.look(); off {
		return nil, nil
	}
	for _, p := range projects[:min(len(projects), mostWarned)] {
		r, err := s.store.Trial(ctx, p.ID)
		if err != nil {
			return all, fmt.Errorf("read trial: %w", err)
		}
		warnings, err := warn(by, p, r)
		if err != nil {
			return all, err
		}
		all = append(all, warnings...)
	}
	return all, nil
}

// warn returns the first finding of a trial after which a page does not work for its players.
func warn(by sandlot.Caller, p sandlot.Project, r Record) ([]sandlot.Warning, error) {
	if r.Outcome != Done || r.Version != p.Version || sandlot.Authorize(by, sandlot.ActReadFiles, &p) != nil {
		return nil, nil
	}
	seen, err := read(r.Seen)
	if err != nil {
		return nil, fmt.Errorf("read trial of %s: %w", p.ID, err)
	}
	for _, f := range findings(seen) {
		switch f.Code {
		case PageBlank, PageHangs, TooMuch, ScriptError:
			message := fmt.Sprintf("The play-tester opened version %d of %s. %s", p.Version, p.ID, f.Message)
			return []sandlot.Warning{{Code: string(f.Code), Message: message, Hint: f.Hint}}, nil
		}
	}
	return nil, nil
}
