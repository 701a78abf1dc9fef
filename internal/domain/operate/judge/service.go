package judge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/format/inspect"
)

// maxWhy is the longest reason of a reversal, in bytes.
const maxWhy = 2000

// A Service shows the verdicts of the judge to the operator, who may reverse them. Its methods may be called
// concurrently, and return sandlot.ErrOperatorNeeded to any other caller.
type Service struct {
	Store Store
	Spend func() // frees the room on a full disk that is reserved for operators; nil: there is none
	Now   func() time.Time
}

// Verdicts returns the last verdict about each project, newest first.
func (s *Service) Verdicts(ctx context.Context, by sandlot.Caller, q Query) ([]Record, error) {
	if err := sandlot.Authorize(by, sandlot.ActOperate, nil); err != nil {
		return nil, err
	}
	return s.Store.Verdicts(ctx, q)
}

// Reverse ends the hold by a verdict, and records the reason, which may be empty. Without a verdict that holds the
// project it is an error.
func (s *Service) Reverse(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, reason string) error {
	if err := sandlot.Authorize(by, sandlot.ActOperate, nil); err != nil {
		return err
	}
	if reason = strings.TrimSpace(reason); len(reason) > maxWhy {
		return fmt.Errorf("the reason has %d bytes; at most %d are kept", len(reason), maxWhy)
	}
	e := sandlot.LogEntry{
		At: s.Now().UTC(), Actor: sandlot.ActorOperator, Name: by.OperatorName(), Action: sandlot.ActionReverseVerdict,
		Target: string(id), Reason: inspect.Redact(reason),
	}
	err := sandlot.EvenFull(s.Spend, func() error { return s.Store.ReverseVerdict(ctx, id, e) })
	if errors.Is(err, sandlot.ErrNotFound) {
		return fmt.Errorf("the judge has not held %s, or that was reversed; nothing was changed: %w", inspect.Quoted(string(id)), sandlot.ErrNotFound)
	}
	return err
}
