package sqlstore

import (
	"context"

	"sandlot"
)

func (store Upkeep) DaySalt(ctx context.Context, day int64, fresh [32]byte) (salt [32]byte, err error) {
	var kept sandlot.Digest // which has as many bytes
	gone := int64(0)
	err = store.db.step(ctx, 0, func(t *tx) (err error) {
		if gone, err = t.Exec("DELETE FROM day_salts WHERE day < ?", min(day, dayOf(store.db.Now()))); err != nil {
			return err
		}
		if err := t.do("INSERT INTO day_salts (day, salt) VALUES (?, ?) ON CONFLICT (day) DO NOTHING", day, fresh[:]); err != nil {
			return err
		}
		kept, err = one(ctx, t, func(r row) (d sandlot.Digest, err error) {
			err = r.Scan(asDigest{&d})
			return d, err
		}, "SELECT salt FROM day_salts WHERE day = ?", day)
		return err
	})
	if err == nil && gone > 0 {
		store.db.engine.Wipe()
	}
	return kept, in("keep the salt of a day", err)
}
