package play

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sandlot/internal/domain/publish"

	"sandlot"
)

// Catalogue, section 1: these are on every response of a project's origin.
var wantAlways = map[string]string{
	"X-Content-Type-Options":       "nosniff",
	"Origin-Agent-Cluster":         "?1",
	"Cross-Origin-Resource-Policy": "cross-origin",
	"Referrer-Policy":              "strict-origin-when-cross-origin",
	"Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), hid=(), midi=(), " +
		"display-capture=(), browsing-topics=()",
}

var wantNever = []string{"Set-Cookie", "Access-Control-Allow-Credentials", "Service-Worker-Allowed", "Server", "X-Powered-By"}

func TestHeadersOnEveryResponse(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	damaged := s.file("damaged.bin", "some bytes")
	s.broken[damaged.Content.Ref] = sandlot.ErrCorrupt
	s.put(gameID, s.file("index.html", page("one")), s.file("a.txt", "0123456789"), s.file("docs/index.html", "<p>docs"), damaged)
	h := newHandler(s, "localhost:8080")
	etag := get(h, "/a.txt").Header.Get("Etag")

	for _, c := range []struct {
		name   string
		req    *http.Request
		status int
	}{
		{"page", request("GET", "/"), 200},
		{"HEAD", request("HEAD", "/"), 200},
		{"navigation", request("GET", "/", "Sec-Fetch-Dest: document"), 200},
		{"304", request("GET", "/a.txt", "If-None-Match: "+etag), 304},
		{"206", request("GET", "/a.txt", "Range: bytes=1-2"), 206},
		{"416", request("GET", "/a.txt", "Range: bytes=99-"), 416},
		{"folder", request("GET", "/docs"), 308},
		{"404", request("GET", "/none"), 404},
		{"405", request("PUT", "/"), 405},
		{"TRACE", request("TRACE", "/"), 405},
		{"OPTIONS", request("OPTIONS", "/"), 204},
		{"500", request("GET", "/damaged.bin"), 500},
		{"script", request("GET", "/.sandlot/player.js"), 200},
		{"heartbeat", request("POST", "/.sandlot/heartbeat"), 204},
		{"heartbeat from elsewhere", request("POST", "/.sandlot/heartbeat", "Sec-Fetch-Site: cross-site"), 403},
		{"heartbeat by GET", request("GET", "/.sandlot/heartbeat"), 405},
		{"unknown of ours", request("GET", "/.sandlot/none"), 404},
	} {
		for p, where := range map[place]string{onProject: "project", onVersion: "version", onPath: "path form"} {
			t.Run(c.name+"/"+where, func(t *testing.T) {
				status := c.status
				switch {
				case p == onVersion && strings.HasPrefix(c.req.URL.Path, ours):
					status = 404 // a version's address has no heartbeat and no script
				case p == onPath && c.name == "navigation":
					status = 307
				}
				res := at(h, p, c.req.Clone(t.Context()))
				if res.StatusCode != status {
					t.Errorf("status %d, want %d", res.StatusCode, status)
				}
				checkHeaders(t, p, res)
			})
		}
	}
	for _, label := range []string{"nobody-abc234", "", "www", "a.b", "Chess-abc234", string(gameID) + "--v9-" + suffix, string(gameID) + "--v01-" + suffix, "xn--a"} {
		t.Run("no project/"+label, func(t *testing.T) {
			w := newRecorder()
			h.ServeOrigin(w, request("GET", "/"), label)
			if w.Code != 404 || !strings.Contains(w.Body.String(), "There is no project") {
				t.Errorf("%d %q", w.Code, w.Body)
			}
			checkHeaders(t, onProject, w.Result())
		})
	}
}

func checkHeaders(t *testing.T, p place, res *http.Response) {
	t.Helper()
	for name, want := range wantAlways {
		if got := res.Header.Values(name); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for _, name := range wantNever {
		if got := res.Header.Values(name); len(got) > 0 {
			t.Errorf("%s: %q must never be sent", name, got)
		}
	}
	policy := res.Header.Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "object-src 'none'; base-uri 'self'") || strings.Contains(policy, "frame-ancestors") {
		t.Errorf("Content-Security-Policy: %q", policy)
	}
	if sandboxed := strings.Contains(policy, "; sandbox allow-scripts"); sandboxed != (p == onPath) || strings.Contains(policy, "allow-same-origin") {
		t.Errorf("Content-Security-Policy: %q", policy)
	}
	if open := res.Header.Get("Access-Control-Allow-Origin") == "*"; open != (p == onPath) {
		t.Errorf("Access-Control-Allow-Origin: %q", res.Header.Get("Access-Control-Allow-Origin"))
	}
	if res.Header.Get("Cache-Control") == "" {
		t.Error("no Cache-Control")
	}
	if res.StatusCode != 204 && res.StatusCode != 304 && res.Header.Get("Content-Length") == "" {
		t.Error("no Content-Length")
	}
	if res.Header.Get("X-Robots-Tag") != "noindex" {
		t.Error("not noindex, though the account is not verified")
	}
}

func TestNoindexUntilVerified(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.put(gameID, s.file("index.html", "<p>hi"))
	s.verify()
	if got := get(newHandler(s, "localhost"), "/").Header.Values("X-Robots-Tag"); got != nil {
		t.Errorf("X-Robots-Tag: %q on a verified account's project", got)
	}
}

func TestCacheControl(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.put(gameID, s.file("index.html", "<p>hi"))
	h := newHandler(s, "localhost")
	for _, c := range []struct {
		p          place
		path, want string
	}{
		{onProject, "/", "no-cache"},
		{onProject, "/none", "no-cache"},
		{onPath, "/", "no-cache"},
		{onVersion, "/", "public, max-age=31536000, immutable, s-maxage=25"},
		{onVersion, "/none", "no-cache"},
	} {
		if got := at(h, c.p, request("GET", c.path)).Header.Get("Cache-Control"); got != c.want {
			t.Errorf("place %d %s: %q, want %q", c.p, c.path, got, c.want)
		}
	}
}

func TestLabel(t *testing.T) {
	t.Parallel()
	h := newHandler(newWorld(t), "Play.Example.net:8080")
	for host, want := range map[string]string{
		"chess-abc234.play.example.net:8080": "chess-abc234",
		"chess-abc234.play.example.net":      "chess-abc234", // behind a tunnel or proxy
		"CHESS-abc234.Play.example.NET":      "chess-abc234",
		"chess-abc234.play.example.net.":     "chess-abc234",
		"a.b.play.example.net":               "a.b",
		".play.example.net":                  "",
	} {
		if got, ok := h.Label(host); !ok || got != want {
			t.Errorf("Label(%q) = %q, %v", host, got, ok)
		}
	}
	for _, host := range []string{"play.example.net", "example.net", "evil.com", "chess.play.example.net.evil.com", "xplay.example.net", "192.0.2.1", "[::1]:8080", ""} {
		if got, ok := h.Label(host); ok {
			t.Errorf("Label(%q) = %q, want none", host, got)
		}
	}
	if _, ok := newHandler(newWorld(t), "").Label("chess-abc234.localhost"); ok {
		t.Error("a label without a content host")
	}
}

func TestThreadsIsolateTheProjectsOwnOriginsAlone(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.put(gameID, s.file("index.html", page("one")), s.file("a.wasm", "wasm"))
	h := newHandler(s, "localhost:8080")
	for _, threads := range []bool{false, true, false} { // the switch acts on the next answer, also on one that was prepared
		s.must(s.Publish.Describe(t.Context(), s.owner, gameID, publish.DescribeInput{Details: publish.Details{Threads: threads}}))
		for _, path := range []string{"/", "/a.wasm", "/none", "/.sandlot/player.js"} {
			for where, isolated := range map[place]bool{onProject: threads, onVersion: threads, onPath: false} {
				if where == onVersion && path == "/.sandlot/player.js" {
					continue
				}
				opener, embedder := "", ""
				if isolated {
					opener, embedder = "same-origin", "require-corp"
				}
				got := at(h, where, request("GET", path)).Header
				if got.Get("Cross-Origin-Opener-Policy") != opener || got.Get("Cross-Origin-Embedder-Policy") != embedder {
					t.Errorf("%s on place %d with threads %v: %v", path, where, threads, got)
				}
			}
		}
		rec := &preparedRecorder{ResponseRecorder: httptest.NewRecorder()}
		h.ServeOrigin(rec, request("GET", "/a.wasm"), string(gameID))
		if got := rec.Header().Get("Cross-Origin-Embedder-Policy"); rec.answers != 1 || (got == "require-corp") != threads {
			t.Errorf("prepared with threads %v: %q", threads, got)
		}
	}
}

// TestQuarantine: the projects of an account that nobody has verified may send nothing anywhere else, where the operator asks for it.
func TestQuarantine(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.put(gameID, s.file("index.html", page("game")))
	policy := func(on bool, where place) string {
		h := newHandler(s, "example.net", func(c *Config) { c.Quarantine = on })
		return at(h, where, request("GET", "/")).Header.Get("Content-Security-Policy")
	}
	places := []place{onProject, onVersion, onPath}
	for _, where := range places {
		strict := policy(true, where)
		for _, want := range []string{"default-src 'self' 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' data: blob:", "connect-src 'self' data: blob:", "form-action 'none'", "; frame-src data: blob:", "sandbox allow-scripts allow-pointer-lock allow-orientation-lock allow-modals allow-forms"} {
			if !strings.Contains(strict, want) {
				t.Errorf("place %v: %q lacks %q", where, strict, want)
			}
		}
		if own := strings.Contains(strict, "allow-same-origin"); own != (where != onPath) {
			t.Errorf("place %v: an origin of its own: %v", where, own)
		}
		if got := policy(false, where); strings.Contains(got, "form-action") {
			t.Errorf("place %v: without quarantine %q", where, got)
		}
	}
	s.verify()
	for _, where := range places {
		if got := policy(true, where); strings.Contains(got, "form-action") {
			t.Errorf("place %v: verified, and yet %q", where, got)
		}
	}
	if got := at(newHandler(s, "example.net", func(c *Config) { c.Quarantine = true }), onProject, request("GET", "/none")); got.StatusCode != http.StatusNotFound {
		t.Errorf("a missing file is %d", got.StatusCode)
	}
}

// TestRegressionM22NoWorkerAnswersInQuarantine: a browser that asks for a service worker gets one that removes itself, also where it could have
// kept the file for an ordinary request.
func TestRegressionM22NoWorkerAnswersInQuarantine(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.put(gameID, s.file("index.html", page("game")), s.file("sw.js", "// a worker"))
	h := newHandler(s, "example.net", func(c *Config) { c.Quarantine = true })
	removed := func(where place) bool {
		body, _ := io.ReadAll(at(h, where, request("GET", "/sw.js", "Service-Worker: script", "If-None-Match: *")).Body)
		return strings.Contains(string(body), "registration.unregister()")
	}
	for _, where := range []place{onProject, onVersion, onPath} {
		if where != onPath && !removed(where) { // there are none on the path form
			t.Errorf("place %v: the worker is the project's", where)
		}
		if got := at(h, where, request("GET", "/sw.js")).Header; got.Get("Cache-Control") != "no-cache" || got.Get("Connection-Allowlist") != "(response-origin);webrtc=block" {
			t.Errorf("place %v: %v", where, got)
		}
	}
	s.verify()
	for _, where := range []place{onProject, onVersion} {
		if got := at(h, where, request("GET", "/sw.js")).Header.Get("Connection-Allowlist"); removed(where) || got != "" {
			t.Errorf("place %v: verified, and yet the worker is ours: %v, %q", where, removed(where), got)
		}
	}
}
