package testworld

import (
	"context"
	"database/sql"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/storage/blob"
	"sandlot/internal/storage/blob/cache"
	"sandlot/internal/storage/blob/s3"
	"sandlot/internal/storage/live"
	liveredis "sandlot/internal/storage/live/redis"
	"sandlot/internal/storage/redis"
	"sandlot/internal/storage/sqlstore"
	"sandlot/internal/storage/sqlstore/postgres"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/redistest"
	"sandlot/internal/testkit/testenv"
)

// Sets are the parts that an installation can keep everything in, by name: what holds of one has to hold of each.
var Sets = map[string]Option{"embedded": Embedded(), "full": Full()}

// Embedded keeps the records in SQLite and the blobs in a folder, as a world does of which nothing else is said.
func Embedded() Option { return func(w *World) { w.newSet = newEmbedded } }

// Full keeps the records in PostgreSQL and the blobs in an S3-compatible store behind a cache, and counts players through Redis. Without
// the servers it ends the test as testenv.Skip does.
func Full() Option { return func(w *World) { w.newSet = newFull } }

// A set is what worlds keep everything in.
type set interface {
	openRecords(ctx context.Context, now func() time.Time) (*sqlstore.DB, error)
	openBlobs(w *World) sandlot.Blobs
	openLive(w *World) gallery.Live

	// beside is a connection beside the store's, and dialect how it is asked.
	beside() (*sql.DB, error)
	dialect() dialect
	// countBlobs counts what is stored, unfinished blobs included where they can be seen.
	countBlobs(t testing.TB, stored sandlot.Blobs) int
}

// embedded is SQLite and a folder.
type embedded struct {
	dir  string     // has sandlot.db
	disk *blob.Disk // nil until it is opened
}

func newEmbedded(w *World) set {
	e := &embedded{dir: testenv.MemoryDir(w.t)}
	EmptyDatabase.Lay(w.t, e.database())
	return e
}

func (e *embedded) database() string { return filepath.Join(e.dir, "sandlot.db") }

func (e *embedded) openRecords(ctx context.Context, now func() time.Time) (*sqlstore.DB, error) {
	return sqlstore.OpenSQLite(ctx, e.database(), sqlstore.Options{Now: now, CacheBytes: testenv.DatabaseCache})
}

func (e *embedded) openBlobs(w *World) sandlot.Blobs {
	w.Dir = e.dir
	if e.disk == nil {
		var err error
		if e.disk, err = blob.OpenDisk(filepath.Join(e.dir, "blobs"), blob.Options{Alone: true}); err != nil {
			w.t.Fatal(err)
		}
		w.t.Cleanup(func() { e.disk.Close() })
	}
	w.Disk = e.disk
	return e.disk
}

func (*embedded) openLive(*World) gallery.Live { return live.NewMemory(live.Limits{}) }

func (e *embedded) beside() (*sql.DB, error) { return sql.Open("sqlite", "file:"+e.database()) }

// snapshot copies the present records, and returns a function that makes sets of them, with the same blobs.
func (e *embedded) snapshot(t testing.TB, db *sqlstore.DB) (lay func(t testing.TB) set) {
	path := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
	expect.OK(t, db.CopyTo(t.Context(), path))
	data, err := os.ReadFile(path)
	expect.OK(t, err)
	return func(t testing.TB) set {
		copied := &embedded{dir: testenv.MemoryDir(t), disk: e.disk}
		expect.OK(t, os.WriteFile(copied.database(), data, 0o600))
		return copied
	}
}

// countBlobs counts those of this folder alone.
func (e *embedded) countBlobs(t testing.TB, _ sandlot.Blobs) int {
	return filesIn(t, filepath.Join(e.dir, "blobs"))
}

// full is PostgreSQL, a bucket behind a cache, and Redis.
type full struct {
	url    string // of the database
	bucket testenv.Bucket
	redis  string
}

// EmptyServer is a database on a PostgreSQL server with its tables.
var EmptyServer = testenv.PostgresTemplate{Make: func(url string) error {
	db, err := sqlstore.OpenPostgres(context.Background(), url, postgres.Options{})
	if err != nil {
		return err
	}
	return db.Close()
}}

func newFull(w *World) set {
	return &full{url: EmptyServer.Postgres(w.t), bucket: testenv.S3(w.t), redis: redistest.Database(w.t)}
}

func (f *full) openRecords(ctx context.Context, now func() time.Time) (*sqlstore.DB, error) {
	return sqlstore.OpenPostgres(ctx, f.url, postgres.Options{Now: now, Connections: 4})
}

// openBlobs opens the bucket as it is: to write its marker takes seconds.
func (f *full) openBlobs(w *World) sandlot.Blobs {
	w.Dir = testenv.MemoryDir(w.t)
	at := s3.Config{Bucket: f.bucket.Name, Prefix: "world", Endpoint: f.bucket.Endpoint, Region: f.bucket.Region, PathStyle: true}
	store, err := s3.Open(w.t.Context(), at, s3.Access{Key: f.bucket.Key, Secret: f.bucket.Secret}, s3.Options{Existing: true})
	expect.OK(w.t, err)
	blobs := cache.New(store, cache.Options{Folder: filepath.Join(w.Dir, "cache"), Bytes: 16 << 20})
	w.t.Cleanup(func() {
		expect.OK(w.t, blobs.Close())
		expect.OK(w.t, store.Close())
	})
	return blobs
}

func (f *full) openLive(w *World) gallery.Live {
	at, err := redis.ParseURL(f.redis)
	expect.OK(w.t, err)
	client := redis.Open(at, []byte("the world's secret"), slog.New(slog.DiscardHandler))
	players := liveredis.New(client, live.Limits{}, w.now)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); players.Run(ctx) }()
	w.t.Cleanup(func() {
		cancel()
		<-done
		expect.OK(w.t, client.Close())
	})
	return players
}

func (f *full) beside() (*sql.DB, error) { return sql.Open("pgx", f.url) }

func (f *full) countBlobs(t testing.TB, stored sandlot.Blobs) (n int) {
	for _, err := range stored.List(context.Background(), time.Now().Add(24*time.Hour)) {
		expect.OK(t, err)
		n++
	}
	return n
}
