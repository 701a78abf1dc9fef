package sqlstore

import (
	"cmp"
	"context"
	"errors"
	"math"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// Conditions for a row of projects: it is deleted and can be taken back; it is not deleted for good.
const (
	inTrash = "EXISTS (SELECT 1 FROM trash t WHERE t.project = projects.num)"
	isKept  = "(deleted_at IS NULL OR " + inTrash + ")"
)

const selectTrashed = "SELECT t.at, " + projectColumns + `
	FROM trash t JOIN projects p ON p.num = t.project JOIN accounts a ON a.id = p.account WHERE a.deleted_at IS NULL AND `

func scanTrashed(r row) (out publish.Trashed, err error) {
	p, err := scanProject(before{r, []any{sometime{&out.DeletedAt}}})
	out.Project = p.Project
	return out, err
}

func (store TrashStore) Trash(ctx context.Context, id sandlot.ProjectID, key int64, e sandlot.LogEntry) error {
	return in("delete project", store.db.onProject(ctx, id, func(t *tx) error {
		t.changed = changed(id)
		if err := t.mayAct(key); err != nil {
			return err
		}
		num, err := t.number(`UPDATE projects SET changed = changed + 1, deleted_at = ?
			WHERE id = ? AND deleted_at IS NULL`+ofAccount+" RETURNING num", micros(e.At), string(id))
		if err != nil {
			return err
		}
		return t.Run(
			do(`INSERT INTO trash (project, account, at) SELECT num, account, coalesce((SELECT at FROM clock
				WHERE at > deleted_at), deleted_at) FROM projects WHERE num = ?`, num),
			newEntry(e),
		)
	}))
}

func (store TrashStore) TakeBack(ctx context.Context, id sandlot.ProjectID, within publish.Quota, e sandlot.LogEntry) error {
	return in("take project back", store.db.onProject(ctx, id, func(t *tx) error {
		t.changed = changed(id)
		num, err := t.number(`UPDATE projects SET changed = changed + 1, deleted_at = NULL
			WHERE id = ? AND deleted_at IS NOT NULL AND `+inTrash+ofAccount+" RETURNING num", string(id))
		if err != nil {
			return err
		}
		account, err := t.number("DELETE FROM trash WHERE project = ? RETURNING account", num)
		if err != nil {
			return err
		}
		if err := t.projectsWithin(sandlot.AccountID(account), within.Projects, store.db.Now()); err != nil {
			return err
		}
		return t.Run(newEntry(e))
	}))
}

func (store TrashStore) Purge(ctx context.Context, id sandlot.ProjectID, e sandlot.LogEntry) error {
	err := store.db.onProject(ctx, id, func(t *tx) error {
		num, err := t.number("SELECT num FROM projects WHERE id = ? AND "+inTrash+ofAccount, string(id))
		if err != nil {
			return err
		}
		if suspended, err := t.number(`SELECT p.suspended_at IS NOT NULL OR a.suspended_at IS NOT NULL FROM projects p
			JOIN accounts a ON a.id = p.account WHERE p.num = ?`, num); err != nil || suspended == 1 {
			return cmp.Or(err, sandlot.ErrSuspended)
		}
		if err := t.purge(num); err != nil {
			return err
		}
		return t.Run(newEntry(e))
	})
	if err == nil {
		store.db.engine.Wipe()
	}
	return in("delete project for good", err)
}

// purge ends the time in which a project could be taken back.
func (t *tx) purge(num int64) error {
	at, err := t.number("DELETE FROM trash WHERE project = ? RETURNING at", num)
	if err != nil {
		return err
	}
	return t.Run(
		do(`UPDATE projects SET changed = changed + 1, title = '', description = '', tags = '', primary_file = '', wrapper = ''
			WHERE num = ?`, num),
		do("INSERT INTO removals (project, at) VALUES (?, ?)", num, at),
	)
}

func (store TrashStore) Trashed(ctx context.Context, q publish.TrashQuery) ([]publish.Trashed, error) {
	query, args := selectTrashed+"p.id = ? LIMIT ?", []any{string(q.Project), q.Limit}
	if q.Project == "" {
		before := int64(math.MaxInt64)
		if q.Before != 0 {
			before = q.Before
		}
		query, args = selectTrashed+"t.account = ? AND p.seq < ? ORDER BY p.seq DESC LIMIT ?", []any{q.Account, before, q.Limit}
	}
	return all(ctx, store.db, scanTrashed, query, args...)
}

// emptyTrash moves projects that were deleted long enough ago to removals, except for suspended ones.
func (s *sweep) emptyTrash(now time.Time) error {
	before := micros(now.Add(-publish.TrashKept))
	const due = `SELECT t.project FROM trash t JOIN projects p ON p.num = t.project JOIN accounts a ON a.id = t.account
		WHERE t.at <= ? AND p.suspended_at IS NULL AND a.suspended_at IS NULL`
	for s.left > 0 {
		num, err := s.next(due+" ORDER BY t.at LIMIT ?", before)
		if errors.Is(err, sandlot.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.lockOwnerOf(num); err != nil {
			return err
		}
		// Its owner may have taken it back meanwhile, or the operator taken it down.
		if _, err = s.number(due+" AND t.project = ?", before, num); err == nil {
			err = s.purge(num)
		}
		if err != nil && !errors.Is(err, sandlot.ErrNotFound) {
			return err
		}
		s.left--
	}
	return nil
}

// purgeProjects is removeProjects for the trash of a deleted account.
func (s *sweep) purgeProjects(account, after, last int64) error {
	list, err := all(context.Background(), s, scanValue[int64],
		`SELECT t.project FROM trash t JOIN projects p ON p.num = t.project
			WHERE t.account = ? AND p.seq > ? AND p.seq <= ?`, account, after, last)
	for _, num := range list {
		if err == nil {
			err = s.purge(num)
		}
	}
	return err
}
