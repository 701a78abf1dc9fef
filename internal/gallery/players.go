package gallery

import (
	"context"

	"sandlot/internal/publish"
)

// Play counts a player's load of a project, unless one was counted within the last half hour, or enough of the player's network were. It
// asks no store whether there is such a project: the plays of others are passed over when they are written.
func (s *Service) Play(_ context.Context, by publish.Caller, id publish.ProjectID, p Player) {
	if publish.Authorize(by, publish.ActLook, nil) == nil {
		s.counters.play(id, p)
	}
}

// Touch counts a player of a project that exists as present, unless enough of the player's network are. That a count cannot be had is no
// error.
func (s *Service) Touch(ctx context.Context, by publish.Caller, id publish.ProjectID, p Player) error {
	if _, err := s.site(ctx, by, id); err != nil {
		return err
	}
	s.counters.touch(ctx, id, p)
	return nil
}

// Leave counts a player as gone.
func (s *Service) Leave(ctx context.Context, by publish.Caller, id publish.ProjectID, p Player) error {
	if err := publish.Authorize(by, publish.ActLook, nil); err != nil {
		return err
	}
	s.counters.leave(ctx, id, p)
	return nil
}
