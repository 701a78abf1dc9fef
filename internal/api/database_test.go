package api

import (
	"context"

	"sandlot/internal/sqlstore"
	"sandlot/internal/testenv"
)

// emptyDatabase is a database with its tables.
var emptyDatabase = testenv.Template{Make: func(path string) error {
	db, err := sqlstore.OpenSQLite(context.Background(), path, sqlstore.Options{})
	if err != nil {
		return err
	}
	return db.Close()
}}
