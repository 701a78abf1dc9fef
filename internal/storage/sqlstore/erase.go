package sqlstore

import (
	"context"
	"time"

	"sandlot"
)

// eraseStep is how many files of an erased version one step lets go of: some 3 ms.
const eraseStep = 100

// An erasure is a version that was erased, whose files are still to be let go of, and
// the versions next to it that are there; 0 is none.
type erasure struct{ project, n, before, after int64 }

// It may walk through many erased versions, so it does not run where others wait. If a neighbour is erased as
// well meanwhile, its erasure sees both gone, and lets go of the files that they shared.
const selectErasures = `SELECT e.project, e.n,
	coalesce((SELECT v.n FROM versions v WHERE v.project = e.project AND v.erased_at IS NULL AND v.n < e.n ORDER BY v.n DESC LIMIT 1), 0),
	coalesce((SELECT v.n FROM versions v WHERE v.project = e.project AND v.erased_at IS NULL AND v.n > e.n ORDER BY v.n LIMIT 1), 0)
	FROM erasures e WHERE e.project > 0`

// The version is gone with the first
// step; those that let go of its files are done by Sweep if they are cut short.
func (store ProjectStore) EraseVersion(ctx context.Context, id sandlot.ProjectID, n int, at time.Time) (sandlot.Changed, error) {
	err := store.db.step(ctx, 0, func(t *tx) error {
		if err := t.lockOwner(id); err != nil {
			return err
		}
		p, err := one(context.Background(), t, scanProject, selectProject+"p.id = ?", string(id))
		if err != nil {
			return err
		}
		if p.Suspended {
			return sandlot.ErrSuspended
		}
		if p.Version == n {
			return sandlot.ErrMoved
		}
		err = t.must(sandlot.ErrNotFound, "UPDATE versions SET title = '', erased_at = coalesce(erased_at, ?) WHERE project = ? AND n = ?", micros(at), p.num, n)
		if err != nil {
			return err
		}
		return t.Run(
			do("UPDATE projects SET changed = changed + 1 WHERE num = ?", p.num),
			do("INSERT INTO erasures (project, n) VALUES (?, ?) ON CONFLICT DO NOTHING", p.num, n),
		)
	})
	if err != nil {
		return changed(id), in("erase version", err)
	}
	_ = store.db.finishErasures(context.WithoutCancel(ctx)) // Sweep finishes the rest
	return changed(id), nil
}

// finishErasures lets go of the files of versions that were erased.
func (db *DB) finishErasures(ctx context.Context) error {
	list, err := all(ctx, db, func(r row) (e erasure, err error) {
		err = r.Scan(&e.project, &e.n, &e.before, &e.after)
		return e, err
	}, selectErasures)
	if err != nil {
		return err
	}
	return forAll(ctx, list, func(e erasure) error { return db.finish(ctx, e) })
}

// finish lets go of those files of an erased version that are in no version which is
// there, in steps between which others get their turn.
func (db *DB) finish(ctx context.Context, e erasure) error {
	for done := false; !done; {
		err := db.step(ctx, 0, func(t *tx) error {
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

// dropErased lets go of files of an erased version: a file is also in the versions
// between the one it came with and the one it went with. So it came after the last
// one before n that is there, and went with the first one after it, or before: the
// history beyond these two is not looked at.
func (s *sweep) dropErased(e erasure) error {
	return s.dropFiles("SELECT until, folded, blob FROM files WHERE project = ? AND until > ? AND until <= ? AND since > ? AND since <= ? LIMIT ?",
		e.project, e.n, e.after, e.before, e.n)
}
