package players

import (
	"context"

	"sandlot"
)

// Usage is what the players of a project keep.
type Usage struct {
	Players int64
	Bytes   int64 // of saves and shared values
	Most    int64 // the bound of Bytes
}

// Usage returns what the players of a project keep. Only its owner may ask.
func (s *Service) Usage(ctx context.Context, by sandlot.Caller, ref string) (Usage, error) {
	panic("seam")
}

// RemovePlayer deletes a player of a project with its saves and scores. With refuse the player stays known, without
// either, and gets no name and no place on a board any more.
func (s *Service) RemovePlayer(ctx context.Context, by sandlot.Caller, ref, player string, refuse bool) error {
	panic("seam")
}
