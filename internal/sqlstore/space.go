package sqlstore

import (
	"context"

	"sandlot/internal/publish"
)

var _ publish.SpaceStore = (*DB)(nil)

// Unused implements publish.SpaceStore.
func (db *DB) Unused(ctx context.Context) (int64, error) { return db.engine.Unused(ctx) }

// GiveBack implements publish.SpaceStore. A database that was not adopted gives
// nothing back.
func (db *DB) GiveBack(ctx context.Context) (more bool, err error) { return db.engine.GiveBack(ctx) }
