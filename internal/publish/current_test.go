package publish_test

import (
	"context"
	"testing"
	"time"

	"sandlot/internal/publish"
	"sandlot/internal/testworld"
)

// saying is a store whose steps do nothing.
type saying struct {
	publish.Store
	publish.ManagementStore
	says testworld.Says
}

func (s saying) PutFile(context.Context, publish.ProjectID, publish.File, publish.Edit) (p publish.Project, c publish.Changed, err error) {
	c, err = s.says()
	return p, c, err
}

func (s saying) DeleteFile(context.Context, publish.ProjectID, string, publish.Edit) (p publish.Project, c publish.Changed, err error) {
	c, err = s.says()
	return p, c, err
}

func (s saying) Rearrange(context.Context, publish.ProjectID, publish.Change, publish.Edit) (p publish.Project, c publish.Changed, err error) {
	c, err = s.says()
	return p, c, err
}

func (s saying) SetDetails(context.Context, publish.ProjectID, publish.DetailsChange) (publish.Changed, error) {
	return s.says()
}

func (s saying) EraseVersion(context.Context, publish.ProjectID, int, time.Time) (publish.Changed, error) {
	return s.says()
}

func (s saying) Trash(context.Context, publish.ProjectID, int64, publish.LogEntry) (publish.Changed, error) {
	return s.says()
}

func (s saying) TakeBack(context.Context, publish.ProjectID, publish.Quota, publish.LogEntry) (publish.Changed, error) {
	return s.says()
}

func TestEachStepDropsWhatItChanged(t *testing.T) {
	t.Parallel()
	testworld.StepsDrop[publish.Store](t, func(says testworld.Says, heads *publish.Heads) any {
		return publish.CurrentStore(saying{says: says}, heads)
	})
	testworld.StepsDrop[publish.ManagementStore](t, func(says testworld.Says, heads *publish.Heads) any {
		return publish.CurrentManagement(saying{says: says}, heads)
	})
}
