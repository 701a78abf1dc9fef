package play

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestAnOriginOfAPreviewHasOurOwnPageAndNothingElse: what the website alone may frame, under the policy that files will have, and no project.
func TestAnOriginOfAPreviewHasOurOwnPageAndNothingElse(t *testing.T) {
	t.Parallel()
	const label = "preview--0123456789abcdefghjk"
	s := newWorld(t)
	s.put(gameID, s.file("index.html", page("one")))
	h := newHandler(s, "example.net", func(c *Config) { c.Quarantine = true })
	get := func(label, method, path string) *http.Response {
		w := httptest.NewRecorder()
		h.ServeOrigin(w, request(method, path), label)
		return w.Result()
	}
	for path, want := range map[string]string{
		"/.sandlot/preview": csp, "/.sandlot/preview?unverified": quarantinedOrigin, "/.sandlot/preview-end": quarantinedOrigin, "/.sandlot/preview.js": "", "/.sandlot/preview-worker.js": "",
	} {
		res := get(label, "GET", path)
		policy := res.Header.Get("Content-Security-Policy")
		if res.StatusCode != http.StatusOK || want != "" && policy != want+"; frame-ancestors 'self' "+h.Places.Base.String() {
			t.Errorf("%s: %d, %q", path, res.StatusCode, policy)
		}
		if wants := strings.HasSuffix(path, "worker.js"); (res.Header.Get("Service-Worker-Allowed") == "/") != wants {
			t.Errorf("%s may serve %q", path, res.Header.Get("Service-Worker-Allowed"))
		}
		if wants := strings.HasSuffix(path, "-end"); (res.Header.Get("Clear-Site-Data") != "") != wants {
			t.Errorf("%s clears %q", path, res.Header.Get("Clear-Site-Data"))
		}
		if res := get(string(gameID), "GET", path); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s of a project: %d", path, res.StatusCode)
		}
	}
	for _, c := range [][3]string{
		{label, "GET", "/"}, {label, "GET", "/index.html"}, {label, "GET", "/.sandlot/storage"}, {label, "GET", "/.sandlot/player.js"}, {"preview--0", "GET", "/.sandlot/preview"},
	} {
		if res := get(c[0], c[1], c[2]); res.StatusCode != http.StatusNotFound {
			t.Errorf("%v: %d", c, res.StatusCode)
		}
	}
	if res := get(label, "POST", "/.sandlot/preview"); res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("a POST: %d", res.StatusCode)
	}
}

// TestAPreviewInThePathFormDoesNothingToTheOriginOfTheWebsite: the doors that clear an origin, or serve all of it, are not there, and what
// is there says neither.
func TestAPreviewInThePathFormDoesNothingToTheOriginOfTheWebsite(t *testing.T) {
	t.Parallel()
	h := newHandler(newWorld(t), "")
	for name, want := range map[string]int{"preview": http.StatusOK, "preview.js": http.StatusOK, "preview-end": http.StatusNotFound, "preview-worker.js": http.StatusNotFound} {
		for _, method := range []string{"GET", "HEAD", "POST"} {
			w := httptest.NewRecorder()
			h.ServePath(w, request(method, "/~/preview--0123456789abcdefghjk/.sandlot/"+name))
			res := w.Result()
			if method != "POST" && res.StatusCode != want || res.StatusCode < 300 && method == "POST" {
				t.Errorf("%s %s: %d, not %d", method, name, res.StatusCode, want)
			}
			for _, header := range []string{"Clear-Site-Data", "Service-Worker-Allowed"} {
				if res.Header.Get(header) != "" {
					t.Errorf("%s %s: %s: %s", method, name, header, res.Header.Get(header))
				}
			}
		}
	}
}
