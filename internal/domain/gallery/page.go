package gallery

import (
	"context"
	"errors"
	"fmt"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/names"
)

// A ProjectPage holds the public information about a project.
type ProjectPage struct {
	Project     sandlot.Project
	Stats       sandlot.Stats
	Description string // plain text, possibly with line breaks; may be empty
}

// ProjectPage returns the content of a project's page. Its counts include plays that are not written yet. An invalid id
// is sandlot.ErrNotFound, and a project that was taken down is sandlot.CodeTakenDown.
func (s *Service) ProjectPage(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) (ProjectPage, error) {
	if !names.ValidProjectID(string(id)) {
		return ProjectPage{}, sandlot.ErrNotFound
	}
	p, err := s.current(ctx, by, id)
	if err != nil {
		return ProjectPage{}, err
	}
	d, err := s.store.Details(ctx, id)
	return ProjectPage{p, s.counters.Stats(ctx, p), d.Description}, err
}

// Stats returns the id and the public numbers of a project, including plays that are not written yet. ref is its id or
// any of its addresses. Errors are those of publish.Reader.Find.
func (s *Service) Stats(ctx context.Context, by sandlot.Caller, ref string) (sandlot.ProjectID, sandlot.Stats, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return "", sandlot.Stats{}, err
	}
	p, err := s.projects.Find(ctx, by, ref)
	if err != nil {
		return "", sandlot.Stats{}, err
	}
	return p.ID, s.counters.Stats(ctx, p), nil
}

// Counts returns a project's public numbers for live updates. They are those of Stats, at less cost: the project comes
// from its cached head. A project that was taken down is sandlot.CodeTakenDown.
func (s *Service) Counts(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) (sandlot.Stats, error) {
	p, err := s.current(ctx, by, id)
	if err != nil {
		return sandlot.Stats{}, err
	}
	return s.counters.Stats(ctx, p), nil
}

// current returns a project that the public may see, from its cached head.
func (s *Service) current(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) (sandlot.Project, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return sandlot.Project{}, err
	}
	return s.projects.Current(ctx, by, id)
}

// Play counts a player's load of a project. It counts nothing if a load by the player was counted within the last half
// hour, or if the player's network has reached its limit. It does not check that the project exists: plays of a missing
// project are dropped when they are written. A crash loses the plays of the last five seconds at most.
func (s *Service) Play(_ context.Context, by sandlot.Caller, id sandlot.ProjectID, p Player) {
	if sandlot.Authorize(by, sandlot.ActLook, nil) == nil {
		s.counters.play(id, p)
	}
}

// Touch counts a player as present for Presence from now, unless the player's network has reached its limit of present
// players. A project that does not exist or was taken down is refused as by publish.Reader.Current. A failure to count
// the player is logged and is no error. The time from a player's first call to the last, or to Leave, is the length of
// their stay; a Source counts as that of the player's play, once within PlayWindow.
func (s *Service) Touch(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, p Player) error {
	current, err := s.current(ctx, by, id)
	if err != nil {
		return err
	}
	p.Version = current.Version
	s.counters.touch(ctx, id, p)
	return nil
}

// Leave counts a player as gone. It changes nothing for an absent player. A failure to do so is logged and is no error.
func (s *Service) Leave(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, p Player) error {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return err
	}
	s.counters.leave(ctx, id, p)
	return nil
}

const (
	// overviewPage is the number of projects on a page.
	overviewPage = 50
	// OverviewDays is the number of days in an overview.
	OverviewDays = 30
)

// OverviewRow is a project with its plays by day.
type OverviewRow struct {
	publish.ProjectView
	Days []int64 // plays on each of the last OverviewDays days, in UTC, today last; those of the last seconds may be missing
}

// Overview returns a page of at most 50 of the caller's projects, the last changed first. next is the cursor of the
// next page, empty on the last. An invalid cursor is sandlot.ErrNotFound.
func (s *Service) Overview(ctx context.Context, by sandlot.Caller, cursor string) (list []OverviewRow, next string, err error) {
	if err := sandlot.Authorize(by, sandlot.ActSeeOwn, nil); err != nil {
		return nil, "", err
	}
	own, err := s.projects.Whoami(ctx, by, overviewPage, cursor)
	if errors.Is(err, sandlot.CodeInvalidField) {
		err = sandlot.ErrNotFound // the cursor: the limit is always valid
	}
	if err != nil {
		return nil, "", err
	}
	ids := make([]sandlot.ProjectID, len(own.Projects)) // only this page: an account may have ten thousand others
	for i, v := range own.Projects {
		ids[i] = v.Project.ID
	}
	now := s.Now().UTC()
	played, err := s.store.PlaysByDay(ctx, ids, now.AddDate(0, 0, 1-OverviewDays), now)
	if err != nil {
		return nil, "", fmt.Errorf("read plays: %w", err)
	}
	for _, v := range own.Projects {
		days := played[v.Project.ID]
		if days == nil {
			days = make([]int64, OverviewDays)
		}
		list = append(list, OverviewRow{v, days})
	}
	return list, own.Next, nil
}
