package play

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/testworld"
)

func newRecorder() *httptest.ResponseRecorder { return httptest.NewRecorder() }

func TestPaths(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.put(gameID, s.file("index.html", "<p>primary"), s.file("docs/index.html", "<p>docs"), s.file("a b/ü+c.txt", "odd"),
		s.file("docs/more/x.js", "1"), s.file("robots.txt", "all"))
	h := newHandler(s, "localhost")
	for _, c := range []struct {
		path   string
		status int
		want   string // body, or Location
	}{
		{"/", 200, "<p>primary"},
		{"/index.html", 200, "<p>primary"},
		{"/docs/", 200, "<p>docs"},
		{"/docs/index.html", 200, "<p>docs"},
		{"/docs", 308, "./docs/"},
		{"/docs?a=1&b=%2F", 308, "./docs/?a=1&b=%2F"},
		{"/docs/more", 404, ""},
		{"/docs/more/", 404, ""},
		{"/a%20b/%C3%BC+c.txt", 200, "odd"},
		{"/a%20b/%C3%BC%2Bc.txt", 200, "odd"},
		{"/a%2520b/%C3%BC+c.txt", 404, ""}, // decoded once
		{"/robots.txt", 200, "all"},
		{"/Robots.txt", 404, ""},
		{"//", 200, "<p>primary"},
		{"//robots.txt", 200, "all"},
		{"/./robots.txt", 404, ""},
	} {
		res := get(h, c.path)
		if got := bodyOf(t, res); res.StatusCode != c.status || c.status == 200 && got != c.want ||
			c.status == 308 && res.Header.Get("Location") != c.want {
			t.Errorf("%s: %d %q %q, want %d %q", c.path, res.StatusCode, got, res.Header.Get("Location"), c.status, c.want)
		}
	}
}

// TestRegressionM49APathIsReadInTheFormOfNames, whatever the browser's system or the page's author made of it.
func TestRegressionM49APathIsReadInTheFormOfNames(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.put(gameID, s.file("index.html", "<p>primary"), s.file("img/caf\u00e9.txt", "cup"))
	h := newHandler(s, "localhost")
	for _, path := range []string{"/img/caf%C3%A9.txt", "/img/cafe%CC%81.txt", "/img//caf%C3%A9.txt", "//img///caf%C3%A9.txt"} {
		if res := get(h, path); res.StatusCode != http.StatusOK || bodyOf(t, res) != "cup" {
			t.Errorf("%s: %d", path, res.StatusCode)
		}
	}
}

// TestAPrimaryFileInAFolderIsOpenedThere: what it loads lies beside it, and would not be found from the root.
func TestAPrimaryFileInAFolderIsOpenedThere(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.put(gameID, s.file("dist/start.html", "<p>start"), s.file("dist/my index.html", "<p>mine"), s.file("dist/index.html", "<p>built"), s.file("index.html", "<p>source"))
	h := newHandler(s, "localhost")
	for _, c := range []struct{ primary, location, body string }{
		{"dist/start.html", "./dist/start.html?a=1", "<p>start"},
		{"dist/index.html", "./dist/?a=1", "<p>built"},
		{"dist/my index.html", "./dist/my%20index.html?a=1", "<p>mine"},
	} {
		s.must(s.Publish.ChoosePrimary(t.Context(), s.owner, gameID, c.primary, publish.Form{Token: "a form"}))
		plays := s.plays()
		res := get(h, "/?a=1")
		if got := res.Header.Get("Location"); res.StatusCode != http.StatusTemporaryRedirect || got != c.location {
			t.Errorf("%s: %d, to %q", c.primary, res.StatusCode, got)
		}
		if n := s.plays(); n != plays {
			t.Errorf("%s: the redirect is a play", c.primary)
		}
		if got := bodyOf(t, get(h, c.location[1:])); got != c.body {
			t.Errorf("%s: %q", c.location, got)
		}
	}
}

func TestRow89(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.put(gameID, s.file("index.html", "<p>hi"))
	h := newHandler(s, "localhost")
	for _, path := range []string{
		"/..%2f..%2fetc/passwd", "/%2e%2e/", "/%2e%2e", "/../", "/.git/HEAD", "/index.html%00.png", `/\`, "/%5c", `/\..\index.html`, "/index.html%00",
		"/%ff", "/.well-known/acme-challenge/x", "/index.html/", "/index.html/x",
	} {
		for _, p := range []place{onProject, onVersion, onPath} {
			res := at(h, p, request("GET", path))
			if res.StatusCode != 404 || len(res.Cookies()) > 0 {
				t.Errorf("place %d %s: %d", p, path, res.StatusCode)
			}
		}
	}
}

func TestRow91TypesAreNeverGuessed(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	html := "<!doctype html><script>alert(1)</script>"
	s.put(gameID, s.file("index.html", html), s.file("x", html), s.file("x.svg", "<svg><script/></svg>"), s.file("x.html.txt", html),
		s.file("latin1.html", "<p>\xe9t\xe9"), s.file("game.wasm", "\x00asm"))
	h := newHandler(s, "localhost")
	for path, want := range map[string]string{
		"/":            "text/html; charset=utf-8",
		"/x":           "application/octet-stream",
		"/x.svg":       "image/svg+xml",
		"/x.html.txt":  "text/plain; charset=utf-8",
		"/latin1.html": "text/html",
		"/game.wasm":   "application/wasm",
	} {
		res := get(h, path)
		if got := res.Header.Get("Content-Type"); got != want || res.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

func TestRow92OnlyThatProject(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.put(gameID, s.file("index.html", "<p>mine"), s.file("secret.txt", "mine"))
	s.put("other-abc234", s.file("index.html", "<p>other"))
	h := newHandler(s, "localhost")
	w := newRecorder()
	h.ServeOrigin(w, request("GET", "/secret.txt"), "other-abc234")
	if w.Code != 404 || strings.Contains(w.Body.String(), "mine") {
		t.Errorf("%d %q", w.Code, w.Body)
	}
	w = newRecorder()
	h.ServeOrigin(w, request("GET", "/~/"+string(gameID)+"/secret.txt"), "other-abc234")
	if w.Code != 404 {
		t.Errorf("a path form on a project's origin: %d", w.Code)
	}
}

func TestRow93(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.put(gameID, s.file("index.html", "<p>hi"))
	h := newHandler(s, "localhost")
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"} {
		res := at(h, onProject, request(method, "/index.html"))
		if res.StatusCode != 405 || res.Header.Get("Allow") != "GET, HEAD, OPTIONS" {
			t.Errorf("%s: %d, Allow %q", method, res.StatusCode, res.Header.Get("Allow"))
		}
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeOrigin(w, r, string(gameID)) }))
	defer srv.Close()
	for name, upgrade := range map[string]string{
		"websocket": "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n",
		"h2c":       "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n",
	} {
		t.Run(name+" is ignored", func(t *testing.T) {
			res := raw(t, srv, "GET / HTTP/1.1\r\nHost: x\r\n"+upgrade+"\r\n")
			if got := bodyOf(t, res); res.StatusCode != 200 || got != "<p>hi" {
				t.Errorf("%d %q", res.StatusCode, got)
			}
		})
	}
}

// raw sends bytes and reads one response.
func raw(t *testing.T, srv *httptest.Server, text string) *http.Response {
	t.Helper()
	conn, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: "GET"})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestOwn404(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.put(gameID, s.file("index.html", "<p>hi"), s.file("404.html", page("lost")))
	h := newHandler(s, "localhost")
	res := get(h, "/none", "Accept-Encoding: gzip", "Range: bytes=0-1", "If-None-Match: *")
	if got := unpack(t, "gzip", []byte(bodyOf(t, res))); res.StatusCode != 404 || got != page("lost") || res.Header.Get("Etag") != "" {
		t.Errorf("%d %q", res.StatusCode, got)
	}
	if res := get(h, "/404.html"); res.StatusCode != 200 || res.Header.Get("Etag") == "" {
		t.Errorf("404.html by its name: %d", res.StatusCode)
	}
	if res := get(h, "/.sandlot/none"); res.StatusCode != 404 || bodyOf(t, res) == page("lost") {
		t.Error("the service's folder has the project's 404 page")
	}
}

func TestHEADHasTheHeadersOfGET(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.put(gameID, s.file("index.html", page("one")), s.file("big.bin", strings.Repeat("x", 2<<20)))
	h := newHandler(s, "localhost")
	for _, c := range [][]string{
		{"/"},
		{"/", "Accept-Encoding: gzip"},
		{"/", "Accept-Encoding: br"},
		{"/", "Sec-Fetch-Dest: document"},
		{"/", "Sec-Fetch-Dest: document", "Accept-Encoding: gzip"},
		{"/big.bin"},
		{"/none"},
		{"/.sandlot/player.js"},
	} {
		get, head := at(h, onProject, request("GET", c[0], c[1:]...)), at(h, onProject, request("HEAD", c[0], c[1:]...))
		if fmt.Sprint(get.Header) != fmt.Sprint(head.Header) || get.StatusCode != head.StatusCode {
			t.Errorf("%v: GET %d %v\nHEAD %d %v", c, get.StatusCode, get.Header, head.StatusCode, head.Header)
		}
		body := bodyOf(t, get)
		if n := get.Header.Get("Content-Length"); n != strconv.Itoa(len(body)) || bodyOf(t, head) != "" {
			t.Errorf("%v: Content-Length %s for %d bytes", c, n, len(body))
		}
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	small, large := s.file("small.bin", "some bytes"), s.file("large.bin", strings.Repeat("0123456789", 200_000))
	s.put(gameID, s.file("index.html", "<p>hi"), small, large)
	var log bytes.Buffer
	h := newHandler(s, "localhost", logTo(&log))
	for _, f := range []testworld.File{small, large} {
		s.broken[f.Content.Ref] = sandlot.ErrCorrupt
		t.Run("a damaged blob is 500 for that file only/"+f.Name, func(t *testing.T) {
			if res := at(h, onProject, request("HEAD", "/"+f.Name)); res.StatusCode != 500 || bodyOf(t, res) != "" {
				t.Errorf("HEAD: %d", res.StatusCode)
			}
			for _, headers := range [][]string{nil, {"Range: bytes=0-3"}, {"Range: bytes=0-3,5-6"}} {
				res := get(h, "/"+f.Name, headers...)
				if body := bodyOf(t, res); res.StatusCode != 500 || !strings.Contains(body, "damaged") || res.Header.Get("Etag") != "" {
					t.Errorf("%d %q", res.StatusCode, body)
				}
				if at(h, onVersion, request("GET", "/"+f.Name, headers...)).Header.Get("Cache-Control") != "no-cache" {
					t.Error("the damage is kept for a year")
				}
			}
			if res := get(h, "/"); res.StatusCode != 200 {
				t.Errorf("another file: %d", res.StatusCode)
			}
			delete(s.broken, f.Content.Ref)
			if res := get(h, "/"+f.Name); res.StatusCode != 200 {
				t.Errorf("the error was kept: %d", res.StatusCode)
			}
		})
	}
	if !strings.Contains(log.String(), "damaged") {
		t.Errorf("not in the log: %s", log.String())
	}

	t.Run("a damaged variant is passed over", func(t *testing.T) {
		s.put(gameID, s.file("index.html", page("variant")))
		for _, f := range s.files(gameID) {
			for _, v := range f.Variants {
				s.broken[v.Blob.Ref] = sandlot.ErrCorrupt
			}
		}
		for _, c := range []struct{ header, want string }{{"X: y", page("variant")}, {document, page("variant") + ownTag}} {
			res := get(h, "/", "Accept-Encoding: br, gzip", c.header)
			if got := bodyOf(t, res); res.StatusCode != 200 || got != c.want || res.Header.Get("Content-Encoding") != "" {
				t.Errorf("%s: %d %q", c.header, res.StatusCode, res.Header.Get("Content-Encoding"))
			}
		}
	})
	t.Run("a missing blob is damage too", func(t *testing.T) {
		s.broken[large.Content.Ref] = sandlot.ErrNotFound
		defer delete(s.broken, large.Content.Ref)
		if res := get(h, "/large.bin"); res.StatusCode != 500 || !strings.Contains(bodyOf(t, res), "damaged") {
			t.Errorf("%d", res.StatusCode)
		}
	})
	t.Run("a store that cannot work is 503 with Retry-After", func(t *testing.T) {
		s.broken[large.Content.Ref] = sandlot.ErrUnavailable
		defer delete(s.broken, large.Content.Ref)
		if res := get(h, "/large.bin"); res.StatusCode != 503 || res.Header.Get("Retry-After") != "5" {
			t.Errorf("%d %q", res.StatusCode, res.Header.Get("Retry-After"))
		}
	})
	t.Run("an error of nobody's is 500 and told to nobody", func(t *testing.T) {
		s.broken[large.Content.Ref] = io.ErrClosedPipe
		defer delete(s.broken, large.Content.Ref)
		if res := get(h, "/large.bin"); res.StatusCode != 500 || strings.Contains(bodyOf(t, res), "pipe") {
			t.Errorf("%d", res.StatusCode)
		}
	})
	t.Run("a failure midway breaks the connection", func(t *testing.T) {
		s.Blobs.Opening = func(context.Context, sandlot.Blob, func() (io.ReadCloser, error)) (io.ReadCloser, error) {
			return io.NopCloser(io.MultiReader(strings.NewReader(strings.Repeat("x", 700_000)), iotest.ErrReader(sandlot.ErrCorrupt))), nil
		}
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeOrigin(w, r, string(gameID)) }))
		defer srv.Close()
		for _, ranges := range []string{"", "bytes=0-1500000", "bytes=0-1,3-1500000"} {
			req, _ := http.NewRequest("GET", srv.URL+"/large.bin", nil)
			req.Header.Set("Range", ranges)
			req.Header.Set("Accept-Encoding", "identity")
			res, err := srv.Client().Do(req)
			if err != nil {
				continue // broken before the first byte: as good
			}
			if n, err := io.Copy(io.Discard, res.Body); err == nil {
				t.Errorf("%q: %d bytes, which look whole", ranges, n)
			}
			_ = res.Body.Close()
		}
	})
}

func TestOneDamagedMiBOfAFileKeepsNoOtherFromBeingRead(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	text := make([]byte, 3<<20)
	rand.NewChaCha8([32]byte{1}).Read(text)
	f := s.file("big.bin", string(text))
	s.put(gameID, s.file("index.html", "<p>hi"), f)
	ref := string(f.Content.Ref)
	damaged := bytes.Clone(text)
	damaged[1<<20+5] ^= 1
	s.must(os.WriteFile(filepath.Join(s.Dir, "blobs", ref[:2], ref), damaged, 0))
	h := newHandler(s, "localhost")
	for _, r := range []string{"bytes=0-9", "bytes=1048000-1048575", "bytes=2097152-", "bytes=-5"} {
		if res := get(h, "/big.bin", "Range: "+r); res.StatusCode != http.StatusPartialContent {
			t.Errorf("%s: %d", r, res.StatusCode)
		}
	}
	for _, r := range []string{"", "bytes=1048576-1048576", "bytes=0-1048576"} {
		if res := get(h, "/big.bin", "Range: "+r); res.StatusCode != http.StatusInternalServerError || !strings.Contains(bodyOf(t, res), "damaged") {
			t.Errorf("%s: %d", r, res.StatusCode)
		}
	}
}

// path answers a request to the path form as it comes from the site.
func path(h *Handler, target string, method string, headers ...string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServePath(w, request(method, target, headers...))
	return w
}

func TestPathForm(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.put(gameID, s.file("index.html", "<p>hi"), s.file("a b.txt", "text"), s.file("docs/index.html", "<p>docs"))
	own, alone := newHandler(s, "localhost:8080"), newHandler(s, "")
	const at = "/~/chess-abc234"
	for _, c := range []struct {
		name, target string
		h            *Handler
		headers      []string
		status       int
		location     string
	}{
		{"the same bytes", at + "/", own, nil, 200, ""},
		{"a file", at + "/a%20b.txt", own, nil, 200, ""},
		{"without its slash", at, own, nil, 308, at + "/"},
		{"without its slash, with a query", at + "?x=1", own, nil, 308, at + "/?x=1"},
		{"a folder without its slash", at + "/docs", own, nil, 308, "./docs/"},
		{"navigation", at + "/", own, []string{document}, 307, "http://chess-abc234.localhost:8080/"},
		{"navigation without the slash", at, own, []string{document}, 307, "http://chess-abc234.localhost:8080/"},
		{"navigation to a file", at + "/a%20b.txt?q=a%2Fb", own, []string{document}, 307, "http://chess-abc234.localhost:8080/a%20b.txt?q=a%2Fb"},
		{"navigation to what looks like a host", at + "//evil.com/", own, []string{document}, 307, "http://chess-abc234.localhost:8080//evil.com/"},
		{"navigation on plain http", at + "/", own, []string{"Upgrade-Insecure-Requests: 1", "Accept: text/html"}, 307, "http://chess-abc234.localhost:8080/"},
		{"navigation where there is no content host", at + "/", alone, []string{document}, 200, ""},
		{"frame", at + "/", own, []string{"Sec-Fetch-Dest: iframe"}, 200, ""},
		{"service worker", at + "/a%20b.txt", own, []string{"Service-Worker: script"}, 403, ""},
		{"service worker where there is no content host", at + "/a%20b.txt", alone, []string{"Service-Worker: script"}, 403, ""},
		{"no project", "/~/nobody-abc234/", own, nil, 404, ""},
		{"no project, navigation", "/~/nobody-abc234/", own, []string{document}, 404, ""},
		{"no id", "/~/", own, nil, 404, ""},
		{"a version's label", at + "--v1-" + suffix + "/", own, nil, 404, ""},
		{"dots", "/~/../x", own, nil, 404, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := path(c.h, c.target, "GET", c.headers...)
			if w.Code != c.status || w.Header().Get("Location") != c.location {
				t.Errorf("%d %q, want %d %q", w.Code, w.Header().Get("Location"), c.status, c.location)
			}
			checkHeaders(t, onPath, w.Result())
			if w.Code == 307 && (w.Header().Get("Cache-Control") != "no-store" || w.Header().Get("Vary") == "") {
				t.Errorf("%v", w.Header())
			}
		})
	}
	t.Run("preflight of a page in the sandbox", func(t *testing.T) {
		w := path(own, at+"/a%20b.txt", "OPTIONS", "Origin: null", "Access-Control-Request-Method: GET", "Access-Control-Request-Headers: range")
		if w.Code != 204 || w.Header().Get("Access-Control-Allow-Methods") != "GET, HEAD, OPTIONS" || w.Header().Get("Access-Control-Allow-Headers") != "*" {
			t.Errorf("%d %v", w.Code, w.Header())
		}
	})
	t.Run("off", func(t *testing.T) {
		off := newHandler(s, "localhost", func(c *Config) { c.Places.PathForm = false })
		if w := path(off, at+"/", "GET"); w.Code != 404 {
			t.Errorf("%d", w.Code)
		}
	})
	t.Run("under a base URL with a path", func(t *testing.T) {
		h := newHandler(s, "", func(c *Config) { c.Places.Base = &url.URL{Scheme: "http", Host: "192.0.2.1", Path: "/sand"} })
		w := path(h, "/sand/~/chess-abc234/", "GET", document)
		if want := `<p>hi<script async src="/sand/~/chess-abc234/.sandlot/player.js"></script>`; w.Body.String() != want {
			t.Errorf("%q", w.Body)
		}
	})
}

// preparedRecorder takes prepared answers, and makes of them what a client would read.
type preparedRecorder struct {
	*httptest.ResponseRecorder
	answers int
}

func (r *preparedRecorder) WritePrepared(status int, shared, own, body []byte) bool {
	if len(r.Header()) > 0 {
		return false
	}
	text := fmt.Appendf(nil, "HTTP/1.1 %d x\r\n%s%s\r\n", status, shared, own)
	res, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(append(text, body...))), nil)
	if err != nil {
		panic(err)
	}
	for name, values := range res.Header {
		r.Header()[name] = values
	}
	r.ResponseRecorder.WriteHeader(status)
	_, _ = r.ResponseRecorder.Write(body)
	r.answers++
	return true
}

func TestPreparedAnswersEqualUnpreparedOnes(t *testing.T) {
	t.Parallel()
	type seen struct {
		Status int
		Header http.Header
		Body   string
	}
	browser := []string{"Sec-Fetch-Dest: document", "Accept-Encoding: gzip, br"}
	for _, c := range []struct {
		name, path string
		headers    []string
		prepared   bool
	}{
		{"plain", "/", nil, true},
		{"gzip", "/", []string{"Accept-Encoding: gzip"}, true},
		{"br", "/", []string{"Accept-Encoding: gzip, br"}, true},
		{"not modified", "/", []string{"If-None-Match: *"}, true},
		{"not modified, gzip", "/", []string{"If-None-Match: *", "Accept-Encoding: gzip"}, true},
		{"a file that is not the primary one", "/game.js", []string{"Accept-Encoding: gzip"}, true},
		{"a file that is never compressed", "/logo.png", nil, true},
		{"an empty file", "/empty.txt", nil, true},
		{"a page followed by the script", "/", browser, false},
		{"a range", "/game.js", []string{"Range: bytes=1-2"}, false},
		{"the project's own page for what is not there", "/none", nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, verified := range []bool{false, true} {
				s := newWorld(t)
				s.put(gameID, s.file("index.html", page("a")), s.file("game.js", page("b")), s.file("logo.png", "png"), s.file("empty.txt", ""), s.file("404.html", "no"))
				if verified {
					s.verify()
				}
				h := newHandler(s, "localhost")
				var got [3]seen
				answers := 0
				for i := range got {
					var w interface {
						http.ResponseWriter
						Result() *http.Response
					} = httptest.NewRecorder()
					rec := &preparedRecorder{ResponseRecorder: httptest.NewRecorder()}
					if i > 0 { // the second has its lines from the first
						w = rec
					}
					h.ServeOrigin(w, request("GET", c.path, c.headers...), string(gameID))
					res := w.Result()
					body, err := io.ReadAll(res.Body)
					if err != nil {
						t.Fatal(err)
					}
					got[i] = seen{res.StatusCode, res.Header, string(body)}
					answers += rec.answers
				}
				if d := cmp.Diff(got[0], got[1]) + cmp.Diff(got[0], got[2]); d != "" {
					t.Errorf("verified %v: ordinary - prepared +\n%s", verified, d)
				}
				if (answers == 2) != c.prepared {
					t.Errorf("%d of 2 were prepared", answers)
				}
			}
		})
	}
}
