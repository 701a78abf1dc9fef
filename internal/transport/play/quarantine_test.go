package play

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

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
