package sqlstore

import (
	"context"
	"time"
)

func (store Upkeep) LastTime(ctx context.Context) (at time.Time, err error) {
	at, err = one(ctx, store.db, func(r row) (at time.Time, err error) {
		err = r.Scan(asTime{&at})
		return at, err
	}, "SELECT at FROM clock WHERE one = 1")
	return at, in("read the time recorded last", err)
}

func (store Upkeep) RecordTime(ctx context.Context, now time.Time) error {
	return in("record the time", store.db.run(ctx, do("INSERT INTO clock (one, at) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET at = excluded.at", micros(now))))
}

// skew is by how much a time may be ahead of the clock without being taken for one
// that a wrong clock left.
const skew = time.Hour

// notAfter returns the latest time that counts as past: a clock that was ahead may have left times that are
// still to come.
func notAfter(now time.Time) int64 { return micros(now.Add(skew)) }
