package sqlstore

import (
	"context"
	"strings"

	"sandlot"
)

// selectHowMany counts the projects that selectWaiting lists.
var selectHowMany = "SELECT count(*) FROM (" + strings.TrimSuffix(selectWaiting, "LIMIT ? OFFSET ?") + ") x"

func (store Desk) Waiting(ctx context.Context) (int, error) {
	n, err := one(ctx, store.db, scanValue[int], selectHowMany)
	return n, in("count the desk's queue", err)
}

func (store Desk) Screenshot(ctx context.Context, id sandlot.ProjectID) (sandlot.PictureID, sandlot.Blob, error) {
	type shot struct {
		picture sandlot.PictureID
		blob    sandlot.Blob
	}
	s, err := one(ctx, store.db, fields(func(s *shot) []any {
		return []any{&s.picture, &s.blob.ID, &s.blob.Ref, &s.blob.Size, asDigest{&s.blob.SHA256}, &s.blob.Text}
	}), `SELECT c.shot, b.id, coalesce(b.ref, ''), b.size, b.sha256, b.is_text FROM projects p JOIN covers c ON c.project = p.num
		JOIN picture_sizes s ON s.picture = c.shot AND s.width = 640 JOIN blobs b ON b.id = s.blob WHERE p.id = ?`, string(id))
	return s.picture, s.blob, in("read screenshot", err)
}
