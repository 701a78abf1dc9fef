package trial

import (
	"context"
	"fmt"
	"sync"
	"time"

	"sandlot"
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
type Status struct {
	mu  sync.Mutex
	why string
}

// Set sets the reason why nothing can be opened; empty: it can.
func (s *Status) Set(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.why = why
}

func (s *Status) look() (off bool, why string) {
	if s == nil {
		return true, ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return false, s.why
}
