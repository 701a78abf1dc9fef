package sqlite

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"sandlot/internal/storage/sqlstore/engine"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// emptyDatabase is a database with its tables.
var emptyDatabase = testenv.Template{Make: func(path string) error {
	db, err := Open(context.Background(), path, Options{})
	if err != nil {
		return err
	}
	return db.Close()
}}

// mustOpen opens a database that is closed when the test ends.
func mustOpen(t testing.TB, path string) *Engine {
	t.Helper()
	emptyDatabase.Lay(t, path)
	db, err := Open(context.Background(), path, Options{})
	expect.OK(t, err)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func mustExec(t testing.TB, db *Engine, query string, args ...any) {
	t.Helper()
	err := db.Step(context.Background(), 0, func(tx engine.Tx) error {
		_, err := tx.Exec(query, args...)
		return err
	})
	expect.OK(t, err)
}

// fault is an error of the database.
type fault int

func (f fault) Error() string { return fmt.Sprintf("fault %d", int(f)) }
func (f fault) Code() int     { return int(f) }

var errOwn = errors.New("a step's own error")
