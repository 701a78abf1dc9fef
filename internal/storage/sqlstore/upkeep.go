package sqlstore

import (
	"context"

	"sandlot/internal/domain/operate"
)

// Upkeep is the store of the workers of package operate, of verify and of backup, in the database of a DB and
// under the same promises.
type Upkeep struct{ db *DB }

var (
	_ operate.SweepStore  = Upkeep{}
	_ operate.TrimStore   = Upkeep{}
	_ operate.ForgetStore = Upkeep{}
	_ operate.VerifyStore = Upkeep{}
	_ operate.SpaceStore  = Upkeep{}
	_ operate.ClockStore  = Upkeep{}
	_ operate.SaltStore   = Upkeep{}
	_ operate.LeaseStore  = Upkeep{}
)

// Upkeep is the view of the database for the workers of package operate.
func (db *DB) Upkeep() Upkeep { return Upkeep{db} }

// Content implements operate.VerifyStore.
func (store Upkeep) Content(ctx context.Context, blobID int64) ([]byte, error) {
	return store.db.Publish().Content(ctx, blobID)
}

// Checkpoints implements operate.VerifyStore.
func (store Upkeep) Checkpoints(ctx context.Context, blobID int64) (string, error) {
	return store.db.Publish().Checkpoints(ctx, blobID)
}
