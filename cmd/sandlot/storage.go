package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"sandlot/internal/sqlstore"
)

// storage is where the service keeps everything.
type storage struct {
	Data string `default:"./data" type:"path" placeholder:"FOLDER" help:"Folder for the database, files, and unsent mail. (default: ${default})"`
}

// What is in a data folder.
const (
	databaseName = "sandlot.db"
	blobsName    = "blobs"
	mailName     = "mail"
)

// records opens the records that are there, and nothing else.
func (s storage) records(ctx context.Context) (*sqlstore.DB, error) {
	db, err := sqlstore.OpenSQLite(ctx, filepath.Join(s.Data, databaseName), sqlstore.Options{Existing: true})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is not a Sandlot data folder: no sandlot.db in it (choose another with --data)", s.Data)
	}
	return db, err
}
