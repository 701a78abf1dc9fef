package sqlstore

import (
	"context"
	"errors"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
)

// dropRemoved drops the files, versions, likes, figures, trials, players, errors, messages, notes and objections of projects
// that were deleted before the given time: an export that began earlier still has them.
func (s *sweep) dropRemoved(before time.Time) error {
	for s.left > 0 {
		project, err := s.next("SELECT project FROM removals WHERE at < ? ORDER BY at LIMIT ?", micros(before))
		if errors.Is(err, sandlot.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.lockOwnerOf(project); err != nil {
			return err
		}
		if err := s.dropProject(project); err != nil {
			return err
		}
	}
	return nil
}

// dropProject drops as many records of a deleted project as the call has left, and the task itself after the last one.
func (s *sweep) dropProject(project int64) error {
	if err := s.dropFiles("SELECT until, folded, blob FROM files WHERE project = ? AND until > 0 LIMIT ?",
		project); err != nil || s.left <= 0 {
		return err
	}
	if err := s.uncover(project); err != nil {
		return err
	}
	if err := s.dropBoardsOf(project); err != nil || s.left <= 0 {
		return err
	}
	if err := s.dropPlayersOf(project); err != nil || s.left <= 0 {
		return err
	}
	for _, of := range [][2]string{
		{"versions", "n"},
		{"likes", "visitor"},
		{"day_figures", "day"},
		{"version_figures", "version"},
		{"day_sources", "day, host"},
		{"faults", "version, hash"},
		{"feedback", "id"},
		{"notes", "id"},
	} {
		err := s.times("DELETE FROM "+of[0]+some(of[0], "project, "+of[1], "project = ?1"), project)
		if err != nil || s.left <= 0 {
			return err
		}
	}
	return s.Run(
		do("DELETE FROM trials WHERE project = ?", project),
		do("UPDATE decisions SET note = '', objection = '', code = NULL WHERE project = ?", project),
		do("DELETE FROM removals WHERE project = ?", project),
	)
}

// dropFiles drops the files of a project that a query finds; its last argument is how many.
func (s *sweep) dropFiles(query string, project int64, args ...any) error {
	type key struct {
		until  int64
		folded string
		blob   int64
	}
	files, err := all(context.Background(), s, fields(func(k *key) []any { return []any{&k.until, &k.folded, &k.blob} }), query,
		append(append([]any{project}, args...), s.left)...)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := s.Run(
			loosen(f.blob), do("DELETE FROM files WHERE project = ? AND until = ? AND folded = ?", project, f.until, f.folded),
		); err != nil {
			return err
		}
		s.left--
	}
	return nil
}

// trimPage is how many projects one call of Trim looks at: some milliseconds of reading.
const trimPage = 1000

type trimmable struct {
	num, version, oldest int64
	id                   sandlot.ProjectID
	left                 bool // files of versions that were forgotten are still there
}

func (store Upkeep) Trim(
	ctx context.Context, keep int, before time.Time, after int64, limit int,
) (last int64, more bool, err error) {
	page, err := all(ctx, store.db, fields(func(p *trimmable) []any { return []any{&p.num, &p.id, &p.version, &p.oldest, &p.left} }),
		`SELECT p.num, p.id, p.version, p.oldest, p.oldest > 1 AND EXISTS (SELECT 1 FROM files f
		WHERE f.project = p.num AND f.until <= p.oldest)
		FROM projects p WHERE p.num > ? AND p.deleted_at IS NULL ORDER BY p.num LIMIT ?`, after, trimPage)
	if err != nil {
		return after, false, in("look for old versions", err)
	}
	for _, p := range page {
		if p.version-p.oldest >= int64(keep) || p.left {
			done := false
			err := store.db.step(ctx, nil, func(t *tx) error {
				s := &sweep{tx: t, left: min(limit, sweepStep)}
				err := s.trim(p, keep, before)
				done = s.left > 0
				return err
			})
			if err != nil {
				return p.num, true, in("forget old versions", err)
			}
			if !done {
				return after, true, nil
			}
		}
		after = p.num
	}
	return after, len(page) == trimPage, nil
}

// trim drops as many old versions of a project as the step has left, the oldest first, and then the files of dropped
// versions. In this order, for a version has all its files.
func (s *sweep) trim(p trimmable, keep int, before time.Time) error {
	project := p.num
	if err := s.lockOwnerOf(project); err != nil {
		return err
	}
	// The version after the last dropped one is the newest that is old enough to have superseded another. A version
	// with a future time was made by a wrong clock.
	n, err := s.Exec(`DELETE FROM versions WHERE project = ?1 AND n IN (
		SELECT v.n FROM versions v WHERE v.project = ?1 AND v.n < (
			SELECT max(o.n) FROM versions o JOIN projects p ON p.num = o.project
			WHERE o.project = ?1 AND o.n <= p.version - ?2 + 1 AND (o.created_at < ?3 OR o.created_at > ?5))
		ORDER BY v.n LIMIT ?4)`, project, keep, micros(before), s.left, notAfter(before.Add(operate.Grace)))
	if err != nil {
		return err
	}
	s.left -= int(n)
	if n > 0 {
		s.changed = changed(p.id)
		if err := s.do("UPDATE projects SET changed = changed + 1, oldest = oldest + ? WHERE num = ?", n, project); err != nil {
			return err
		}
	}
	if s.left <= 0 {
		return nil
	}
	oldest, err := s.number("SELECT oldest FROM projects WHERE num = ?", project)
	if err != nil {
		return err
	}
	return s.dropFiles("SELECT until, folded, blob FROM files WHERE project = ? AND until <= ? LIMIT ?", project, oldest)
}

const eraseStep = 100

// An erasure is an erased version whose files are still to drop, and its neighbours that were not erased; 0 is none.
type erasure struct{ project, n, before, after int64 }

// It may read many erased versions, so it runs outside of steps. If a neighbour is erased meanwhile, its erasure sees
// both, and drops the files that they shared.
const selectErasures = `SELECT e.project, e.n,
	coalesce((SELECT v.n FROM versions v WHERE v.project = e.project AND v.erased_at IS NULL AND v.n < e.n ORDER BY v.n DESC LIMIT 1), 0),
	coalesce((SELECT v.n FROM versions v WHERE v.project = e.project AND v.erased_at IS NULL AND v.n > e.n ORDER BY v.n LIMIT 1), 0)
	FROM erasures e WHERE e.project > 0`

// The version is gone with the first step; Sweep finishes the steps that drop its files.
func (store ProjectStore) EraseVersion(ctx context.Context, id sandlot.ProjectID, n int, at time.Time) error {
	err := store.db.step(ctx, nil, func(t *tx) error {
		t.changed = changed(id)
		p, err := ownProject(t, id)
		if err == nil && p.Version == n {
			err = sandlot.ErrMoved
		}
		if err != nil {
			return err
		}
		err = t.must(sandlot.ErrNotFound,
			"UPDATE versions SET title = '', erased_at = coalesce(erased_at, ?) WHERE project = ? AND n = ?", micros(at), p.num, n)
		if err != nil {
			return err
		}
		return t.Run(
			do("UPDATE projects SET changed = changed + 1 WHERE num = ?", p.num),
			do("INSERT INTO erasures (project, n) VALUES (?, ?) ON CONFLICT DO NOTHING", p.num, n),
		)
	})
	if err != nil {
		return in("erase version", err)
	}
	_ = store.db.finishErasures(context.WithoutCancel(ctx)) // Sweep finishes the rest
	return nil
}

func (db *DB) finishErasures(ctx context.Context) error {
	list, err := all(ctx, db, fields(func(e *erasure) []any { return []any{&e.project, &e.n, &e.before, &e.after} }), selectErasures)
	if err != nil {
		return err
	}
	return forAll(ctx, list, func(e erasure) error { return db.finish(ctx, e) })
}

// finish drops the files of an erased version that no other version has, in steps between which other steps get their
// turn.
func (db *DB) finish(ctx context.Context, e erasure) error {
	for done := false; !done; {
		err := db.step(ctx, nil, func(t *tx) error {
			if err := t.lockOwnerOf(e.project); err != nil {
				return err
			}
			s := &sweep{tx: t, left: eraseStep}
			if err := s.dropErased(e); err != nil {
				return err
			}
			if done = s.left > 0; !done {
				return nil
			}
			return t.do("DELETE FROM erasures WHERE project = ? AND n = ?", e.project, e.n)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// dropErased drops files of an erased version. A file is in all versions from the one that added it to the one that
// ended it: so the dropped files were added after the neighbour before n, and ended by the neighbour after it at the
// latest.
func (s *sweep) dropErased(e erasure) error {
	return s.dropFiles(`SELECT until, folded, blob FROM files
		WHERE project = ? AND until > ? AND until <= ? AND since > ? AND since <= ? LIMIT ?`,
		e.project, e.n, e.after, e.before, e.n)
}
