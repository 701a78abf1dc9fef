package publish_test

import (
	"context"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/heads"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/testworld"
)

// saying is a store whose steps do nothing.
type saying struct {
	publish.Store
	publish.ManagementStore
	says testworld.Says
}

func (s saying) PutFile(context.Context, sandlot.ProjectID, sandlot.File, publish.Edit) (p sandlot.Project, c sandlot.Changed, err error) {
	c, err = s.says()
	return p, c, err
}

func (s saying) DeleteFile(context.Context, sandlot.ProjectID, string, publish.Edit) (p sandlot.Project, c sandlot.Changed, err error) {
	c, err = s.says()
	return p, c, err
}

func (s saying) Rearrange(context.Context, sandlot.ProjectID, publish.Change, publish.Edit) (p sandlot.Project, c sandlot.Changed, err error) {
	c, err = s.says()
	return p, c, err
}

func (s saying) SetDetails(context.Context, sandlot.ProjectID, publish.DetailsChange) (sandlot.Changed, error) {
	return s.says()
}

func (s saying) EraseVersion(context.Context, sandlot.ProjectID, int, time.Time) (sandlot.Changed, error) {
	return s.says()
}

func (s saying) Trash(context.Context, sandlot.ProjectID, int64, sandlot.LogEntry) (sandlot.Changed, error) {
	return s.says()
}

func (s saying) TakeBack(context.Context, sandlot.ProjectID, publish.Quota, sandlot.LogEntry) (sandlot.Changed, error) {
	return s.says()
}

func TestEachStepDropsWhatItChanged(t *testing.T) {
	t.Parallel()
	testworld.StepsDrop[publish.Store](t, func(says testworld.Says, heads *heads.Cache) any {
		return publish.CurrentStore(saying{says: says}, heads)
	})
	testworld.StepsDrop[publish.ManagementStore](t, func(says testworld.Says, heads *heads.Cache) any {
		return publish.CurrentManagement(saying{says: says}, heads)
	})
}
