package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"sandlot/internal/sqlstore"
	"sandlot/internal/sqlstore/postgres"
)

// storage is where the service keeps everything: in a folder, or in parts that several
// nodes share.
type storage struct {
	Data        string `default:"./data" type:"path" placeholder:"FOLDER" help:"Folder for the database, files, and unsent mail. (default: ${default})"`
	DatabaseURL string `name:"database-url" placeholder:"URL" secret:"" help:"PostgreSQL database for the records, as postgres://user:password@host:5432/name; several nodes can share it. (default: SQLite in the data folder)"`
}

// What is in a data folder.
const (
	databaseName = "sandlot.db"
	blobsName    = "blobs"
	mailName     = "mail"
)

// check refuses addresses that cannot be meant. It asks nobody.
func (s storage) check() error {
	if s.DatabaseURL == "" {
		return nil
	}
	if err := postgres.CheckURL(s.DatabaseURL); err != nil {
		return fmt.Errorf("--database-url: %w", err)
	}
	return nil
}

// open opens the records for a server, which are made or brought up to date where that
// is to be done. SQLite caches so many bytes of them.
func (s storage) open(ctx context.Context, cacheBytes int) (*sqlstore.DB, error) {
	if s.DatabaseURL != "" {
		return sqlstore.OpenPostgres(ctx, s.DatabaseURL, postgres.Options{})
	}
	return sqlstore.OpenSQLite(ctx, filepath.Join(s.Data, databaseName), sqlstore.Options{CacheBytes: cacheBytes})
}

// records opens the records that are there, and nothing else.
func (s storage) records(ctx context.Context) (*sqlstore.DB, error) {
	if s.DatabaseURL != "" {
		return sqlstore.OpenPostgres(ctx, s.DatabaseURL, postgres.Options{Existing: true})
	}
	db, err := sqlstore.OpenSQLite(ctx, filepath.Join(s.Data, databaseName), sqlstore.Options{Existing: true})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is not a Sandlot data folder: no sandlot.db in it (choose another with --data)", s.Data)
	}
	return db, err
}
