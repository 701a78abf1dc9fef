package publish_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"log/slog"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sandlot/internal/blob"
	"sandlot/internal/live"
	"sandlot/internal/publish"
	"sandlot/internal/sqlstore"
	"sandlot/internal/testenv"
)

const (
	address = "ada@example.org"
	page    = "<!doctype html><title>Space Cats</title><p>meow"
	// inlineMax is small in these tests, so that both ways of keeping bytes are taken.
	inlineMax = 100
)

// large is a page that is not kept inline.
var large = page + strings.Repeat(" meow", inlineMax)

// world is a Service on the embedded default, with its hands on everything.
type world struct {
	*publish.Service
	t     *testing.T
	db    *sqlstore.DB
	store *faultyStore
	blobs *faultyBlobs
	clock *clock
	dir   string
	logs  *strings.Builder
}

// clock is a time that tests set.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// emptyDatabase is a database with its tables.
var emptyDatabase = testenv.Template{Make: func(path string) error {
	db, err := sqlstore.OpenSQLite(context.Background(), path, sqlstore.Options{})
	if err != nil {
		return err
	}
	return db.Close()
}}

func newWorld(t *testing.T, change ...func(*publish.Config)) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), clock: &clock{at: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)}, logs: &strings.Builder{}}
	emptyDatabase.Lay(t, filepath.Join(w.dir, "sandlot.db"))
	var err error
	if w.db, err = sqlstore.OpenSQLite(t.Context(), filepath.Join(w.dir, "sandlot.db"), sqlstore.Options{Now: w.clock.now}); err != nil {
		t.Fatal(err)
	}
	disk, err := blob.OpenDisk(filepath.Join(w.dir, "blobs"), blob.Options{Alone: true})
	if err != nil {
		t.Fatal(err)
	}
	w.store, w.blobs = &faultyStore{Store: w.db}, &faultyBlobs{Blobs: disk}
	cfg := publish.Config{Places: local(), InlineMax: inlineMax, MailFolder: "./data/mail"}
	for _, c := range change {
		c(&cfg)
	}
	w.Service = w.open(cfg)
	t.Cleanup(func() {
		if err := w.db.Close(); err != nil {
			t.Error(err)
		}
		if publish.KeyPattern.MatchString(w.logs.String()) {
			t.Errorf("a key is in the log:\n%s", w.logs)
		}
	})
	return w
}

// open is a Service on the stores as they are, as after a restart.
func (w *world) open(cfg publish.Config) *publish.Service {
	w.t.Helper()
	return w.openOver(cfg, faultySite{w.db, w.store})
}

// openOver is open with another store for the website.
func (w *world) openOver(cfg publish.Config, site publish.SiteStore) *publish.Service {
	w.t.Helper()
	stores := publish.Stores{Store: w.store, Jobs: w.db, Site: site, Blobs: w.blobs, Live: live.NewMemory(live.Limits{})}
	s, err := publish.New(w.t.Context(), cfg, stores, slog.New(slog.NewTextHandler(w.logs, nil)), publish.WithClock(w.clock.now))
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func local() publish.Places {
	return publish.Places{Base: &url.URL{Scheme: "http", Host: "localhost:8080"}, Content: "localhost:8080", PathForm: true}
}

// stage is content as a transport hands it over.
func (w *world) stage(text string) publish.Content {
	w.t.Helper()
	return w.stageOn(w.Service, text)
}

// stageOn is content as a transport hands it over to another Service.
func (w *world) stageOn(s *publish.Service, text string) publish.Content {
	w.t.Helper()
	c, err := s.Stage(w.t.Context(), strings.NewReader(text))
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

var missing = publish.Content{Missing: true}

// caller is whoever presents the key.
func (w *world) caller(key publish.Secret) publish.Caller {
	w.t.Helper()
	by, err := w.Identify(w.t.Context(), key, publish.Sender{Network: "192.0.2.1"})
	if err != nil {
		w.t.Fatal(err)
	}
	return by
}

func nobody() publish.Caller { return publish.Caller{From: publish.Sender{Network: "192.0.2.1"}} }

// account is the caller with the key of a fresh account, without an address.
func (w *world) account() publish.Caller {
	w.t.Helper()
	out, err := w.Signup(w.t.Context(), publish.SignupInput{})
	if err != nil {
		w.t.Fatal(err)
	}
	return w.caller(out.Key)
}

// publish publishes a page.
func (w *world) publish(by publish.Caller, text string) publish.Published {
	w.t.Helper()
	in := publish.PublishInput{Content: w.stage(text)}
	if by.Nobody() {
		in.Email = address
	}
	out, pending, err := w.Publish(w.t.Context(), by, in)
	if err != nil || pending != nil {
		w.t.Fatalf("publish: %v, %v", pending, err)
	}
	return out
}

// put updates a file.
func (w *world) put(by publish.Caller, id publish.ProjectID, name, text string) publish.Updated {
	w.t.Helper()
	out, pending, err := w.Update(w.t.Context(), by, publish.UpdateInput{Project: string(id), Filename: name, Content: w.stage(text)})
	if err != nil || pending != nil {
		w.t.Fatalf("update: %v, %v", pending, err)
	}
	return out
}

// text is what a version has under a name, read as the content origin reads it.
func (w *world) text(id publish.ProjectID, version int, name string) string {
	w.t.Helper()
	files, err := w.Files(w.t.Context(), id, version)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, f := range files {
		if f.Name == name {
			return w.bytes(f.Blob)
		}
	}
	return "no " + name
}

func (w *world) bytes(b publish.Blob) string {
	w.t.Helper()
	r, err := w.Open(w.t.Context(), b, 0, -1)
	if err != nil {
		w.t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

func names(files []publish.File) (out []string) {
	for _, f := range files {
		out = append(out, f.Name)
	}
	return out
}

func codes(warnings []publish.Warning) (out []string) {
	for _, w := range warnings {
		out = append(out, w.Code)
	}
	return out
}

// refused checks that err is a refusal with this code, and returns it.
func refused(t *testing.T, err error, code publish.Code) *publish.Error {
	t.Helper()
	e := publish.AsError(err)
	if e == nil || e.Code != code {
		t.Fatalf("got %v, want %s", err, code)
	}
	if e.Message == "" || publish.KeyPattern.MatchString(fmt.Sprintf("%s %+v %+v", e.Message, e.Fix, e.Details)) {
		t.Errorf("the message is empty or tells a key: %q", e.Message)
	}
	return e
}

func same[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// kept is all that the service keeps: the rows of each table, and blobs.
func (w *world) kept() map[string]int {
	w.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(w.dir, "sandlot.db")+"?mode=ro")
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	out := map[string]int{"blobs on disk": w.onDisk()}
	rows, err := db.Query("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
	if err != nil {
		w.t.Fatal(err)
	}
	var tables []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			w.t.Fatal(err)
		}
		tables = append(tables, name)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil || len(tables) < 10 {
		w.t.Fatalf("tables %v, %v", tables, err)
	}
	for _, name := range tables {
		var n int
		if err := db.QueryRow("SELECT count(*) FROM " + name).Scan(&n); err != nil {
			w.t.Fatal(err)
		}
		out[name] = n
	}
	return out
}

// onDisk counts the files in the folder of blobs, unfinished ones included.
func (w *world) onDisk() (n int) {
	err := filepath.WalkDir(filepath.Join(w.dir, "blobs"), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			n++
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

// unchanged checks that what is done leaves nothing behind.
func (w *world) unchanged(t *testing.T, do func()) {
	t.Helper()
	before := w.kept()
	do()
	same(t, "what is kept", w.kept(), before)
}

// errPanic makes a step panic after it happened.
var errPanic = errors.New("panic")

// faultyStore fails a step before it happens, or after.
type faultyStore struct {
	publish.Store
	fault func(step string) (before, after error)
}

func (s *faultyStore) around(step string, do func() error) error {
	var before, after error
	if s.fault != nil {
		before, after = s.fault(step)
	}
	if before != nil {
		return before
	}
	if err := do(); err != nil {
		return err
	}
	if after == errPanic {
		panic(after)
	}
	return after
}

func (s *faultyStore) CreateProject(ctx context.Context, np publish.NewProject) (p publish.Project, err error) {
	err = s.around("CreateProject", func() error { p, err = s.Store.CreateProject(ctx, np); return err })
	return p, err
}

func (s *faultyStore) PutFile(ctx context.Context, id publish.ProjectID, f publish.File, at publish.Edit) (p publish.Project, err error) {
	err = s.around("PutFile", func() error { p, err = s.Store.PutFile(ctx, id, f, at); return err })
	return p, err
}

func (s *faultyStore) SaveUpload(ctx context.Context, u publish.Upload, part *publish.Part, within publish.UploadQuota) (g int64, err error) {
	err = s.around("SaveUpload", func() error { g, err = s.Store.SaveUpload(ctx, u, part, within); return err })
	return g, err
}

func (s *faultyStore) Project(ctx context.Context, id publish.ProjectID) (p publish.Project, err error) {
	err = s.around("Project", func() error { p, err = s.Store.Project(ctx, id); return err })
	return p, err
}

func (s *faultyStore) FilesNear(ctx context.Context, id publish.ProjectID, folded string) (f []publish.File, err error) {
	err = s.around("FilesNear", func() error { f, err = s.Store.FilesNear(ctx, id, folded); return err })
	return f, err
}

func (s *faultyStore) AddCounts(ctx context.Context, counts map[publish.ProjectID]publish.Counts) error {
	return s.around("AddCounts", func() error { return s.Store.AddCounts(ctx, counts) })
}

// faultySite fails a step of the website where its store does.
type faultySite struct {
	publish.SiteStore
	store *faultyStore
}

func (s faultySite) Rearrange(ctx context.Context, id publish.ProjectID, c publish.Change, at publish.Edit) (p publish.Project, err error) {
	err = s.store.around("Rearrange", func() error { p, err = s.SiteStore.Rearrange(ctx, id, c, at); return err })
	return p, err
}

// faultyBlobs fails a Put before anything is stored, or after.
type faultyBlobs struct {
	publish.Blobs
	before, after error
	delete        error
}

func (b *faultyBlobs) Put(ctx context.Context, ref publish.BlobRef, r io.Reader) (publish.Blob, error) {
	if b.before != nil {
		return publish.Blob{}, b.before
	}
	out, err := b.Blobs.Put(ctx, ref, r)
	if err == nil && b.after != nil {
		return publish.Blob{}, b.after
	}
	return out, err
}

func (b *faultyBlobs) Delete(ctx context.Context, ref publish.BlobRef) error {
	if b.delete != nil {
		return b.delete
	}
	return b.Blobs.Delete(ctx, ref)
}

// allBlobs lists by the test's clock, which is not that of the files.
type allBlobs struct{ publish.Blobs }

func (b allBlobs) List(ctx context.Context, _ time.Time) iter.Seq2[publish.BlobRef, error] {
	return b.Blobs.List(ctx, time.Now().Add(time.Hour))
}
