package sqlstore

import (
	"context"

	"sandlot/internal/operate"
)

var _ operate.SpaceStore = (*DB)(nil)

// Unused implements operate.SpaceStore.
func (db *DB) Unused(ctx context.Context) (int64, error) { return db.engine.Unused(ctx) }

// GiveBack implements operate.SpaceStore. A database that was not adopted gives
// nothing back.
func (db *DB) GiveBack(ctx context.Context) (more bool, err error) { return db.engine.GiveBack(ctx) }
