package api

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/players"
	"sandlot/internal/domain/players/boards"
	"sandlot/internal/domain/players/faults"
	"sandlot/internal/domain/publish"
	"sandlot/internal/domain/transfer"
	"sandlot/internal/domain/trial"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
	"sandlot/internal/transport/guide"
	"sandlot/internal/transport/intake"
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

// world is the API on a testworld.World, behind a real HTTP server.
type world struct {
	*testworld.World
	t      *testing.T
	api    *API
	server *httptest.Server
	client *http.Client
	addr   string // of the client, if not the real one

	unfilled map[string]bool // the placeholders of calls that were seen to be refused

	account, project string // keys of the first account and its project
	projectID        string
}

type settings struct {
	cfg     publish.Config
	archive func(ctx context.Context, w io.Writer, e publish.Export) error
	keys    func(admission.Keys) admission.Keys
	limits  admission.Config
	addr    string // of the client; else the real one
	set     testworld.Option
}

// newWorld starts a world that is empty. Everything in it is checked against the
// OpenAPI document.
func newWorld(t *testing.T, change ...func(*settings)) *world {
	t.Helper()
	s := settings{keys: func(k admission.Keys) admission.Keys { return k }, set: testworld.Embedded()}
	s.cfg = publish.Config{MaxContent: limit, MaxFile: 4 * limit, InlineMax: 4 << 10, MailFolder: "mail", Places: testworld.Places()}
	for _, c := range change {
		c(&s)
	}
	w := &world{t: t, unfilled: map[string]bool{}, World: testworld.New(t, s.set, testworld.RealTime(), testworld.With(func(c *publish.Config) { *c = s.cfg }))}
	if s.archive == nil {
		s.archive = func(ctx context.Context, out io.Writer, e publish.Export) error {
			return transfer.Write(ctx, out, e, w.Publish.Contents)
		}
	}
	s.limits.Keys = s.keys(w.Callers)
	w.api = New(Config{Version: "1.2.3", Index: guide.New(guide.Config{OpenAPI: openapiYAML, Places: s.cfg.Places}).Index, Service: w.Publish, Reader: w.Publish.Reader, Intake: intake.New(intake.Intake{Contents: w.Publish.Contents, Places: s.cfg.Places, MaxContent: s.cfg.MaxContent, MaxFile: s.cfg.MaxFile}), Gallery: w.Gallery, Figures: w.Figures, Tickets: w.Tickets, Trials: w.Trials, Requests: w.requests(&trial.Status{}), Covers: w.Covers, Reporters: &operate.Reporters{Store: w.DB.Operate().Reporters(), Filing: w.Operate}, Players: w.Runtime.Players, Boards: w.Runtime.Boards, Faults: w.Runtime.Faults, Transfer: transfer.New(transfer.Config{Projects: w.Publish, Contents: w.Publish.Contents, Pictures: w.Covers, Temporary: t.TempDir(), MaxFile: s.cfg.MaxFile}), Places: s.cfg.Places, Log: w.Log, Admission: admission.New(s.limits), Archive: s.archive})
	w.addr = s.addr
	w.serve(t)
	t.Cleanup(func() {
		if text := w.Logs.String(); strings.Contains(text, "api_key=") {
			t.Errorf("a query is in the log:\n%s", text)
		}
	})
	return w
}

// serve puts a real HTTP server in front of the world's API.
func (w *world) serve(t *testing.T) {
	t.Helper()
	w.server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		r.RemoteAddr = cmp.Or(w.addr, r.RemoteAddr)
		w.api.ServeHTTP(rw, r)
	}))
	t.Cleanup(w.server.Close)
	w.client = &http.Client{Transport: &checked{t: t, next: transport(w.server)}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
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

// played has a player of a project send a score, an error and a message.
func (w *world) played(id string) {
	w.t.Helper()
	ctx, nobody, run := w.t.Context(), sandlot.Caller{}, w.Runtime
	p, err := w.Publish.Reader.Current(ctx, nobody, sandlot.ProjectID(id))
	expect.OK(w.t, err)
	v := players.Visit{Project: p, Token: sandlot.DigestOf([]byte("kim")), Exempt: true}
	since := players.Stamp(w.Vault(), v, time.Now().Add(-time.Minute))
	_, err = run.Boards.Place(ctx, nobody, v, boards.Score{Score: 1230, Name: "Kim", Since: since})
	expect.OK(w.t, err)
	thrown := faults.Report{Kind: "error", Message: "lose is not defined", Source: "game.js", Line: 3, Column: 22, Stack: "lose@game.js:3:22"}
	expect.OK(w.t, run.Faults.Report(ctx, nobody, v, "Firefox/140", 0, []faults.Report{thrown}))
	expect.OK(w.t, run.Faults.Pending.Flush(ctx))
	expect.OK(w.t, run.Faults.Message(ctx, nobody, v, "Nice game"))
}

// player returns the id of the player who played; "nobody" if none did.
func (w *world) player() string {
	_, top, err := w.Runtime.Boards.Board(w.t.Context(), w.CallerOf(sandlot.Secret(w.account)), w.projectID, boards.Query{})
	if err != nil || len(top.Entries) == 0 {
		return "nobody"
	}
	return top.Entries[0].Player
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
		expect.OK(w.t, err)
		r = bytes.NewReader(text)
	}
	req, err := http.NewRequest(method, testworld.Places().Base.String()+path, r)
	expect.OK(w.t, err)
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
	expect.OK(w.t, err, req.Method, req.URL.Path)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	expect.OK(w.t, err, req.Method, req.URL.Path, "read the answer")
	a := answer{t: w.t, status: res.StatusCode, header: res.Header, text: string(text)}
	if read, ok := res.Body.(*readBody); ok {
		a.body, _ = read.value.(obj)
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
func (a answer) refused(status int, code sandlot.Code) answer {
	a.t.Helper()
	if a.status != status || a.str("error") != string(code) {
		a.t.Fatalf("got %d %s, want %d %s: %.600s", a.status, a.str("error"), status, code, a.text)
	}
	if a.str("hint") == "" || a.str("message") == "" || a.body["status"] != float64(status) || a.str("request_id") != a.header.Get("X-Request-Id") {
		a.t.Errorf("the error lacks a part: %s", a.text)
	}
	if sandlot.KeyPattern.MatchString(a.text) {
		a.t.Errorf("the error repeats a key: %s", a.text)
	}
	return a
}

func (a answer) str(name string) string { s, _ := a.body[name].(string); return s }

func (a answer) warned(code string) bool {
	list, _ := a.body["warnings"].([]any)
	return slices.ContainsFunc(list, func(w any) bool { return w.(obj)["code"] == code })
}

// unchanged runs f and checks that it left everything as it was.
func (w *world) unchanged(f func()) {
	w.t.Helper()
	w.Unchanged(w.t, f)
}

// damage overwrites a byte of every stored blob.
func (w *world) damage() {
	w.t.Helper()
	err := filepath.WalkDir(filepath.Join(w.Dir, "blobs"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return os.WriteFile(path, bytes.Repeat([]byte("x"), int(size(w.t, path))), 0o600)
	})
	expect.OK(w.t, err)
}

func size(t *testing.T, path string) int64 {
	info, err := os.Stat(path)
	expect.OK(t, err)
	return info.Size()
}

// noise is n bytes that do not compress.
func noise(n int) string {
	b := make([]byte, n)
	rand.Read(b)
	return string(b)
}

func gz(s string) string { return named(s) }

// named is s as a gzip member whose header holds a file name that leads astray.
func named(s string) string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Name = "../../x"
	w.Write([]byte(s))
	w.Close()
	return out.String()
}

func url64(s string) string { return base64.URLEncoding.EncodeToString([]byte(s)) }

func sum(s string) string {
	d := sha256.Sum256([]byte(s))
	return hex.EncodeToString(d[:])
}
