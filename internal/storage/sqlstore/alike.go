package sqlstore

import (
	"errors"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// selectAlike looks at the last 30 changes of an account's projects alone: a publish pays for it.
const selectAlike = `SELECT p.id, p.version, p.title, p.primary_file, b.id IS NOT NULL, p.created_at FROM projects p
	LEFT JOIN files f ON f.project = p.num AND f.until = 9223372036854775807 AND f.folded = ?
	LEFT JOIN blobs b ON b.id = f.blob AND b.sha256 = ?
	WHERE p.account = ? AND p.seq > (SELECT seq FROM accounts WHERE id = ?) - 30 AND p.created_at BETWEEN ? AND ? AND p.deleted_at IS NULL AND p.suspended_at IS NULL
	AND p.id <> ? AND (p.title = ? AND p.title <> '' OR b.id IS NOT NULL) ORDER BY p.seq DESC LIMIT 1`

func alikeArgs(id sandlot.AccountID, l publish.Likeness) []any {
	return []any{l.Page, l.SHA256[:], id, id, micros(l.From), micros(l.Until), string(l.Not), l.Title}
}

func scanAlike(r row) (a publish.Alike, err error) {
	err = r.Scan(&a.ID, &a.Version, &a.Title, &a.Primary, &a.SamePage, asTime{&a.CreatedAt})
	return a, err
}

// noneIs makes no row no error.
func noneIs(err error) error {
	if errors.Is(err, sandlot.ErrNotFound) {
		return nil
	}
	return err
}
