package gallery

import (
	"context"

	"sandlot"
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
// any of its addresses. Errors are those of publish.Service.Find.
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
// players. A project that does not exist or was taken down is refused as by publish.Service.Current. A failure to count
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
