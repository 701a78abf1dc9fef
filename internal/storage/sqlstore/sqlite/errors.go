package sqlite

import (
	"database/sql"
	"errors"
	"fmt"

	sqlite3 "modernc.org/sqlite/lib"

	"sandlot"
)

// coded is an error with a result code of SQLite, the extended one.
// https://www.sqlite.org/rescode.html lists them.
type coded interface {
	error
	Code() int
}

// code returns the extended result code in err, 0 if there is none.
func code(err error) int {
	var c coded
	if errors.As(err, &c) {
		return c.Code()
	}
	return 0
}

// Classify adds to an error of the database its meaning for the domain. Other errors are faults of this program, and
// come back unchanged.
func Classify(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, sql.ErrNoRows) {
		return sandlot.ErrNotFound
	}
	kind := kindOf(code(err))
	if kind == nil {
		return err
	}
	return fmt.Errorf("%w: %w", kind, err)
}

func kindOf(code int) error {
	switch code {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return sandlot.ErrExists
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return sandlot.ErrNotFound // a new record refers to a missing one
	case sqlite3.SQLITE_IOERR_SHMSIZE:
		return sandlot.ErrFull // no room for the index of the log
	}
	switch code & 0xff {
	case sqlite3.SQLITE_FULL:
		return sandlot.ErrFull
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return sandlot.ErrCorrupt
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM,
		sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_PROTOCOL:
		return sandlot.ErrUnavailable
	}
	return nil
}

// lostSync reports whether a commit failed in a way after which no later commit can be trusted. After a write to the
// log that failed, for a quota for example, one can: the partial write has no commit behind it, and the next begins
// at the same place.
func lostSync(err error) bool {
	switch c := code(err); c {
	case sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_WRITE:
		return false
	default:
		return c&0xff == sqlite3.SQLITE_IOERR
	}
}

// unwritten reports whether a commit failed before its last frame was in the log, without which a crash finds nothing
// of it: that frame is written last. When there is no room for the index, all frames are there.
func unwritten(err error) bool {
	c := code(err)
	return c == sqlite3.SQLITE_IOERR_WRITE || c&0xff == sqlite3.SQLITE_FULL
}

func in(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
