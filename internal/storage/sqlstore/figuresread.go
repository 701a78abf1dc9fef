package sqlstore

import (
	"context"
	"slices"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery/figures"
)

// It is one query, so that the days fit the batch.
func (store Gallery) FiguresByDay(ctx context.Context, id sandlot.ProjectID, from, to time.Time) (figures.ByDay, error) {
	out := figures.ByDay{Days: map[int64]figures.Cell{}, Sources: map[string]int64{}}
	found, err := all(ctx, store.db, func(r row) (_ int, err error) {
		var day int64
		var host string
		var c figures.Cell
		if err = r.Scan(&out.Batch, &day, &host, &c.Plays, &c.Likes, &c.Players, asSketch{&c.Seen}, asLengths{&c.Lengths}); err != nil {
			return 0, err
		}
		if host != "" {
			out.Sources[host] += c.Plays
		} else if day >= 0 {
			out.Days[day] = c
		}
		return 0, nil
	}, `SELECT p.counted, coalesce(d.day, -1), '', coalesce(d.plays, 0), coalesce(d.likes, 0), coalesce(d.players, 0), d.seen, d.lengths
		FROM projects p LEFT JOIN day_figures d ON d.project = p.num AND d.day >= ?2 AND d.day <= ?3
		WHERE p.id = ?1 AND p.deleted_at IS NULL`+ofAccount+`
		UNION ALL SELECT p.counted, -1, s.host, s.plays, 0, 0, NULL, NULL
		FROM projects p JOIN day_sources s ON s.project = p.num AND s.day >= ?2 AND s.day <= ?3
		WHERE p.id = ?1 AND p.deleted_at IS NULL`+ofAccount,
		string(id), dayOf(from), dayOf(to))
	if err == nil && len(found) == 0 {
		err = sandlot.ErrNotFound
	}
	return out, in("read figures by day", err)
}

func (store Gallery) FiguresByVersion(ctx context.Context, id sandlot.ProjectID, limit int) (out figures.ByVersion, err error) {
	found, err := all(ctx, store.db, func(r row) (_ int, err error) {
		var v figures.VersionCell
		err = r.Scan(&out.Batch, &out.Current, &v.Version, &v.Plays, &v.Likes, &v.Players, asSketch{&v.Seen}, asLengths{&v.Lengths})
		if err == nil && v.Version > 0 {
			out.Versions = append(out.Versions, v)
		}
		return 0, err
	}, `SELECT p.counted, p.version, coalesce(v.version, 0), coalesce(v.plays, 0), coalesce(v.likes, 0), coalesce(v.players, 0), v.seen,
		v.lengths
		FROM projects p LEFT JOIN version_figures v ON v.project = p.num WHERE p.id = ? AND p.deleted_at IS NULL`+ofAccount+`
		ORDER BY v.version DESC LIMIT ?`, string(id), limit)
	if err == nil && len(found) == 0 {
		err = sandlot.ErrNotFound
	}
	return out, in("read figures by version", err)
}

type asSketch struct{ s *figures.Sketch }

func (a asSketch) Scan(src any) error {
	b, _ := src.([]byte)
	*a.s = slices.Clone(b)
	return nil
}

type asLengths struct{ l *figures.Lengths }

func (a asLengths) Scan(src any) error {
	b, _ := src.([]byte)
	*a.l = figures.ReadLengths(b)
	return nil
}

// figuresLate is longer than any step that began on the day before.
const figuresLate = 10 * time.Minute

// forgetSeen replaces the players of days before by their number.
func (s *sweep) forgetSeen(table, key string, before int64) error {
	type seen struct {
		project, key int64
		players      figures.Sketch
	}
	list, err := all(context.Background(), s, fields(func(p *seen) []any { return []any{&p.project, &p.key, asSketch{&p.players}} }),
		"SELECT project, "+key+", seen FROM "+table+" WHERE seen IS NOT NULL AND day < ? LIMIT ?", before, s.left)
	if err != nil {
		return err
	}
	for _, p := range list {
		// Only where they are still those: a clock that is set back lets a day come again.
		if err := s.do("UPDATE "+table+" SET players = players + ?, seen = NULL WHERE project = ? AND "+key+" = ? AND seen = ?",
			p.players.Count(), p.project, p.key, []byte(p.players)); err != nil {
			return err
		}
		s.left--
	}
	return nil
}
