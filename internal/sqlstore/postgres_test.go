package sqlstore

import (
	"context"
	"errors"

	"sandlot/internal/sqlstore/postgres"
	"sandlot/internal/testenv"
)

// serverTemplate is a database on the server that fill has filled.
func serverTemplate(fill func(*DB) error) *testenv.PostgresTemplate {
	return &testenv.PostgresTemplate{Make: func(url string) error {
		db, err := OpenPostgres(context.Background(), url, postgres.Options{})
		if err != nil {
			return err
		}
		return errors.Join(fill(db), db.Close())
	}}
}

// emptyServer is a database with its tables.
var emptyServer = serverTemplate(func(*DB) error { return nil })
