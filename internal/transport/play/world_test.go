package play

import (
	"bytes"
	"cmp"
	stdgzip "compress/gzip"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	abrotli "github.com/andybalholm/brotli"
	kgzip "github.com/klauspost/compress/gzip"
	kzstd "github.com/klauspost/compress/zstd"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/mediatype"
	"sandlot/internal/format/names"
	"sandlot/internal/testkit/testenv"
	"sandlot/internal/testkit/testworld"
)

const (
	gameID = sandlot.ProjectID("chess-abc234")
	suffix = "0123456789" // of version 1 of each project
)

// A world is a testworld.World in which one account owns all projects. It notes the calls of the gallery, and how often lists and blobs are
// read, and fails the calls that a test names.
type world struct {
	*testworld.World
	t      testing.TB
	owner  sandlot.Caller    // by a session
	plain  bool              // compressed copies are still to be made
	packed map[string]string // what they are, by encoding; nil: what an encoder makes

	mu      sync.Mutex
	lists   int
	listErr error
	opens   map[sandlot.BlobRef]int
	broken  map[sandlot.BlobRef]error // why a blob cannot be opened
	gate    chan struct{}             // if set, opening waits for it
	played  []gallery.Player
	beats   []string    // "touch id player" and "leave id player"
	heard   chan string // if set, gets what beats gets
	live    error
}

func newWorld(t testing.TB) *world {
	t.Helper()
	// All bytes are blobs, so that any may be damaged.
	w := &world{World: testworld.New(t, testworld.With(func(c *publish.Config) { c.InlineMax = -1 })), t: t, opens: map[sandlot.BlobRef]int{}, broken: map[sandlot.BlobRef]error{}}
	w.owner = w.OwnerOf(w.PublishPage(testworld.Nobody(), "<p>").Project.Account)
	w.Faults.Step, w.Blobs.Opening = w.step, w.opening
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// file is one to be put.
func (w *world) file(name, content string) testworld.File {
	w.t.Helper()
	return testworld.File{Name: name, Content: w.Stage(content)}
}

// put makes a version of a project in which these files are new or other. One that is not there is made first, under the id that the test
// gives it.
func (w *world) put(id sandlot.ProjectID, files ...testworld.File) {
	w.t.Helper()
	w.Faults.Step, w.Blobs.Opening = nil, nil // what put itself reads is not counted
	defer func() { w.Faults.Step, w.Blobs.Opening = w.step, w.opening }()
	_, err := w.DB.Publish().CreateProject(w.t.Context(), publish.NewProject{
		ID: id, Account: w.owner.Account(), CreatedAt: w.Now(), Suffix: suffix, Key: sandlot.Key{Hash: sha256.Sum256([]byte(id)), CreatedAt: w.Now()},
		Files: []sandlot.File{{Name: "index.html", Folded: "index.html", Blob: w.Stage("<p>").Blob}}, Primary: "index.html",
	})
	if !errors.Is(err, sandlot.ErrExists) {
		w.must(err)
	}
	w.must(testworld.PutFiles(w.t.Context(), w.Publish, w.owner, id, files, publish.Form{Token: rand.Text()}))
	if !w.plain {
		w.squeeze(id)
	}
}

// squeeze makes the compressed copies of the files of a project that have none.
func (w *world) squeeze(id sandlot.ProjectID) {
	w.t.Helper()
	for _, f := range w.files(id) {
		if f.Squeezed {
			continue
		}
		var variants []sandlot.Variant
		if mediatype.Compressible(f.Name) && f.Blob.Size >= 200 {
			for _, enc := range []string{"br", "zstd", "gzip"} {
				packed := cmp.Or(w.packed[enc], compress(enc, w.Bytes(f.Blob)))
				variants = append(variants, sandlot.Variant{Encoding: enc, Blob: w.Stage(packed).Blob})
			}
		}
		w.must(w.DB.Variants().PutVariants(w.t.Context(), f.Blob.ID, variants))
	}
}

// files are those of a project's current version.
func (w *world) files(id sandlot.ProjectID) []sandlot.File {
	w.t.Helper()
	p, err := w.DB.Publish().Project(w.t.Context(), id)
	w.must(err)
	files, err := w.DB.Publish().Files(w.t.Context(), id, p.Version)
	w.must(err)
	return files
}

// verify opens the link in the message to the owner.
func (w *world) verify() {
	w.t.Helper()
	_, err := w.Account.Verify(w.t.Context(), testworld.Nobody(), w.Token("/verify"))
	w.must(err)
}

func (w *world) step(name string) (before, after error) {
	if name != "Files" {
		return nil, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lists++
	return w.listErr, nil
}

func (w *world) opening(ctx context.Context, b sandlot.Blob, open func() (io.ReadCloser, error)) (io.ReadCloser, error) {
	if w.gate != nil {
		select {
		case <-w.gate:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.opens[b.Ref]++
	if err := w.broken[b.Ref]; err != nil {
		return nil, err
	}
	return open()
}

func (w *world) Play(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, visitor gallery.Player) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.played = append(w.played, visitor)
	w.Gallery.Play(ctx, by, id, visitor)
}

func (w *world) Touch(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, p gallery.Player) error {
	w.beat("touch", id, p.ID)
	return errors.Join(w.live, w.Gallery.Touch(ctx, by, id, p))
}

func (w *world) Leave(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, p gallery.Player) error {
	w.beat("leave", id, p.ID)
	return errors.Join(w.live, w.Gallery.Leave(ctx, by, id, p))
}

func (w *world) beat(what string, id sandlot.ProjectID, p gallery.PlayerID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.beats = append(w.beats, what+" "+string(id)+" "+string(p))
	if w.heard != nil {
		w.heard <- w.beats[len(w.beats)-1]
	}
}

// plays returns how many plays there were.
func (w *world) plays() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.played)
}

// compress and unpack are real encoders and decoders.
func compress(encoding, text string) string {
	var out bytes.Buffer
	var w io.WriteCloser
	switch encoding {
	case "br":
		w = abrotli.NewWriterLevel(&out, 5)
	case "zstd":
		w, _ = kzstd.NewWriter(&out, kzstd.WithEncoderConcurrency(1))
	case "gzip":
		w, _ = kgzip.NewWriterLevel(&out, 9)
	}
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return out.String()
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
	var plain strings.Builder
	plain.Grow(len(b))
	if _, err := io.Copy(&plain, r); err != nil {
		t.Fatalf("unpack %s: %v", encoding, err)
	}
	return plain.String()
}

// newHandler makes a Handler on a host that content lives under; an empty content means the path form alone.
func newHandler(w *world, content string, more ...func(*Config)) *Handler {
	places := testworld.Places()
	places.Content = content
	c := Config{Service: w.Publish.Reader, Contents: w.Publish.Contents, Gallery: w, Places: places}
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

// at answers a request in the way main would: by its place. That of a version is the address of the current one.
func at(h *Handler, p place, r *http.Request) *http.Response {
	w := httptest.NewRecorder()
	switch p {
	case onProject:
		h.ServeOrigin(w, r, string(gameID))
	case onVersion:
		h.ServeOrigin(w, r, h.Gallery.(*world).versionLabel())
	case onPath:
		r.URL.Path, r.URL.RawPath = "/~/"+string(gameID)+r.URL.Path, ""
		h.ServePath(w, r)
	}
	return w.Result()
}

// versionLabel is that of the current version of the game, or of one that is not there.
func (w *world) versionLabel() string {
	p, err := w.DB.Publish().Project(w.t.Context(), gameID)
	if err != nil {
		p.Version, p.Suffix = 1, suffix
	}
	return names.VersionLabel(string(gameID), p.Version, p.Suffix)
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

func logTo(b *bytes.Buffer) func(*Config) {
	return func(c *Config) { c.Log = slog.New(slog.NewTextHandler(b, nil)) }
}

func TestMain(m *testing.M) { testenv.Main(m) }
