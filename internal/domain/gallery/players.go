package gallery

import (
	"context"

	"sandlot"
)

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
