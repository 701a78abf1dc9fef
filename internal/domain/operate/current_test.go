package operate_test

import (
	"context"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/heads"
	"sandlot/internal/domain/operate"
	"sandlot/internal/testkit/testworld"
)

// saying is a store whose steps do nothing.
type saying struct {
	operate.Store
	says testworld.Says
}

func (s saying) Suspend(context.Context, sandlot.Subject, sandlot.LogEntry) (sandlot.Changed, error) {
	return s.says()
}

func (s saying) Reinstate(context.Context, sandlot.Subject, sandlot.LogEntry) (sandlot.Changed, error) {
	return s.says()
}

func (s saying) Remove(context.Context, sandlot.Subject, sandlot.LogEntry) (sandlot.Changed, error) {
	return s.says()
}

func (s saying) Trim(context.Context, int, time.Time, int64, int) (last int64, more bool, c sandlot.Changed, err error) {
	c, err = s.says()
	return 0, false, c, err
}

func TestEachStepDropsWhatItChanged(t *testing.T) {
	t.Parallel()
	testworld.StepsDrop[operate.Store](t, func(says testworld.Says, heads *heads.Cache) any {
		return operate.CurrentStore(saying{says: says}, heads)
	})
	testworld.StepsDrop[operate.TrimStore](t, func(says testworld.Says, heads *heads.Cache) any {
		return operate.Trimmer{Store: saying{says: says}, Heads: heads.After}
	})
}
