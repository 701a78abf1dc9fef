package listed

import (
	"context"

	"sandlot"
)

// A Service shows which hosts are listed. Its methods may be called concurrently.
type Service struct {
	Store  Store
	Looker *Looker
}

// Listed returns the hosts that are listed, longest first, to an operator or moderator. Any other caller is
// sandlot.ErrOperatorNeeded.
func (s *Service) Listed(ctx context.Context, by sandlot.Caller) ([]Sighting, error) {
	if err := sandlot.Authorize(by, sandlot.ActModerate, nil); err != nil {
		return nil, err
	}
	return s.Store.Sightings(ctx)
}

// Look looks at all lists now, for the operator alone. Any other caller is sandlot.ErrOperatorNeeded.
func (s *Service) Look(ctx context.Context, by sandlot.Caller) error {
	if err := sandlot.Authorize(by, sandlot.ActOperate, nil); err != nil {
		return err
	}
	return s.Looker.Now(ctx)
}
