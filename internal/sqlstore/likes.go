package sqlstore

import (
	"context"

	"sandlot/internal/publish"
)

// Like implements publish.LikeStore.
func (db *DB) Like(ctx context.Context, id publish.ProjectID, by publish.Liker) (int64, error) {
	likes, err := db.changeLikes(ctx, id, func(t *tx, project int64) (int64, error) {
		n, err := t.exec("INSERT INTO likes (project, visitor, today) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", project, by.Visitor[:], by.Today[:])
		if err != nil || n > 0 {
			return n, err
		}
		// It is theirs already. If it was under another token, which the browser has lost, it goes on under this one.
		_, err = t.exec("UPDATE OR IGNORE likes SET visitor = ? WHERE project = ? AND today = ?", by.Visitor[:], project, by.Today[:])
		return 0, err
	})
	return likes, in("like", err)
}

// Unlike implements publish.LikeStore.
func (db *DB) Unlike(ctx context.Context, id publish.ProjectID, by publish.Liker) (int64, error) {
	likes, err := db.changeLikes(ctx, id, func(t *tx, project int64) (int64, error) {
		n, err := t.exec("DELETE FROM likes WHERE project = ? AND visitor = ?", project, by.Visitor[:])
		if err != nil || n > 0 {
			return -n, err
		}
		n, err = t.exec("DELETE FROM likes WHERE project = ? AND today = ?", project, by.Today[:])
		return -n, err
	})
	return likes, in("unlike", err)
}

// changeLikes keeps the project's count with its likes: change tells by how much.
func (db *DB) changeLikes(ctx context.Context, id publish.ProjectID, change func(t *tx, project int64) (int64, error)) (likes int64, err error) {
	err = db.step(ctx, 0, func(t *tx) error {
		project, err := t.number("SELECT num FROM projects WHERE id = ? AND deleted_at IS NULL", string(id))
		if err != nil {
			return err
		}
		by, err := change(t, project)
		if err != nil {
			return err
		}
		likes, err = t.number("UPDATE projects SET likes = likes + ? WHERE num = ? RETURNING likes", by, project)
		return err
	})
	return likes, err
}

// Liked implements publish.LikeStore.
func (db *DB) Liked(ctx context.Context, id publish.ProjectID, by publish.Liker) (bool, error) {
	liked, err := one(ctx, db, scanValue[bool], `
		SELECT EXISTS (SELECT 1 FROM likes l WHERE l.project = p.num AND l.visitor = ?) OR EXISTS (SELECT 1 FROM likes l WHERE l.project = p.num AND l.today = ?)
		FROM projects p WHERE p.id = ? AND p.deleted_at IS NULL`, by.Visitor[:], by.Today[:], string(id))
	return liked, in("read like", err)
}
