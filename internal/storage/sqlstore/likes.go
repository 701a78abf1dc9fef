package sqlstore

import (
	"context"
	"errors"

	"sandlot"
)

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
func (store Gallery) changeLikes(ctx context.Context, id sandlot.ProjectID, change func(t *tx, project int64) (int64, error)) (likes int64, err error) {
	err = store.db.step(ctx, 0, func(t *tx) error {
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
