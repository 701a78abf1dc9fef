package sqlstore

import (
	"context"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
)

// A lease keeps a record to one process for a while, by the clock of the database. It lapses if nobody ends it. Its end
// is its name: the next holder's lease ends later, so that a process whose lease has lapsed ends no other's.
type lease struct {
	now    time.Time
	length time.Duration
}

func (db *DB) lease(length time.Duration) lease { return lease{db.engine.Now(), length} }

func (l lease) until() int64 { return micros(l.now.Add(l.length)) }

// never returns the latest end of a lease of that length: a later one is from a wrong clock, and blocks nobody.
func (l lease) never() int64 { return micros(l.now.Add(l.length + skew)) }

// holds reports whether a lease of that length, which ends then, still keeps others away.
func (l lease) holds(until int64) bool { return until > micros(l.now) && until <= l.never() }

func (store Upkeep) LeaseWork(ctx context.Context, work string, held int64, length time.Duration) (name int64, err error) {
	err = store.db.step(ctx, nil, func(t *tx) error {
		l := store.db.lease(length)
		if name = 0; length > 0 {
			name = max(l.until(), held+1)
		}
		return t.must(sandlot.ErrLeased,
			`INSERT INTO leases (work, leased_until) VALUES (?1, ?2) ON CONFLICT (work) DO UPDATE SET leased_until = excluded.leased_until
			WHERE leases.leased_until <= ?3 OR leases.leased_until > ?4
			OR leases.leased_until = ?5`, work, name, micros(l.now), lease{l.now, operate.WorkLeaseMax}.never(), held)
	})
	return name, in("lease work", err)
}

// Alone ends the leases of former processes, for a server that holds the lock of its folder, so that their work need
// not wait until the leases lapse. Mail stays leased, for it may have been sent.
func (db *DB) Alone(ctx context.Context) error {
	return in("end the leases of former processes", db.run(ctx, do("UPDATE uploads SET leased_until = 0 WHERE leased_until > 0"),
		do("DELETE FROM leases"),
	))
}

func (store Upkeep) LastTime(ctx context.Context) (at time.Time, err error) {
	at, err = one(ctx, store.db, func(r row) (at time.Time, err error) {
		err = r.Scan(asTime{&at})
		return at, err
	}, "SELECT at FROM clock WHERE one = 1")
	return at, in("read the time recorded last", err)
}

func (store Upkeep) RecordTime(ctx context.Context, now time.Time) error {
	return in("record the time", store.db.run(ctx,
		do("INSERT INTO clock (one, at) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET at = excluded.at", micros(now))))
}

// skew is by how much a time may be ahead of the clock before it counts as that of a wrong clock.
const skew = time.Hour

// notAfter returns the latest time that counts as past: a clock that was ahead may have left later times.
func notAfter(now time.Time) int64 { return micros(now.Add(skew)) }

func (store Upkeep) DaySalt(ctx context.Context, day int64, fresh [32]byte) (salt [32]byte, err error) {
	var kept sandlot.Digest // which has as many bytes
	gone := int64(0)
	err = store.db.step(ctx, nil, func(t *tx) (err error) {
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

func (store Upkeep) Unused(ctx context.Context) (int64, error) { return store.db.engine.Unused(ctx) }

func (store Upkeep) GiveBack(ctx context.Context) (more bool, err error) {
	return store.db.engine.GiveBack(ctx)
}
