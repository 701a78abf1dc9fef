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
// any of its addresses. Errors are those of publish.Reader.Find.
func (s *Service) Stats(ctx context.Context, by sandlot.Caller, ref string) (sandlot.ProjectID, sandlot.Stats, error) {
	p, err := s.find(ctx, by, ref)
	if err != nil {
		return "", sandlot.Stats{}, err
	}
	return p.ID, s.counters.Stats(ctx, p), nil
}

// find returns a project that the public may see.
func (s *Service) find(ctx context.Context, by sandlot.Caller, ref string) (sandlot.Project, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return sandlot.Project{}, err
	}
	return s.projects.Find(ctx, by, ref)
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
