package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"

	"sandlot/internal/redis"
	"sandlot/internal/sqlstore"
	"sandlot/internal/sqlstore/postgres"
)

// storage is where the service keeps everything: in a folder, or in parts that several
// nodes share.
type storage struct {
	Data        string `default:"./data" type:"path" placeholder:"FOLDER" help:"Folder for the database, files, and unsent mail. (default: ${default})"`
	DatabaseURL string `name:"database-url" placeholder:"URL" secret:"" help:"PostgreSQL database for the records, as postgres://user:password@host:5432/name; several nodes can share it. (default: SQLite in the data folder)"`
	RedisURL    string `name:"redis-url" placeholder:"URL" secret:"" help:"Redis or Valkey server through which nodes share who is playing, as redis://user:password@host:6379/0. (default: each node counts its own)"`
}

// What is in a data folder.
const (
	databaseName = "sandlot.db"
	blobsName    = "blobs"
	mailName     = "mail"
)

// check refuses addresses that cannot be meant. It asks nobody.
func (s storage) check() error {
	if s.DatabaseURL != "" {
		if err := postgres.CheckURL(s.DatabaseURL); err != nil {
			return fmt.Errorf("--database-url: %w", err)
		}
	}
	if s.RedisURL != "" {
		if _, err := redis.ParseURL(s.RedisURL); err != nil {
			return fmt.Errorf("--redis-url: %w", err)
		}
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

// share connects to the server through which nodes tell each other what changes quickly;
// nil is none. It asks nobody: a server that is down is no reason not to start.
func (s storage) share(ctx context.Context, db *sqlstore.DB, log *slog.Logger) (*redis.Client, error) {
	if s.RedisURL == "" {
		return nil, nil
	}
	at, err := redis.ParseURL(s.RedisURL)
	if err != nil {
		return nil, fmt.Errorf("--redis-url: %w", err)
	}
	fresh := make([]byte, 32)
	rand.Read(fresh)
	// The server is to know neither players nor addresses: it gets hashes under a secret that all nodes have.
	secret, err := db.Publish().Secret(ctx, "redis", fresh)
	if err != nil {
		return nil, err
	}
	return redis.Open(at, secret, log), nil
}
