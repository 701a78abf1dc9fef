package cover_test

import (
	"context"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/cover"
	"sandlot/internal/domain/heads"
	"sandlot/internal/testkit/testworld"
)

// saying is a store whose steps do nothing.
type saying struct {
	cover.Store
	says testworld.Says
}

func (s saying) Settle(context.Context, cover.Task, int64, cover.Settled, time.Time) (sandlot.Changed, error) {
	return s.says()
}

func (s saying) Choose(context.Context, sandlot.ProjectID, cover.Wish, string, *cover.Settled, time.Time) (sandlot.Changed, error) {
	return s.says()
}

func (s saying) Portray(context.Context, sandlot.AccountID, *cover.Fresh, time.Time) (sandlot.Changed, error) {
	return s.says()
}

func TestEachStepDropsWhatItChanged(t *testing.T) {
	t.Parallel()
	testworld.StepsDrop[cover.Store](t, func(says testworld.Says, heads *heads.Cache) any {
		return cover.CurrentStore(saying{says: says}, heads)
	})
}
