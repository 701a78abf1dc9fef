package sqlstore

import (
	"context"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
)

// A lease keeps a record to one process for a while, by the clock of the database:
// what the clocks of processes say does not matter. It lapses if nobody ends it. When
// it ends names it: whoever has the record next has it for longer, so that one whose
// lease has lapsed meanwhile ends no other's.
type lease struct {
	now    time.Time
	length time.Duration
}

// lease is one of that length from now on.
func (db *DB) lease(length time.Duration) lease { return lease{db.engine.Now(), length} }

// until is when it ends.
func (l lease) until() int64 { return micros(l.now.Add(l.length)) }

// never is a time at which no lease of that length ends: one that seems to end later
// got its time from a wrong clock, and holds nobody up.
func (l lease) never() int64 { return micros(l.now.Add(l.length + skew)) }

// holds tells whether a lease of that length, which ends then, still keeps others away.
func (l lease) holds(until int64) bool { return until > micros(l.now) && until <= l.never() }

func (store Upkeep) LeaseWork(ctx context.Context, work string, held int64, length time.Duration) (name int64, err error) {
	err = store.db.step(ctx, 0, func(t *tx) error {
		l := store.db.lease(length)
		if name = 0; length > 0 {
			name = max(l.until(), held+1)
		}
		return t.must(sandlot.ErrLeased, `INSERT INTO leases (work, leased_until) VALUES (?1, ?2) ON CONFLICT (work) DO UPDATE SET leased_until = excluded.leased_until
			WHERE leases.leased_until <= ?3 OR leases.leased_until > ?4 OR leases.leased_until = ?5`, work, name, micros(l.now), lease{l.now, operate.WorkLeaseMax}.never(), held)
	})
	return name, in("lease work", err)
}

// Alone says that no other process uses the database, as a server knows that holds the
// lock of its folder: what a former one was at when it ended need not wait until its
// lease lapses. The mail that it was at stays leased, for it may have been sent.
func (db *DB) Alone(ctx context.Context) error {
	return in("end the leases of former processes", db.step(ctx, 0, func(t *tx) error {
		return t.Run(
			do("UPDATE uploads SET leased_until = 0 WHERE leased_until > 0"),
			do("DELETE FROM leases"),
		)
	}))
}
