package sqlstore

import (
	"context"
	"errors"

	"sandlot/internal/storage/sqlstore/engine"
)

// CopyTo writes a copy of the database, as one moment left it, into a new file of
// that name with mode 0600, and syncs it. Reads and writes go on meanwhile; the
// log grows with what is written. The salts of days, which nobody is to have after them,
// and the loads by them are not in it. If it fails, the file is removed. No room is
// sandlot.ErrFull. The copy is one of SQLite, whatever the database is.
func (db *DB) CopyTo(ctx context.Context, path string) error {
	err := db.engine.CopyTo(ctx, path, func(t engine.Tx) error {
		return forgetDays(&tx{Tx: t, dialect: db.dialect})
	})
	if errors.Is(err, errors.ErrUnsupported) {
		return db.copyRows(ctx, path, forgetDays)
	}
	return err
}

// forgetDays deletes the salts of days, and the loads by them.
func forgetDays(t *tx) error {
	return t.Run(
		do("DELETE FROM day_salts"),
		do("DELETE FROM loads"),
	)
}
