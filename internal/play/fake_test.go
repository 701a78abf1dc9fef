package play

import (
	"bytes"
	stdgzip "compress/gzip"
	"context"
	"crypto/sha256"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	abrotli "github.com/andybalholm/brotli"
	kgzip "github.com/klauspost/compress/gzip"
	kzstd "github.com/klauspost/compress/zstd"

	"sandlot/internal/gallery"
	"sandlot/internal/mediatype"
	"sandlot/internal/names"
	"sandlot/internal/publish"
)

const (
	gameID = publish.ProjectID("chess-abc234")
	suffix = "0123456789"
)

// A fake is a Service over maps.
type fake struct {
	mu       sync.Mutex
	projects map[publish.ProjectID]publish.Project
	versions map[publish.ProjectID][][]publish.File // by version, from 1
	blobs    map[publish.BlobRef][]byte
	broken   map[publish.BlobRef]error // Open fails
	short    map[publish.BlobRef]bool  // Open's stream fails half way
	opens    map[publish.BlobRef]int
	lists    int
	listErr  error
	gate     chan struct{} // if set, Files and Open wait for it

	played []gallery.Player
	beats  []string // "touch id player" and "leave id player"
	live   error
	heard  chan string // if set, gets what beats gets
}

func newFake() *fake {
	return &fake{
		projects: map[publish.ProjectID]publish.Project{}, versions: map[publish.ProjectID][][]publish.File{},
		blobs: map[publish.BlobRef][]byte{}, broken: map[publish.BlobRef]error{}, short: map[publish.BlobRef]bool{},
		opens: map[publish.BlobRef]int{},
	}
}

// blob stores bytes under a new name.
func (s *fake) blob(b string) publish.Blob {
	ref := publish.BlobRef("blob" + string(rune('A'+len(s.blobs))))
	s.blobs[ref] = []byte(b)
	return publish.Blob{ID: int64(len(s.blobs)), Ref: ref, Size: int64(len(b)), SHA256: sha256.Sum256([]byte(b)), Text: utf8.ValidString(b)}
}

// file makes a file with all variants that compressing yields.
func (s *fake) file(name, content string) publish.File {
	f := publish.File{Name: name, Blob: s.blob(content), Squeezed: true}
	if !mediatype.Compressible(name) || len(content) < 200 {
		return f
	}
	for _, enc := range []string{"br", "zstd", "gzip"} {
		f.Variants = append(f.Variants, publish.Variant{Encoding: enc, Blob: s.blob(string(compress(enc, []byte(content))))})
	}
	return f
}

// put makes a new version of a project from the files of the last and these.
func (s *fake) put(id publish.ProjectID, files ...publish.File) publish.Project {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.projects[id]
	if !ok {
		p = publish.Project{ID: id, Primary: "index.html", Suffix: suffix}
	}
	var all []publish.File
	if p.Version > 0 {
		all = slices.Clone(s.versions[id][p.Version-1])
	}
	for _, f := range files {
		all = slices.DeleteFunc(all, func(o publish.File) bool { return o.Name == f.Name })
		all = append(all, f)
	}
	p.Version++
	s.versions[id] = append(s.versions[id], all)
	s.projects[id] = p
	return p
}

func (s *fake) Site(_ context.Context, _ publish.Caller, id publish.ProjectID) (publish.Project, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.projects[id]
	if !ok {
		return p, publish.Refuse(publish.CodeProjectNotFound, "There is no project %s.", id)
	}
	if p.Suspended {
		return p, publish.Refuse(publish.CodeTakenDown, "The project %s was taken down.", id)
	}
	return p, nil
}

func (s *fake) SiteVersion(ctx context.Context, by publish.Caller, id publish.ProjectID, n int, suf string) (publish.Project, error) {
	p, err := s.Site(ctx, by, id)
	if err == nil && (n < 1 || n > p.Version || suf != p.Suffix) {
		return publish.Project{}, publish.Refuse(publish.CodeProjectNotFound, "There is no such version.")
	}
	p.Version = n
	return p, err
}

func (s *fake) Files(ctx context.Context, id publish.ProjectID, version int) ([]publish.File, error) {
	if err := s.wait(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lists++
	return s.versions[id][version-1], s.listErr
}

func (s *fake) Open(ctx context.Context, b publish.Blob, off, n int64) (io.ReadCloser, error) {
	if err := s.wait(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opens[b.Ref]++
	if err := s.broken[b.Ref]; err != nil {
		return nil, err
	}
	all := s.blobs[b.Ref]
	if n < 0 {
		n = int64(len(all)) - off
	}
	var r io.Reader = bytes.NewReader(all[off : off+n])
	if s.short[b.Ref] {
		r = io.MultiReader(io.LimitReader(r, n/2), failing{})
	}
	return io.NopCloser(struct{ io.Reader }{r}), nil
}

// wait waits for the gate, if there is one.
func (s *fake) wait(ctx context.Context) error {
	s.mu.Lock()
	gate := s.gate
	s.mu.Unlock()
	if gate == nil {
		return nil
	}
	select {
	case <-gate:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *fake) Play(_ context.Context, _ publish.Caller, _ publish.ProjectID, visitor gallery.Player) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.played = append(s.played, visitor)
}

func (s *fake) Touch(_ context.Context, _ publish.Caller, id publish.ProjectID, p gallery.Player) error {
	return s.beat("touch", id, p.ID)
}

func (s *fake) Leave(_ context.Context, _ publish.Caller, id publish.ProjectID, p gallery.Player) error {
	return s.beat("leave", id, p.ID)
}

func (s *fake) beat(what string, id publish.ProjectID, p gallery.PlayerID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.beats = append(s.beats, what+" "+string(id)+" "+string(p))
	if s.heard != nil {
		s.heard <- s.beats[len(s.beats)-1]
	}
	return s.live
}

// plays returns how many plays there were.
func (s *fake) plays() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.played)
}

// failing is a reader of a broken disk.
type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, publish.ErrCorrupt }

// compress and unpack are real encoders and decoders.
func compress(encoding string, b []byte) []byte {
	var out bytes.Buffer
	var w io.WriteCloser
	switch encoding {
	case "br":
		w = abrotli.NewWriterLevel(&out, 5)
	case "zstd":
		w, _ = kzstd.NewWriter(&out)
	case "gzip":
		w, _ = kgzip.NewWriterLevel(&out, 9)
	}
	_, _ = w.Write(b)
	_ = w.Close()
	return out.Bytes()
}

func unpack(t *testing.T, encoding string, b []byte) string {
	t.Helper()
	var r io.Reader = bytes.NewReader(b)
	var err error
	switch encoding {
	case "br":
		r = abrotli.NewReader(r)
	case "zstd":
		r, err = kzstd.NewReader(r)
	case "gzip":
		r, err = stdgzip.NewReader(r)
	}
	if err != nil {
		t.Fatalf("unpack %s: %v", encoding, err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("unpack %s: %v", encoding, err)
	}
	return string(plain)
}

// newHandler makes a Handler on a host that content lives under; an empty content means the path form alone.
func newHandler(s interface {
	Service
	Contents
	Gallery
}, content string, more ...func(*Config),
) *Handler {
	c := Config{Service: s, Contents: s, Gallery: s, Places: publish.Places{Base: &url.URL{Scheme: "http", Host: "localhost:8080"}, Content: content, PathForm: true}}
	for _, f := range more {
		f(&c)
	}
	return New(c)
}

// request makes a request; headers are given as "Name: value".
func request(method, target string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, "http://ignored/", nil)
	u, err := url.ParseRequestURI(target)
	if err != nil {
		panic(err)
	}
	r.URL, r.RequestURI, r.RemoteAddr = u, target, "192.0.2.1:1234"
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
	return r
}

// at answers a request in the way main would: by its place.
func at(h *Handler, p place, r *http.Request) *http.Response {
	w := httptest.NewRecorder()
	switch p {
	case onProject:
		h.ServeOrigin(w, r, string(gameID))
	case onVersion:
		h.ServeOrigin(w, r, names.VersionLabel(string(gameID), 1, suffix))
	case onPath:
		r.URL.Path, r.URL.RawPath = "/~/"+string(gameID)+r.URL.Path, ""
		h.ServePath(w, r)
	}
	return w.Result()
}

// get answers a GET on the project's own origin.
func get(h *Handler, target string, headers ...string) *http.Response {
	return at(h, onProject, request("GET", target, headers...))
}

func bodyOf(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// page is an HTML document of some length.
func page(marker string) string {
	return "<!doctype html><title>" + marker + "</title>" + strings.Repeat("<p>"+marker+" and more of the same</p>\n", 60)
}
