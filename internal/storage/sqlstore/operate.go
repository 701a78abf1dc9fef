package sqlstore

import (
	"context"

	"sandlot"
	"sandlot/internal/domain/operate"
)

// Operate is the store of an operate.Service, in the database of a DB and under the same promises.
type Operate struct{ db *DB }

var _ operate.Store = Operate{}

// Operate is the view of the database for an operate.Service.
func (db *DB) Operate() Operate { return Operate{db} }

// Secret implements publish.SecretStore.
func (store Operate) Secret(ctx context.Context, name string, fresh []byte) ([]byte, error) {
	return store.db.Publish().Secret(ctx, name, fresh)
}

// Project implements operate.ReportStore.
func (store Operate) Project(ctx context.Context, id sandlot.ProjectID) (sandlot.Project, error) {
	return store.db.Publish().Project(ctx, id)
}

// Keys implements operate.PartStore.
func (store Operate) Keys(ctx context.Context, id sandlot.AccountID, before int64, limit int) ([]sandlot.Key, error) {
	return store.db.Publish().Keys(ctx, id, before, limit)
}

// Versions implements operate.PartStore.
func (store Operate) Versions(ctx context.Context, id sandlot.ProjectID, before, limit int) ([]sandlot.VersionChange, error) {
	return store.db.Publish().Versions(ctx, id, before, limit)
}

// Files implements operate.PartStore.
func (store Operate) Files(ctx context.Context, id sandlot.ProjectID, version int) ([]sandlot.File, error) {
	return store.db.Publish().Files(ctx, id, version)
}
