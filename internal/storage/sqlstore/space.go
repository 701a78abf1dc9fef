package sqlstore

import (
	"context"
)

func (store Upkeep) Unused(ctx context.Context) (int64, error) { return store.db.engine.Unused(ctx) }

// A database that was not adopted gives
// nothing back.
func (store Upkeep) GiveBack(ctx context.Context) (more bool, err error) {
	return store.db.engine.GiveBack(ctx)
}
