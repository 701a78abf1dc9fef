package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"sandlot"
	"sandlot/internal/storage/blob"
	"sandlot/internal/storage/blob/cache"
	"sandlot/internal/storage/blob/measured"
	"sandlot/internal/storage/blob/s3"
	"sandlot/internal/storage/datafolder"
	"sandlot/internal/storage/redis"
	"sandlot/internal/storage/sqlstore"
	"sandlot/internal/storage/sqlstore/postgres"
)

// storage holds the places of the service's data: a folder, or stores that several nodes share.
type storage struct {
	Data        string `default:"./data" type:"path" placeholder:"FOLDER" help:"Folder for the database, files, and unsent mail."`
	DatabaseURL string `name:"database-url" placeholder:"URL" secret:"" help:"PostgreSQL, postgres://user:pass@host/db. (default: SQLite)"`
	BlobURL     string `name:"blob-url" placeholder:"URL" help:"Bucket, s3://BUCKET/PREFIX?endpoint=URL&region=R. (default: --data)"`
	RedisURL    string `name:"redis-url" placeholder:"URL" secret:"" help:"Redis for many nodes, redis://user:pass@host. (default: none)"`

	variables func(name string) (string, bool) // nil: those of the process
}

// Names in a data folder.
const (
	databaseName = "sandlot.db"
	blobsName    = "blobs"
	cacheName    = "cache" // of files from another store
	mailName     = "mail"
)

// blobs are the stored bytes, in any store.
type blobs interface {
	sandlot.Blobs
	io.Closer
}

// elsewhere reports whether the data folder holds only replaceable data.
func (s storage) elsewhere() bool { return s.DatabaseURL != "" && s.BlobURL != "" }

// String returns the places of all data for people, without a password.
func (s storage) String() string {
	var parts []string
	if u, err := url.Parse(s.DatabaseURL); err == nil && s.DatabaseURL != "" {
		parts = append(parts, (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String())
	}
	if at, err := s3.ParseURL(s.BlobURL); err == nil && s.BlobURL != "" {
		parts = append(parts, at.String())
	}
	if !s.elsewhere() {
		parts = append(parts, s.Data)
	}
	return strings.Join(parts, " and ")
}

// AfterApply is called by the parser.
func (s *storage) AfterApply(t *terminal) error {
	s.variables = t.lookup
	return nil
}

// access returns the credentials for the bucket.
func (s storage) access() (s3.Access, error) {
	lookup := s.variables
	if lookup == nil {
		lookup = os.LookupEnv
	}
	a, err := s3.ReadAccess(lookup)
	if err != nil {
		return a, fmt.Errorf("--blob-url: %w", err)
	}
	return a, nil
}

// check refuses malformed addresses. It contacts no server.
func (s storage) check() error {
	if s.DatabaseURL != "" {
		if err := postgres.CheckURL(s.DatabaseURL); err != nil {
			return fmt.Errorf("--database-url: %w", err)
		}
	}
	if s.BlobURL != "" {
		if _, err := s3.ParseURL(s.BlobURL); err != nil {
			return fmt.Errorf("--blob-url: %w", err)
		}
		if _, err := s.access(); err != nil {
			return err
		}
	}
	if s.RedisURL != "" {
		if _, err := redis.ParseURL(s.RedisURL); err != nil {
			return fmt.Errorf("--redis-url: %w", err)
		}
	}
	return nil
}

// open opens the records for a server, and creates or upgrades them if necessary. cacheBytes is the size of SQLite's
// cache.
func (s storage) open(ctx context.Context, cacheBytes int) (*sqlstore.DB, error) {
	if err := s.finished(); err != nil {
		return nil, err
	}
	if s.DatabaseURL != "" {
		return sqlstore.OpenPostgres(ctx, s.DatabaseURL, postgres.Options{})
	}
	return sqlstore.OpenSQLite(ctx, filepath.Join(s.Data, databaseName), sqlstore.Options{CacheBytes: cacheBytes})
}

// unfinishedName is the file in a data folder that a move fills; it names the source.
const unfinishedName = "unfinished"

// finished refuses a data folder that a move has not filled.
func (s storage) finished() error {
	from, err := os.ReadFile(filepath.Join(s.Data, unfinishedName))
	if err != nil || s.Data == "" {
		return nil
	}
	return fmt.Errorf("%s is being filled from %s and is not complete: run \"sandlot move\" again to its end", s.Data, from)
}

// records opens existing records, and creates none.
func (s storage) records(ctx context.Context) (*sqlstore.DB, error) {
	return s.existingRecords(ctx, false)
}

// existingRecords opens existing records; alone refuses a database on a server that others use.
func (s storage) existingRecords(ctx context.Context, alone bool) (*sqlstore.DB, error) {
	if err := s.finished(); err != nil {
		return nil, err
	}
	if s.DatabaseURL != "" {
		return sqlstore.OpenPostgres(ctx, s.DatabaseURL, postgres.Options{Existing: true, Alone: alone})
	}
	db, err := sqlstore.OpenSQLite(ctx, filepath.Join(s.Data, databaseName), sqlstore.Options{Existing: true})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is not a Sandlot data folder: no sandlot.db in it (choose another with --data)", s.Data)
	}
	return db, err
}

// evenFull is records for a command that frees space or protects people, on a full disk too: without a server SQLite
// makes files of its own.
func (s storage) evenFull(ctx context.Context) (db *sqlstore.DB, err error) {
	err = sandlot.EvenFull(s.spend(), func() error {
		db, err = s.records(ctx)
		return err
	})
	return db, err
}

// spend returns the function that frees the whole reserve on the disk of the records; nil: there is none.
func (s storage) spend() func() {
	if s.DatabaseURL != "" {
		return nil
	}
	return datafolder.ReserveOf(s.Data).SpendAll
}

// share connects to the server with the short-lived state that nodes share; nil: none. It does not contact the server:
// a start must not depend on it.
func (s storage) share(ctx context.Context, db *sqlstore.DB, log *slog.Logger) (*redis.Client, error) {
	if s.RedisURL == "" {
		return nil, nil
	}
	at, err := redis.ParseURL(s.RedisURL)
	if err != nil {
		return nil, fmt.Errorf("--redis-url: %w", err)
	}
	// The server must learn neither players nor addresses: it gets hashes under a secret that all nodes have.
	secret, err := installation(ctx, db, "redis")
	if err != nil {
		return nil, err
	}
	return redis.Open(at, secret, log), nil
}

// installation returns the secret of that name that all nodes of an installation share.
func installation(ctx context.Context, db *sqlstore.DB, name string) ([]byte, error) {
	fresh := make([]byte, 32)
	rand.Read(fresh)
	return db.Publish().Secret(ctx, name, fresh)
}

// files opens the bytes for a server.
func (s storage) files(ctx context.Context, db *sqlstore.DB, room size, m *measured.Meters) (blobs, error) {
	return s.opened(ctx, db, blob.Options{Alone: true}, cache.Options{Folder: filepath.Join(s.Data, cacheName), Bytes: int64(room)}, m)
}

// opened opens the bytes: the folder, or the bucket behind its cache. Calls of either are measured.
func (s storage) opened(ctx context.Context, db *sqlstore.DB, folder blob.Options, before cache.Options, m *measured.Meters) (blobs, error) {
	if s.BlobURL == "" {
		b, err := blob.OpenDisk(filepath.Join(s.Data, blobsName), folder)
		if err != nil {
			return nil, fmt.Errorf("the folder of files cannot be used: %w", err)
		}
		return measured.Disk{Disk: b, Meters: m}, nil
	}
	id, err := installation(ctx, db, "instance")
	if err != nil {
		return nil, err
	}
	store, err := s.bucket(ctx, s3.Options{Instance: hex.EncodeToString(id)})
	if err != nil {
		return nil, err
	}
	return cached{cache.New(measured.Store{Store: store, Meters: m}, before), store}, nil
}

func (s storage) bucket(ctx context.Context, opts s3.Options) (*s3.Store, error) {
	at, err := s3.ParseURL(s.BlobURL)
	if err != nil {
		return nil, fmt.Errorf("--blob-url: %w", err)
	}
	access, err := s.access()
	if err != nil {
		return nil, err
	}
	return s3.Open(ctx, at, access, opts)
}

// cached are the bytes of a store with a cache in front of it.
type cached struct {
	*cache.Blobs
	store io.Closer
}

// Close closes both.
func (c cached) Close() error { return errors.Join(c.Blobs.Close(), c.store.Close()) }
