package desk

import (
	"context"

	"sandlot"
)

// Waiting returns the number of projects that wait for a decision. It reads the records that wait, and no project.
func (s *Service) Waiting(ctx context.Context, by sandlot.Caller) (int, error) {
	if err := s.moderator(by); err != nil {
		return 0, err
	}
	return s.Store.Waiting(ctx)
}

// Screenshot returns the last screenshot that the play-tester took of a project, in the format of its name, also
// while the project is suspended or held. A project without one is sandlot.ErrNotFound.
func (s *Service) Screenshot(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) (sandlot.PictureID, []byte, error) {
	if err := s.moderator(by); err != nil {
		return "", nil, err
	}
	picture, blob, err := s.Store.Screenshot(ctx, id)
	if err != nil {
		return "", nil, err
	}
	data, err := s.start(ctx, sandlot.File{Blob: blob}, MaxFile)
	return picture, data, err
}

// Withheld returns a project that is kept from others by a hold or a suspension; any other is sandlot.ErrNotFound. Anybody
// may call it.
func (s *Service) Withheld(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) (sandlot.Project, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return sandlot.Project{}, err
	}
	p, err := s.project(ctx, id)
	if err == nil && !p.Suspended && p.Held.Rule == sandlot.NotHeld {
		return sandlot.Project{}, sandlot.ErrNotFound
	}
	return p, err
}
