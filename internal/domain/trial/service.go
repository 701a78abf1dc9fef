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
	waits    *waits
}

// New returns a Service. status is that of the Runner beside it.
func New(store Store, projects Projects, status *Status) *Service {
	return &Service{store, projects, status, newWaits(store, status)}
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
	found, err := s.store.Trials(ctx, page.Project.ID)
	if err != nil {
		return Checks{}, fmt.Errorf("read trial: %w", err)
	}
	c, err := s.checks(page.Project, found[page.Project.ID])
	if err != nil {
		return c, err
	}
	return s.queued(ctx, c)
}

// checks returns the Checks of a project with this record, without its place in the queue.
func (s *Service) checks(p sandlot.Project, r Record) (c Checks, err error) {
	c.Project = p
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
	why := s.status.reason()
	switch {
	case r.Version == p.Version && r.Outcome == Done:
		return Ended, ""
	case r.Version == p.Version && r.Outcome == Passed:
		return NotOpened, fmt.Sprintf("This version was not opened: of an account %d are opened a day.", mostDaily)
	case r.Version == p.Version:
		return NotOpened, "The browser broke off with this version, twice. That may be no fault of the project."
	case r.Running == p.Version:
		return Running, ""
	case s.status.Off:
		return Off, "This service does not open projects by itself."
	case why != "":
		return Unavailable, why
	}
	return Waiting, ""
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
	if s.status.Off {
		return Off, nil, nil
	}
	found, err := s.store.Trials(ctx, p.ID)
	if err != nil {
		return "", nil, fmt.Errorf("read trial: %w", err)
	}
	r := found[p.ID]
	state, _ := s.state(p, r)
	p.Version = before
	warnings, err := warn(by, p, r)
	return state, warnings, err
}

// Warnings returns a warning for each of the first ten projects whose version was found broken when it was opened. It
// skips projects whose files by may not read.
func (s *Service) Warnings(ctx context.Context, by sandlot.Caller, projects ...sandlot.Project) (all []sandlot.Warning, err error) {
	if s.status.Off {
		return nil, nil
	}
	projects = projects[:min(len(projects), mostWarned)]
	ids := make([]sandlot.ProjectID, len(projects))
	for i, p := range projects {
		ids[i] = p.ID
	}
	found, err := s.store.Trials(ctx, ids...)
	if err != nil {
		return nil, fmt.Errorf("read trials: %w", err)
	}
	for _, p := range projects {
		warnings, err := warn(by, p, found[p.ID])
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
