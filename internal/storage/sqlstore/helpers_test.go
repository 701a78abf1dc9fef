package sqlstore

import (
	"fmt"

	"sandlot/internal/storage/sqlstore/postgres"
	"sandlot/internal/storage/sqlstore/sqlite"
)

// fault is an error of the database.
type fault int

func (f fault) Error() string { return fmt.Sprintf("fault %d", int(f)) }
func (f fault) Code() int     { return int(f) }

// second is the error of a step, without what else it returns.
func second[T any](_ T, err error) error { return err }

// onPostgres reports whether a database is on a server.
func onPostgres(db *DB) bool {
	_, yes := db.engine.(*postgres.Engine)
	return yes
}

// onSQLite is the engine of a database that is SQLite.
func onSQLite(db *DB) *sqlite.Engine { return db.engine.(*sqlite.Engine) }
