package cover

import (
	"context"
	"time"

	"sandlot"
)

// currentStore is a Store that drops the heads that a step changed before the step returns. Every step of Store that
// returns a sandlot.Changed has to be here: a test finds each.
type currentStore struct {
	Store
	heads sandlot.Follow
}

func (s currentStore) Settle(ctx context.Context, t Task, lease int64, settled Settled, now time.Time) error {
	return s.heads.After(s.Store.Settle(ctx, t, lease, settled, now))
}

func (s currentStore) Choose(ctx context.Context, id sandlot.ProjectID, w Wish, file string, settled *Settled, now time.Time) error {
	return s.heads.After(s.Store.Choose(ctx, id, w, file, settled, now))
}

func (s currentStore) Portray(ctx context.Context, id sandlot.AccountID, portrait *Fresh, now time.Time) error {
	return s.heads.After(s.Store.Portray(ctx, id, portrait, now))
}
