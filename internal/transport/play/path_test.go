package play

import (
	"net/http/httptest"
	"net/url"
	"testing"
)

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
