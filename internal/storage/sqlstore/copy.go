package sqlstore

import (
	"context"
	"errors"

	"sandlot/internal/storage/sqlstore/engine"
)

// CopyTo writes a copy of the database, as one moment left it, into a new file of
// that name with mode 0600, and syncs it. Reads and writes go on meanwhile; the
// log grows with what is written. A version that was being recorded in steps is not
// in it, nor are the blobs that came with it: those of a draft that is refused are
// deleted at once. Nor are the salts of days, which nobody is to have after them, and
// the loads by them. If it fails, the file is removed. No room is sandlot.ErrFull. The copy is one of SQLite, whatever the database
// is.
func (db *DB) CopyTo(ctx context.Context, path string) error {
	err := db.engine.CopyTo(ctx, path, func(t engine.Tx) error {
		return (&tx{Tx: t, dialect: db.dialect}).takeDrafts(ctx)
	})
	if errors.Is(err, errors.ErrUnsupported) {
		return db.copyRows(ctx, path, func(t *tx) error { return t.takeDrafts(ctx) })
	}
	return err
}

// takeDrafts deletes drafts with their files, and of those the blobs that are nothing
// else. One that has variants was there before.
func (t *tx) takeDrafts(ctx context.Context) error {
	put, err := all(ctx, t, scanValue[int64],
		"SELECT f.blob FROM drafts d JOIN projects p ON p.num = d.project JOIN files f ON f.project = d.project AND (p.version = 0 OR f.until = 9223372036854775807 AND f.since = d.n)")
	if err != nil {
		return err
	}
	const (
		ofDrafts = "project IN (SELECT project FROM drafts) AND "
		ofUnborn = "project IN (SELECT d.project FROM drafts d JOIN projects p ON p.num = d.project WHERE p.version = 0)"
	)
	for _, query := range []string{
		"DELETE FROM files WHERE " + ofUnborn,
		"DELETE FROM versions WHERE " + ofUnborn,
		"DELETE FROM files WHERE " + ofDrafts + "until = 9223372036854775807 AND since = (SELECT n FROM drafts d WHERE d.project = files.project)",
		"UPDATE files SET until = 9223372036854775807 WHERE " + ofDrafts + "until = (SELECT n FROM drafts d WHERE d.project = files.project)",
		"DELETE FROM drafts",
		"DELETE FROM day_salts",
		"DELETE FROM loads",
	} {
		if _, err := t.exec(query); err != nil {
			return err
		}
	}
	gone, err := all(ctx, t, scanValue[int64], "SELECT b.id FROM blobs b WHERE "+t.amongNumbers("b.id")+`
		AND NOT EXISTS (SELECT 1 FROM files f WHERE f.blob = b.id) AND NOT EXISTS (SELECT 1 FROM upload_parts p WHERE p.blob = b.id)
		AND NOT EXISTS (SELECT 1 FROM variants v WHERE v.blob = b.id) AND NOT EXISTS (SELECT 1 FROM variants v WHERE v.variant = b.id)`, engine.List(put))
	if err != nil {
		return err
	}
	for _, do := range []struct {
		query string
		ids   []int64
	}{
		{"UPDATE blobs SET loose = 1 WHERE " + t.amongNumbers("id"), put}, // others are Sweep's to look at
		{"DELETE FROM contents WHERE " + t.amongNumbers("blob"), gone},
		{"DELETE FROM blobs WHERE " + t.amongNumbers("id"), gone},
	} {
		if _, err := t.exec(do.query, engine.List(do.ids)); err != nil {
			return err
		}
	}
	return nil
}
