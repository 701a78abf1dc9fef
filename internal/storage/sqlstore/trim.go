package sqlstore

import (
	"context"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
)

// trimPage is how many projects one call of Trim looks at: some milliseconds of
// reading.
const trimPage = 1000

// trimmable is a project that may have versions to forget.
type trimmable struct {
	num, version, oldest int64
	id                   sandlot.ProjectID
	left                 bool // files of versions that were forgotten are still there
}

func (store Upkeep) Trim(ctx context.Context, keep int, before time.Time, after int64, limit int) (last int64, more bool, changed sandlot.Changed, err error) {
	page, err := all(ctx, store.db, func(r row) (p trimmable, err error) {
		err = r.Scan(&p.num, &p.id, &p.version, &p.oldest, &p.left)
		return p, err
	}, `SELECT p.num, p.id, p.version, p.oldest, p.oldest > 1 AND EXISTS (SELECT 1 FROM files f WHERE f.project = p.num AND f.until <= p.oldest)
		FROM projects p WHERE p.num > ? AND p.deleted_at IS NULL ORDER BY p.num LIMIT ?`, after, trimPage)
	if err != nil {
		return after, false, changed, in("look for old versions", err)
	}
	for _, p := range page {
		if p.version-p.oldest >= int64(keep) || p.left {
			done, fewer := false, false
			err := store.db.step(ctx, 0, func(t *tx) error {
				s := &sweep{tx: t, left: min(limit, sweepStep)}
				fewer, err = s.trim(p.num, keep, before)
				done = s.left > 0
				return err
			})
			if fewer {
				changed.Projects = append(changed.Projects, p.id)
			}
			if err != nil {
				return p.num, true, changed, in("forget old versions", err)
			}
			if !done {
				return after, true, changed, nil
			}
		}
		after = p.num
	}
	return after, len(page) == trimPage, changed, nil
}

// trim forgets as many old versions of a project as the step has left, the oldest first, and then files of
// versions that were forgotten. In this order, for a version that is there has all its files. fewer reports
// whether versions went.
func (s *sweep) trim(project int64, keep int, before time.Time) (fewer bool, err error) {
	if err := s.lockOwnerOf(project); err != nil {
		return false, err
	}
	// The version after the last one to go is the newest of those that are old
	// enough to have superseded another. One of a time to come was made by a clock
	// that was wrong.
	n, err := s.Exec(`DELETE FROM versions WHERE project = ?1 AND n IN (
		SELECT v.n FROM versions v WHERE v.project = ?1 AND v.n < (
			SELECT max(o.n) FROM versions o JOIN projects p ON p.num = o.project
			WHERE o.project = ?1 AND o.n <= p.version - ?2 + 1 AND (o.created_at < ?3 OR o.created_at > ?5))
		ORDER BY v.n LIMIT ?4)`, project, keep, micros(before), s.left, notAfter(before.Add(operate.Grace)))
	if err != nil {
		return false, err
	}
	s.left -= int(n)
	fewer = n > 0
	if fewer {
		if err := s.do("UPDATE projects SET changed = changed + 1, oldest = oldest + ? WHERE num = ?", n, project); err != nil {
			return fewer, err
		}
	}
	if s.left <= 0 {
		return fewer, nil
	}
	oldest, err := s.number("SELECT oldest FROM projects WHERE num = ?", project)
	if err != nil {
		return fewer, err
	}
	return fewer, s.dropFiles("SELECT until, folded, blob FROM files WHERE project = ? AND until <= ? LIMIT ?", project, oldest)
}
