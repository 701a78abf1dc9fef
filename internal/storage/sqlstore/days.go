package sqlstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/gallery/figures"
	"sandlot/internal/storage/sqlstore/engine"
)

func dayOf(t time.Time) int64 { return figures.DayOf(t) }

func (store Gallery) AddCounts(ctx context.Context, counts map[sandlot.ProjectID]gallery.Counts) (again []gallery.Load, err error) {
	err = store.db.step(ctx, nil, func(t *tx) error {
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
			of, err := one(context.Background(), t, scanProjectFigures,
				`UPDATE projects SET plays = plays + ?1, likes = likes + ?2, counted = ?3
					WHERE id = ?4 AND `+isKept+ofAccount+" RETURNING num, version",
				c.Plays, c.Likes, c.Batch, string(id))
			if errors.Is(err, sandlot.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			all = append(all, of.with(lead, c))
		}
		return figuring{t, day}.add(all)
	})
	return again, in("add counts", err)
}

// addBatches records the newest batch of each process, whose batches have increasing numbers. It reports whether all
// are new.
func addBatches(t *tx, counts map[sandlot.ProjectID]gallery.Counts, now time.Time) (fresh bool, err error) {
	newest := map[int64]int64{} // of each process
	for _, c := range counts {
		if of := c.Batch / gallery.BatchesOfProcess; c.Batch != 0 {
			newest[of] = max(newest[of], c.Batch)
		}
	}
	for _, of := range slices.Sorted(maps.Keys(newest)) {
		n, err := t.Exec(`INSERT INTO counters (process, batch, at) VALUES (?, ?, ?)
			ON CONFLICT (process) DO UPDATE SET batch = excluded.batch, at = excluded.at
			WHERE counters.batch < excluded.batch`, of, newest[of], micros(now))
		if err != nil || n == 0 {
			return false, err
		}
	}
	return true, nil
}

// countersKept is longer than a process lives that cannot write its counts.
const countersKept = 7 * 24 * time.Hour

func (store Gallery) PlaysByDay(ctx context.Context, ids []sandlot.ProjectID, from, to time.Time) (map[sandlot.ProjectID][]int64, error) {
	type count struct {
		project    sandlot.ProjectID
		day, plays int64
	}
	first, last := dayOf(from), dayOf(to)
	counts, err := all(ctx, store.db, fields(func(c *count) []any { return []any{&c.project, &c.day, &c.plays} }),
		"SELECT p.id, d.day, d.plays FROM "+store.db.dialect.Texts("?1", "j")+` CROSS JOIN projects p CROSS JOIN day_figures d
		WHERE p.id = j.value AND p.deleted_at IS NULL AND d.project = p.num AND d.day >= ?2 AND d.day <= ?3 AND d.plays > 0`+ofAccount,
		engine.List(ids), first, last)
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

func (store Gallery) Like(ctx context.Context, id sandlot.ProjectID, by sandlot.Digest, counted bool) (int64, error) {
	likes, err := store.changeLikes(ctx, id, func(t *tx, project int64) (int64, error) {
		n, err := t.Exec("INSERT INTO likes (project, visitor, counted) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", project, by[:], counted)
		if !counted {
			n = 0
		}
		return n, err
	})
	return likes, in("like", err)
}

func (store Gallery) Unlike(ctx context.Context, id sandlot.ProjectID, by sandlot.Digest) (int64, error) {
	likes, err := store.changeLikes(ctx, id, func(t *tx, project int64) (int64, error) {
		counted, err := t.number("DELETE FROM likes WHERE project = ? AND visitor = ? RETURNING counted", project, by[:])
		if errors.Is(err, sandlot.ErrNotFound) {
			return 0, nil
		}
		return -counted, err
	})
	return likes, in("unlike", err)
}

// changeLikes keeps the project's count with its likes: change returns the difference.
func (store Gallery) changeLikes(
	ctx context.Context, id sandlot.ProjectID, change func(t *tx, project int64) (int64, error),
) (likes int64, err error) {
	err = store.db.step(ctx, nil, func(t *tx) error {
		project, err := t.number("SELECT num FROM projects WHERE id = ? AND deleted_at IS NULL"+ofAccount, string(id))
		if err != nil {
			return err
		}
		by, err := change(t, project)
		if err != nil {
			return err
		}
		if likes, err = t.number("UPDATE projects SET likes = likes + ? WHERE num = ? RETURNING likes", by, project); err != nil {
			return err
		}
		return figuring{t, dayOf(store.db.Now())}.addLikes(project, by)
	})
	return likes, err
}

func (store Gallery) Liked(ctx context.Context, id sandlot.ProjectID, by sandlot.Digest) (bool, error) {
	return one(ctx, store.db, scanValue[bool], `
		SELECT EXISTS (SELECT 1 FROM likes l WHERE l.project = p.num AND l.visitor = ?)
		FROM projects p WHERE p.id = ? AND p.deleted_at IS NULL`+ofAccount, by[:], string(id))
}

// addLoads records the loads of counts. It returns those that repeat a load recorded less than gallery.PlayWindow
// before or after, with the time of that load.
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

// noted returns the recorded times of loads.
func noted(t *tx, ids map[int64]bool) (map[int64]time.Time, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	type load struct {
		id int64
		at time.Time
	}
	found, err := all(context.Background(), t, fields(func(l *load) []any { return []any{&l.id, asTime{&l.at}} }),
		"SELECT load, at FROM loads WHERE "+t.amongNumbers("load"), engine.List(slices.Collect(maps.Keys(ids))))
	at := make(map[int64]time.Time, len(found))
	for _, l := range found {
		at[l.id] = l.at
	}
	return at, err
}
