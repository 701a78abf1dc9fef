package api

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sandlot/internal/admission"
	"sandlot/internal/archive"
	"sandlot/internal/blob"
	"sandlot/internal/gallery"
	"sandlot/internal/live"
	"sandlot/internal/publish"
	"sandlot/internal/sqlstore"
)

// page is a file as tests publish it, and how it goes over the wire.
const (
	page    = "<!doctype html><title>Sky Hopper</title><h1>Hi</h1>"
	someone = "me@example.com"
)

var page64 = b64(page)

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// limit is the content limit of a world: small, so that tests reach it quickly.
const limit = 1 << 20

// world is the API on the real Service and stores, behind a real HTTP server.
type world struct {
	t       *testing.T
	dir     string
	svc     *publish.Service
	gallery *gallery.Service
	api     *API
	server  *httptest.Server
	client  *http.Client
	logs    *lines
	db      *sqlstore.DB
	cfg     publish.Config
	rows    *sql.DB // the same database, to look at
	counts  string  // the query for all that it holds
	watch   watch   // what came in, where that is asked

	account, project string // keys of the first account and its project
	projectID        string
}

type settings struct {
	cfg      publish.Config
	service  func(Service) Service
	contents func(Contents) Contents
	archive  func(ctx context.Context, w io.Writer, e publish.Export) error
	keys     func(admission.Keys) admission.Keys
	limits   admission.Config
	addr     string // of the client; else the real one
}

// newWorld starts a world that is empty. Everything in it is checked against the
// OpenAPI document.
func newWorld(t *testing.T, change ...func(*settings)) *world {
	t.Helper()
	w := &world{t: t, dir: folder(t), logs: &lines{}}
	log := slog.New(slog.NewTextHandler(w.logs, nil))
	s := settings{service: func(s Service) Service { return s }, contents: func(c Contents) Contents { return c }, keys: func(k admission.Keys) admission.Keys { return k }}
	s.cfg = publish.Config{MaxContent: limit, MaxFile: 4 * limit, InlineMax: 4 << 10, MailFolder: "mail", Places: places()}
	for _, c := range change {
		c(&s)
	}
	w.cfg = s.cfg
	w.open(s.cfg, log)
	if s.archive == nil {
		s.archive = func(ctx context.Context, out io.Writer, e publish.Export) error {
			return archive.Write(ctx, out, e, w.svc.Contents)
		}
	}
	s.limits.Keys = s.keys(w.callers())
	w.api = New(Config{Service: s.service(w.svc), Contents: s.contents(w.svc.Contents), Gallery: w.gallery, Places: s.cfg.Places, Log: log, MaxContent: s.cfg.MaxContent, MaxFile: s.cfg.MaxFile, Admission: admission.New(s.limits), Archive: s.archive})
	w.server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		r.RemoteAddr = cmp.Or(s.addr, r.RemoteAddr)
		w.watch.note(r)
		w.api.ServeHTTP(rw, r)
	}))
	t.Cleanup(w.server.Close)
	w.client = &http.Client{Transport: &checked{t: t, next: transport(w.server)}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	t.Cleanup(func() {
		if text := w.logs.String(); publish.KeyPattern.MatchString(text) || strings.Contains(text, "api_key=") {
			t.Errorf("a key or a query is in the log:\n%s", text)
		}
	})
	return w
}

// folder is in memory where the machine has such a place: these tests are about
// answers, and hundreds of worlds would only wait for the disk to sync.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "sandlot-api-*")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func places() publish.Places {
	return publish.Places{Base: &url.URL{Scheme: "http", Host: "localhost:8080"}, Content: "localhost:8080", PathForm: true}
}

func (w *world) open(cfg publish.Config, log *slog.Logger) {
	w.t.Helper()
	ctx := w.t.Context()
	file := filepath.Join(w.dir, "sandlot.db")
	emptyDatabase.Lay(w.t, file)
	var err error
	if w.db, err = sqlstore.OpenSQLite(ctx, file, sqlstore.Options{}); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { w.db.Close() })
	if w.rows, err = sql.Open("sqlite", "file:"+file+"?mode=ro"); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { w.rows.Close() })
	disk, err := blob.OpenDisk(filepath.Join(w.dir, "blobs"), blob.Options{Alone: true})
	if err != nil {
		w.t.Fatal(err)
	}
	shown := gallery.Config{Public: cfg.Public}
	counters := gallery.NewCounters(shown, w.db.Gallery(), live.NewMemory(live.Limits{}), log, nil)
	stores := publish.Stores{Store: w.db, Site: w.db, Blobs: disk, Statistics: counters}
	if w.svc, err = publish.New(ctx, cfg, stores, log); err != nil {
		w.t.Fatal(err)
	}
	if w.gallery, err = gallery.New(ctx, shown, w.db.Gallery(), w.svc, counters); err != nil {
		w.t.Fatal(err)
	}
}

// callers knows the keys of the world.
func (w *world) callers() *publish.Authenticator {
	return &publish.Authenticator{Store: w.db, Now: time.Now, Log: slog.New(slog.NewTextHandler(w.logs, nil))}
}

// transport sends every request to the server, whatever host it names.
func transport(s *httptest.Server) *http.Transport {
	tr := &http.Transport{DisableCompression: true, DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, s.Listener.Addr().String())
	}}
	return tr
}

// settled is a world with one account and its project of two files.
func settled(t *testing.T, change ...func(*settings)) *world {
	t.Helper()
	w := newWorld(t, change...)
	got := w.post("/v1/publish", "", obj{"email": someone, "title": "Sky Hopper", "content": page64}).wants(201)
	w.account, w.project, w.projectID = got.str("api_key"), got.str("project_api_key"), got.str("project_id")
	w.post("/v1/update", w.project, obj{"project_id": w.projectID, "filename": "logo.svg", "content": b64("<svg/>")}).wants(200)
	return w
}

type obj = map[string]any

// answer is what came back, read whole.
type answer struct {
	t      *testing.T
	status int
	header http.Header
	text   string
	body   obj // if it is JSON
}

// post sends body: a text as it is, anything else as JSON.
func (w *world) post(path, key string, body any, change ...func(*http.Request)) answer {
	w.t.Helper()
	return w.send("POST", path, key, body, change...)
}

func (w *world) get(path, key string, change ...func(*http.Request)) answer {
	w.t.Helper()
	return w.send("GET", path, key, nil, change...)
}

func (w *world) send(method, path, key string, body any, change ...func(*http.Request)) answer {
	w.t.Helper()
	var r io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		r = strings.NewReader(b)
	case io.Reader:
		r = b
	default:
		text, err := json.Marshal(b)
		if err != nil {
			w.t.Fatal(err)
		}
		r = bytes.NewReader(text)
	}
	req, err := http.NewRequest(method, places().Base.String()+path, r)
	if err != nil {
		w.t.Fatal(err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	for _, c := range change {
		c(req)
	}
	return w.do(req)
}

func (w *world) do(req *http.Request) answer {
	w.t.Helper()
	res, err := w.client.Do(req)
	if err != nil {
		w.t.Fatalf("%s %s: %v", req.Method, req.URL.Path, err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatalf("%s %s: read the answer: %v", req.Method, req.URL.Path, err)
	}
	a := answer{t: w.t, status: res.StatusCode, header: res.Header, text: string(text)}
	if res.Header.Get("Content-Type") == "application/json" && len(text) > 0 {
		if err := json.Unmarshal(text, &a.body); err != nil {
			w.t.Fatalf("the answer is not JSON: %v\n%.300s", err, text)
		}
	}
	return a
}

func with(name string, values ...string) func(*http.Request) {
	return func(r *http.Request) { r.Header[http.CanonicalHeaderKey(name)] = values }
}

func (a answer) wants(status int) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("status %d, want %d: %.600s", a.status, status, a.text)
	}
	return a
}

// refused checks that the answer is an error of this status and code, as the
// contract says errors look.
func (a answer) refused(status int, code publish.Code) answer {
	a.t.Helper()
	if a.status != status || a.str("error") != string(code) {
		a.t.Fatalf("got %d %s, want %d %s: %.600s", a.status, a.str("error"), status, code, a.text)
	}
	if a.str("hint") == "" || a.str("message") == "" || a.body["status"] != float64(status) || a.str("request_id") != a.header.Get("X-Request-Id") {
		a.t.Errorf("the error lacks a part: %s", a.text)
	}
	if publish.KeyPattern.MatchString(a.text) {
		a.t.Errorf("the error repeats a key: %s", a.text)
	}
	return a
}

func (a answer) str(name string) string { s, _ := a.body[name].(string); return s }

func (a answer) warned(code string) bool {
	list, _ := a.body["warnings"].([]any)
	return slices.ContainsFunc(list, func(w any) bool { return w.(obj)["code"] == code })
}

// state is everything that a refused request must leave as it is: rows, versions
// and files.
func (w *world) state() string {
	w.t.Helper()
	var out []string
	db := w.rows
	if w.counts == "" {
		var each []string
		for _, table := range column(w.t, db, `SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`) {
			each = append(each, `SELECT '`+table+` ' || count(*) FROM "`+table+`"`)
		}
		w.counts = strings.Join(append(each, `SELECT id || '@' || version FROM projects`), " UNION ALL ")
	}
	out = append(out, column(w.t, db, w.counts)...)
	err := filepath.WalkDir(filepath.Join(w.dir, "blobs"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return strings.Join(out, "\n")
}

func column(t *testing.T, db *sql.DB, query string) (out []string) {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var v string
		if err := rows.Scan(&v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// unchanged runs f and checks that it left everything as it was.
func (w *world) unchanged(f func()) {
	w.t.Helper()
	before := w.state()
	f()
	if after := w.state(); after != before {
		w.t.Errorf("the request changed something:\n--- before\n%s\n--- after\n%s", before, after)
	}
}

// lines collects a log. It may be written and read at once.
type lines struct {
	mu  sync.Mutex
	all strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

// damage overwrites a byte of every stored blob.
func (w *world) damage() {
	w.t.Helper()
	err := filepath.WalkDir(filepath.Join(w.dir, "blobs"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return os.WriteFile(path, bytes.Repeat([]byte("x"), int(size(w.t, path))), 0o600)
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

func size(t *testing.T, path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// noise is n bytes that do not compress.
func noise(n int) string {
	b := make([]byte, n)
	rand.Read(b)
	return string(b)
}
