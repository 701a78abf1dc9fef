package publish

import (
	"context"

	"sandlot/internal/names"
)

// A ProjectPage is what anybody may know of a project.
type ProjectPage struct {
	Project     Project
	Stats       Stats
	Description string // plain text, with line breaks; often empty
}

// ProjectPage returns what the page of a project shows, with counts that are exact. What
// is no id is ErrNotFound, a project that was taken down CodeTakenDown.
func (s *Service) ProjectPage(ctx context.Context, by Caller, id ProjectID) (ProjectPage, error) {
	if err := Authorize(by, ActLook, nil); err != nil {
		return ProjectPage{}, err
	}
	if !names.ValidProjectID(string(id)) {
		return ProjectPage{}, ErrNotFound
	}
	p, err := s.find(ctx, string(id))
	if err != nil {
		return ProjectPage{}, err
	}
	if p.Suspended {
		return ProjectPage{}, takenDown(p)
	}
	d, err := s.site.Details(ctx, id)
	return ProjectPage{p, s.stats(ctx, p), d.Description}, err
}
