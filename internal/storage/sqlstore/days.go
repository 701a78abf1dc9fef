package sqlstore

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/gallery/figures"
	"sandlot/internal/storage/sqlstore/engine"
)

// dayOf is the number of a time's day, in UTC.
func dayOf(t time.Time) int64 { return figures.DayOf(t) }

func (store Gallery) AddCounts(ctx context.Context, counts map[sandlot.ProjectID]gallery.Counts) (again []gallery.Load, err error) {
	err = store.db.step(ctx, 0, func(t *tx) error {
		again = nil
		now := store.db.Now()
		if fresh, err := addBatches(t, counts, now); err != nil || !fresh {
			return err
		}
		lost, err := addLoads(t, counts, now)
		if err != nil {
			return err
		}
		day, added := dayOf(now), map[int64]bool{}
		var all []projectFigures
		for _, id := range slices.Sorted(maps.Keys(counts)) { // in one order, against deadlocks with other steps
			c, lead := counts[id], counts[id].Figures.Copy()
			for _, l := range c.Loads {
				if at, known := lost[l.ID]; known {
					again = append(again, gallery.Load{ID: l.ID, Ago: now.Sub(at)})
				} else if !added[l.ID] {
					added[l.ID] = true
					c.Plays++
					lead.Move(l.Version, l.Source, 1)
				}
			}
			of, err := one(context.Background(), t, scanProjectFigures, "UPDATE projects SET plays = plays + ?1, likes = likes + ?2, counted = ?3 WHERE id = ?4 AND "+isKept+ofAccount+" RETURNING num, version",
				c.Plays, c.Likes, c.Batch, string(id))
			if errors.Is(err, sandlot.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			if err := addPlays(t, id, c.Plays, day); err != nil {
				return err
			}
			all = append(all, of.with(lead, c))
		}
		return figuring{t, day}.add(all)
	})
	return again, in("add counts", err)
}

// addBatches notes the batches of counts, each with the process that it is of, whose
// batches have numbers that grow. It reports whether they are there for the first time.
func addBatches(t *tx, counts map[sandlot.ProjectID]gallery.Counts, now time.Time) (fresh bool, err error) {
	newest := map[int64]int64{} // of each process
	for _, c := range counts {
		if of := c.Batch / gallery.BatchesOfProcess; c.Batch != 0 {
			newest[of] = max(newest[of], c.Batch)
		}
	}
	for _, of := range slices.Sorted(maps.Keys(newest)) {
		n, err := t.Exec(`INSERT INTO counters (process, batch, at) VALUES (?, ?, ?)
			ON CONFLICT (process) DO UPDATE SET batch = excluded.batch, at = excluded.at WHERE counters.batch < excluded.batch`, of, newest[of], micros(now))
		if err != nil || n == 0 {
			return false, err
		}
	}
	return true, nil
}

// dropCounters forgets processes that counted nothing for a week: they are gone, or their counts are too old
// to be written again.
func (s *sweep) dropCounters(now time.Time) error {
	return s.times("DELETE FROM counters WHERE at < ?1 AND process IN (SELECT process FROM counters WHERE at < ?1 LIMIT ?2)", micros(now.Add(-countersKept)))
}

// countersKept is longer than the life of a process that cannot write its counts.
const countersKept = 7 * 24 * time.Hour

// addPlays counts plays for a day.
func addPlays(t *tx, id sandlot.ProjectID, plays, day int64) error {
	if plays == 0 {
		return nil
	}
	return t.do(`INSERT INTO play_days (day, project, plays) SELECT ?, num, ? FROM projects WHERE id = ? AND `+isKept+`
		ON CONFLICT (day, project) DO UPDATE SET plays = play_days.plays + excluded.plays`, day, plays, string(id))
}

// It looks each day of each project up,
// about a microsecond each.
func (store Gallery) PlaysByDay(ctx context.Context, ids []sandlot.ProjectID, from, to time.Time) (map[sandlot.ProjectID][]int64, error) {
	type count struct {
		project    sandlot.ProjectID
		day, plays int64
	}
	first, last := dayOf(from), dayOf(to)
	counts, err := all(ctx, store.db, func(r row) (c count, err error) {
		err = r.Scan(&c.project, &c.day, &c.plays)
		return c, err
	}, `WITH RECURSIVE days (day) AS (SELECT CAST(? AS BIGINT) UNION ALL SELECT day + 1 FROM days WHERE day < ?)
		SELECT p.id, d.day, d.plays FROM `+store.db.dialect.Texts("?", "j")+` CROSS JOIN projects p CROSS JOIN days CROSS JOIN play_days d
		WHERE p.id = j.value AND p.deleted_at IS NULL AND d.day = days.day AND d.project = p.num`+ofAccount, first, last, engine.List(ids))
	if err != nil {
		return nil, in("read plays by day", err)
	}
	out := map[sandlot.ProjectID][]int64{}
	for _, c := range counts {
		if out[c.project] == nil {
			out[c.project] = make([]int64, last-first+1)
		}
		out[c.project][c.day-first] = c.plays
	}
	return out, nil
}

// dropDays forgets how often projects were played long ago.
func (s *sweep) dropDays(now time.Time) error {
	return s.times("DELETE FROM play_days WHERE (day, project) IN (SELECT day, project FROM play_days WHERE day < ? LIMIT ?)", dayOf(gallery.DaysKept(now)))
}
