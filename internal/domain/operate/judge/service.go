package judge

import (
	"context"

	"sandlot"
)

// A Service shows the verdicts of the judge to the operator. It may be used concurrently.
type Service struct{ Store Store }

// Verdicts returns the last verdict about each project, newest first. It is sandlot.ErrOperatorNeeded to any caller but
// the operator.
func (s *Service) Verdicts(ctx context.Context, by sandlot.Caller, q Query) ([]Record, error) {
	if err := sandlot.Authorize(by, sandlot.ActOperate, nil); err != nil {
		return nil, err
	}
	return s.Store.Verdicts(ctx, q)
}
