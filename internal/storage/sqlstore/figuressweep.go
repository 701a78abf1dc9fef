package sqlstore

import (
	"context"
	"time"

	"sandlot/internal/domain/gallery/figures"
)

// dropFigures are the parts of a sweep that forget days of long ago, and who was there
// on days that are over.
func dropFigures(now time.Time) []func(*sweep) error {
	old, over := dayOf(figures.Kept(now)), dayOf(now.Add(-figuresLate))
	return []func(*sweep) error{
		func(s *sweep) error {
			return s.times("DELETE FROM day_figures WHERE (project, day) IN (SELECT project, day FROM day_figures WHERE day < ? LIMIT ?)", old)
		},
		func(s *sweep) error {
			return s.times("DELETE FROM day_sources WHERE (project, day, host) IN (SELECT project, day, host FROM day_sources WHERE day < ? LIMIT ?)", old)
		},
		func(s *sweep) error { return s.forgetSeen("day_figures", "day", over) },
		func(s *sweep) error { return s.forgetSeen("version_figures", "version", over) },
	}
}

// figuresLate is longer than a step takes that began on the day before.
const figuresLate = 10 * time.Minute

// forgetSeen leaves but a number of the players of days before.
func (s *sweep) forgetSeen(table, key string, before int64) error {
	type seen struct {
		project, key int64
		players      figures.Sketch
	}
	list, err := all(context.Background(), s, func(r row) (p seen, err error) {
		err = r.Scan(&p.project, &p.key, asSketch{&p.players})
		return p, err
	}, "SELECT project, "+key+", seen FROM "+table+" WHERE seen IS NOT NULL AND day < ? LIMIT ?", before, s.left)
	if err != nil {
		return err
	}
	for _, p := range list {
		// Only where they are still those: a clock that is set back lets a day come again.
		if err := s.do("UPDATE "+table+" SET players = players + ?, seen = NULL WHERE project = ? AND "+key+" = ? AND seen = ?", p.players.Count(), p.project, p.key, []byte(p.players)); err != nil {
			return err
		}
		s.left--
	}
	return nil
}

// dropFiguresOf forgets the figures of a project that was deleted.
func (s *sweep) dropFiguresOf(project int64) error {
	for _, query := range []string{
		"DELETE FROM day_figures WHERE project = ?1 AND day IN (SELECT day FROM day_figures WHERE project = ?1 LIMIT ?2)",
		"DELETE FROM version_figures WHERE project = ?1 AND version IN (SELECT version FROM version_figures WHERE project = ?1 LIMIT ?2)",
		"DELETE FROM day_sources WHERE project = ?1 AND (day, host) IN (SELECT day, host FROM day_sources WHERE project = ?1 LIMIT ?2)",
	} {
		if err := s.times(query, project); err != nil || s.left <= 0 {
			return err
		}
	}
	return nil
}
