package publish

import (
	"context"
	"time"

	"sandlot"
	"sandlot/internal/domain/heads"
)

// currentStore is a Store that drops the heads that a step changed before the step returns. Every step of Store that
// returns a Changed has to be here: a test finds each.
type currentStore struct {
	Store
	heads *heads.Cache
}

func (s currentStore) PutFile(ctx context.Context, id sandlot.ProjectID, f sandlot.File, at Edit) (sandlot.Project, error) {
	p, changed, err := s.Store.PutFile(ctx, id, f, at)
	return p, s.heads.After(changed, err)
}

func (s currentStore) DeleteFile(ctx context.Context, id sandlot.ProjectID, name string, at Edit) (sandlot.Project, error) {
	p, changed, err := s.Store.DeleteFile(ctx, id, name, at)
	return p, s.heads.After(changed, err)
}

// currentManagement is the same for a ManagementStore.
type currentManagement struct {
	ManagementStore
	heads *heads.Cache
}

func (s currentManagement) SetDetails(ctx context.Context, id sandlot.ProjectID, d DetailsChange) error {
	return s.heads.After(s.ManagementStore.SetDetails(ctx, id, d))
}

func (s currentManagement) Rearrange(ctx context.Context, id sandlot.ProjectID, c Change, at Edit) (sandlot.Project, error) {
	p, changed, err := s.ManagementStore.Rearrange(ctx, id, c, at)
	return p, s.heads.After(changed, err)
}

func (s currentManagement) EraseVersion(ctx context.Context, id sandlot.ProjectID, n int, at time.Time) error {
	return s.heads.After(s.ManagementStore.EraseVersion(ctx, id, n, at))
}

func (s currentManagement) Trash(ctx context.Context, id sandlot.ProjectID, key int64, e sandlot.LogEntry) error {
	return s.heads.After(s.ManagementStore.Trash(ctx, id, key, e))
}

func (s currentManagement) TakeBack(ctx context.Context, id sandlot.ProjectID, within Quota, e sandlot.LogEntry) error {
	return s.heads.After(s.ManagementStore.TakeBack(ctx, id, within, e))
}
