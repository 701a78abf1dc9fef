package gallery

import (
	"context"

	"sandlot/internal/names"
	"sandlot/internal/publish"
)

// A ProjectPage is what anybody may know of a project.
type ProjectPage struct {
	Project     publish.Project
	Stats       publish.Stats
	Description string // plain text, with line breaks; often empty
}

// ProjectPage returns what the page of a project shows, with counts that are exact. An
// invalid id is publish.ErrNotFound, a project that was taken down publish.CodeTakenDown.
func (s *Service) ProjectPage(ctx context.Context, by publish.Caller, id publish.ProjectID) (ProjectPage, error) {
	if !names.ValidProjectID(string(id)) {
		return ProjectPage{}, publish.ErrNotFound
	}
	p, err := s.find(ctx, by, string(id))
	if err != nil {
		return ProjectPage{}, err
	}
	d, err := s.store.Details(ctx, id)
	return ProjectPage{p, s.counters.Stats(ctx, p), d.Description}, err
}

// Stats returns the public numbers of the project that ref, its id or an address of it, names. They are exact.
func (s *Service) Stats(ctx context.Context, by publish.Caller, ref string) (publish.ProjectID, publish.Stats, error) {
	p, err := s.find(ctx, by, ref)
	if err != nil {
		return "", publish.Stats{}, err
	}
	return p.ID, s.counters.Stats(ctx, p), nil
}

// find returns a project that anybody may look at.
func (s *Service) find(ctx context.Context, by publish.Caller, ref string) (publish.Project, error) {
	if err := publish.Authorize(by, publish.ActLook, nil); err != nil {
		return publish.Project{}, err
	}
	return s.projects.Find(ctx, by, ref)
}

// Counts returns a project's public numbers, for those who watch them: cheaper than
// Stats, and as exact. A project that was taken down is publish.CodeTakenDown.
func (s *Service) Counts(ctx context.Context, by publish.Caller, id publish.ProjectID) (publish.Stats, error) {
	p, err := s.site(ctx, by, id)
	if err != nil {
		return publish.Stats{}, err
	}
	return s.counters.Stats(ctx, p), nil
}

// site is find by an id alone, from what is cached of a project.
func (s *Service) site(ctx context.Context, by publish.Caller, id publish.ProjectID) (publish.Project, error) {
	if err := publish.Authorize(by, publish.ActLook, nil); err != nil {
		return publish.Project{}, err
	}
	return s.projects.Site(ctx, by, id)
}
