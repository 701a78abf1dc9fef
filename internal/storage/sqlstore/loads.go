package sqlstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/storage/sqlstore/engine"
)

// addLoads notes the loads of counts, but for those of which one was noted less than
// gallery.PlayWindow before or after: those it returns, with when that one was.
func addLoads(t *tx, counts map[sandlot.ProjectID]gallery.Counts, now time.Time) (lost map[int64]time.Time, err error) {
	var loads []gallery.Load
	for _, c := range counts {
		loads = append(loads, c.Loads...)
	}
	if len(loads) == 0 {
		return nil, nil
	}
	// In one order, against deadlocks with other steps, and each once: the newest load of each ID.
	slices.SortFunc(loads, func(a, b gallery.Load) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Ago, b.Ago)) })
	loads = slices.CompactFunc(loads, func(a, b gallery.Load) bool { return a.ID == b.ID })
	rows := make([]string, len(loads))
	left := map[int64]bool{}
	for i, l := range loads {
		rows[i], left[l.ID] = fmt.Sprintf("%020d%d", l.ID, micros(now.Add(-max(l.Ago, 0)))), true
	}
	counted, err := all(context.Background(), t, scanValue[int64], `INSERT INTO loads (load, at)
		SELECT CAST(substr(j.value, 1, 20) AS BIGINT), CAST(substr(j.value, 21) AS BIGINT) FROM `+t.dialect.Texts("?1", "j")+` WHERE true
		ON CONFLICT (load) DO UPDATE SET at = excluded.at WHERE loads.at <= excluded.at - ?2 OR loads.at >= excluded.at + ?2
		RETURNING load`, engine.List(rows), gallery.PlayWindow.Microseconds())
	if err != nil {
		return nil, err
	}
	for _, id := range counted {
		delete(left, id)
	}
	return noted(t, left)
}

// noted returns when the loads of these hashes were that counted.
func noted(t *tx, ids map[int64]bool) (map[int64]time.Time, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	list := make([]int64, 0, len(ids))
	for id := range ids {
		list = append(list, id)
	}
	type load struct {
		id int64
		at time.Time
	}
	found, err := all(context.Background(), t, func(r row) (l load, err error) {
		err = r.Scan(&l.id, asTime{&l.at})
		return l, err
	}, "SELECT load, at FROM loads WHERE "+t.amongNumbers("load"), engine.List(list))
	at := make(map[int64]time.Time, len(found))
	for _, l := range found {
		at[l.id] = l.at
	}
	return at, err
}

// dropLoads forgets loads that no other is held against any more, and those that a wrong
// clock noted.
func (s *sweep) dropLoads(now time.Time) error {
	if err := s.times("DELETE FROM loads WHERE at < ?1 AND load IN (SELECT load FROM loads WHERE at < ?1 LIMIT ?2)", micros(now.Add(-gallery.PlayWindow))); err != nil {
		return err
	}
	return s.times("DELETE FROM loads WHERE at > ?1 AND load IN (SELECT load FROM loads WHERE at > ?1 LIMIT ?2)", notAfter(now))
}
