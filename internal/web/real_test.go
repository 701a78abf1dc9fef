package web

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sandlot/internal/blob"
	memory "sandlot/internal/live"
	"sandlot/internal/operate"
	"sandlot/internal/publish"
	"sandlot/internal/sqlstore"
	"sandlot/internal/testenv"
)

// A person is an account with a login in one browser.
type person struct {
	account publish.Account
	session string // the cookie's token
	other   int64  // the session of another browser
	project publish.ProjectID
	key     int64 // of the project
}

// A world is the pages on the real Service and the real stores, with two people.
type world struct {
	*Pages
	t        *testing.T
	service  *publish.Service
	db       *sqlstore.DB
	dir      string
	disk     *blob.Disk
	beside   *sql.DB
	mu       sync.Mutex
	at       time.Time
	kim, lee person
	browser  string         // of a login that is under way
	mails    []publish.Mail // that were sent
}

// Send implements publish.Mailer.
func (w *world) Send(_ context.Context, m publish.Mail) error {
	w.mails = append(w.mails, m)
	return nil
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at
}

func (w *world) later(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = w.at.Add(d)
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// newWorld is a world with kim and lee.
func newWorld(t *testing.T) *world {
	t.Helper()
	disk := must(blob.OpenDisk(filepath.Join(t.TempDir(), "blobs"), blob.Options{Alone: true}))(t)
	t.Cleanup(func() { disk.Close() })
	w := openWorld(t, t.TempDir(), disk)
	w.kim, w.lee = w.person("kim"), w.person("lee")
	return w
}

// copies returns what makes worlds as newWorld does, in less time.
func copies(t *testing.T) func(*testing.T) *world {
	t.Helper()
	first, copied := newWorld(t), t.TempDir()
	if err := first.db.CopyTo(t.Context(), filepath.Join(copied, "sandlot.db")); err != nil {
		t.Fatal(err)
	}
	return func(t *testing.T) *world { return first.again(t, copied) }
}

// again is the world as it was when a copy of its records was made, with the same blobs.
func (w *world) again(t *testing.T, copied string) *world {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "world")
	if err := os.CopyFS(dir, os.DirFS(copied)); err != nil {
		t.Fatal(err)
	}
	next := openWorld(t, dir, w.disk)
	next.kim, next.lee, next.at = w.kim, w.lee, w.now()
	return next
}

// emptyDatabase is a database with its tables.
var emptyDatabase = testenv.Template{Make: func(path string) error {
	db, err := sqlstore.OpenSQLite(context.Background(), path, sqlstore.Options{})
	if err != nil {
		return err
	}
	return db.Close()
}}

func openWorld(t *testing.T, dir string, disk *blob.Disk) *world {
	t.Helper()
	w := &world{t: t, dir: dir, disk: disk, at: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)}
	emptyDatabase.Lay(t, filepath.Join(w.dir, "sandlot.db"))
	w.db = must(sqlstore.OpenSQLite(t.Context(), filepath.Join(w.dir, "sandlot.db"), sqlstore.Options{Now: w.now}))(t)
	at := publish.Places{Base: &url.URL{Scheme: "https", Host: "example.com"}, Content: "example.net"}
	stores := publish.Stores{Store: w.db, Jobs: w.db, Site: w.db, Blobs: disk, Live: memory.NewMemory(memory.Limits{})}
	log := slog.New(slog.DiscardHandler)
	w.service = must(publish.New(t.Context(), publish.Config{Places: at, InlineMax: 100}, stores, log, publish.WithClock(w.now)))(t)
	w.Pages = New(Config{
		Service: w.service, Contents: w.service.Contents, Gallery: w.service, Reports: must(operate.New(t.Context(), operate.Config{}, w.db, operate.WithClock(w.now)))(t), Places: at, Log: log, Archive: archived, RequestID: func(context.Context) string { return "REQUEST" }, VisitorID: byAddress, Now: w.now,
	})
	t.Cleanup(func() {
		if err := w.db.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// person signs up, opens the link of the message, and publishes a project in three versions.
func (w *world) person(name string) (p person) {
	t, ctx := w.t, w.t.Context()
	t.Helper()
	out := must(w.service.Signup(ctx, publish.Caller{}, publish.SignupInput{Handle: name, Email: name + "@example.com"}))(t)
	p.account = must(w.service.Verify(ctx, w.token("/verify")))(t)
	by := must(w.service.Identify(ctx, publish.Presented{Key: out.Key}, publish.Sender{Network: "192.0.2.1"}))(t)
	made, _, err := w.service.Publish(ctx, by, publish.PublishInput{Content: w.stage("<!doctype html><p>" + name)})
	if err != nil {
		t.Fatal(err)
	}
	p.project = made.Project.ID
	p.session = "session-of-" + name
	w.session(p.account.ID, p.session)
	me := w.owner(p.session)
	for n, text := range []string{"one", "two"} {
		files := []publish.FormFile{{Name: "a.js", Content: w.stage(text)}}
		if err := w.service.PutFiles(ctx, me, p.project, files, fmt.Sprint(n)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.service.MintKey(ctx, me, publish.NewKey{Project: p.project, Name: "agent", Form: "n"}); err != nil {
		t.Fatal(err)
	}
	keys, _, err := w.service.Keys(ctx, me, 0)
	if err != nil {
		t.Fatal(err)
	}
	p.key = keys[0].ID
	p.other = w.session(p.account.ID, "another-session-of-"+name)
	return p
}

// owner is whoever has logged in to an account with this token.
func (w *world) owner(token string) publish.Caller {
	w.t.Helper()
	return must(w.service.Identify(w.t.Context(), publish.Presented{Session: token}, publish.Sender{Network: "192.0.2.1"}))(w.t)
}

func (w *world) session(id publish.AccountID, token string) int64 {
	w.t.Helper()
	at := w.now()
	s := publish.Session{Account: id, CreatedAt: at, ProvedAt: at, SeenAt: at, ExpiresAt: at.Add(100 * time.Hour)}
	return must(w.db.AddSession(w.t.Context(), hash(token), s))(w.t)
}

func (w *world) stage(text string) publish.Content {
	w.t.Helper()
	return must(w.service.Contents.Stage(w.t.Context(), strings.NewReader(text)))(w.t)
}

// token sends what is due, and returns the token of the last message with a link to that path.
func (w *world) token(path string) (token string) {
	w.t.Helper()
	c := &publish.Courier{
		Jobs: w.db, Logins: w.db, Recovery: w.db, Reports: w.db, Stops: w.db, HashCode: w.service.HashCode, NotMeToken: w.service.NotMeToken, Mailer: w, Places: w.Places,
		Log: slog.New(slog.DiscardHandler), Now: w.now, Random: rand.Reader, AtOnce: 1, // in order
	}
	if err := c.SendDue(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	for _, m := range w.mails {
		if u := must(url.Parse(m.Link))(w.t); u.Path == path {
			token = u.Query().Get("token")
		}
	}
	if token == "" {
		w.t.Fatalf("no message leads to %s", path)
	}
	return token
}

// post sends a form from kim's browser, which has asked for a login, too.
func (w *world) post(path string, body io.Reader, kind string) *http.Response {
	r := httptest.NewRequest("POST", "https://example.com"+path, body)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Cookie", cookieName+"="+w.kim.session+"; "+loginCookie+"="+w.browser)
	answer := httptest.NewRecorder()
	w.ServeHTTP(answer, r)
	return answer.Result()
}

const urlencoded = "application/x-www-form-urlencoded"

func (w *world) send(path string, f url.Values) *http.Response {
	return w.post(path, strings.NewReader(f.Encode()), urlencoded)
}

// multi is a form with files, as browsers send it: "files" holds names, and each file its name.
func multi(f url.Values) (*bytes.Buffer, string) {
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	for _, name := range []string{"once", "folder"} {
		for _, v := range f[name] {
			_ = m.WriteField(name, v)
		}
	}
	for _, v := range f["files"] {
		part, _ := m.CreateFormFile("files", v)
		_, _ = io.WriteString(part, v)
	}
	_ = m.Close()
	return &b, m.FormDataContentType()
}

// kept is all that is recorded: each row of each table.
func (w *world) kept() map[string][]string {
	w.t.Helper()
	db := w.reader()
	out := map[string][]string{}
	for _, name := range column(w.t, db, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND sql NOT LIKE '%VIRTUAL%'") {
		columns := column(w.t, db, "SELECT 'coalesce(hex(\"' || name || '\"), ''-'')' FROM pragma_table_info('"+name+"')")
		out[name] = column(w.t, db, "SELECT "+strings.Join(columns, " || ' ' || ")+" FROM \""+name+"\" ORDER BY 1")
	}
	if len(out) < 15 {
		w.t.Fatalf("only %d tables", len(out))
	}
	return out
}

// reader is a connection beside the store's own.
func (w *world) reader() *sql.DB {
	w.t.Helper()
	if w.beside == nil {
		w.beside = must(sql.Open("sqlite", "file:"+filepath.Join(w.dir, "sandlot.db")+"?mode=ro"))(w.t)
		w.beside.SetMaxOpenConns(1)
		w.t.Cleanup(func() { w.beside.Close() })
	}
	return w.beside
}

// written is a number that every commit changes.
func (w *world) written() string {
	w.t.Helper()
	return column(w.t, w.reader(), "PRAGMA data_version")[0]
}

func column(t *testing.T, db *sql.DB, query string) (out []string) {
	t.Helper()
	rows := must(db.Query(query))(t)
	defer rows.Close()
	for rows.Next() {
		var v string
		if err := rows.Scan(&v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// sizes are how many rows each table has.
func sizes(kept map[string][]string) map[string]int {
	out := map[string]int{}
	for name, rows := range kept {
		out[name] = len(rows)
	}
	return out
}

func hash(token string) publish.Digest { return sha256.Sum256([]byte(token)) }
