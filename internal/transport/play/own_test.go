package play

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sandlot"

	"sandlot/internal/domain/admission"
	"sandlot/internal/testkit/testworld"
)

// TestEveryDoorHasAnOperation by which admission knows it. Files are behind no door.
func TestEveryDoorHasAnOperation(t *testing.T) {
	t.Parallel()
	for _, d := range append(previewDoors, ownDoors...) {
		if !d.operation.Known() {
			t.Errorf("%s: %v", d.name, d.operation)
		}
	}
}

// TestHeartbeatsHaveALimit for each address, on every address of a project; reading takes nothing of it.
func TestHeartbeatsHaveALimit(t *testing.T) {
	t.Parallel()
	limits := admission.New(admission.Config{Heartbeats: admission.Rate{Count: 1, Per: time.Hour, Burst: 1}, Public: true})
	s := newWorld(t)
	s.put(gameID, s.file("index.html", page("one")))
	h := newHandler(s, "example.net", func(c *Config) { c.Admission = limits })
	beat := func() *http.Response { return at(h, onProject, request("POST", "/.sandlot/heartbeat")) }
	if res := beat(); res.StatusCode != http.StatusNoContent {
		t.Errorf("the first: %d", res.StatusCode)
	}
	for range 2 {
		if res := at(h, onProject, request("OPTIONS", "/.sandlot/heartbeat")); res.StatusCode != http.StatusNoContent {
			t.Errorf("a question for the methods: %d", res.StatusCode)
		}
		if res := at(h, onProject, request("GET", "/.sandlot/player.js")); res.StatusCode != http.StatusOK {
			t.Errorf("the script: %d", res.StatusCode)
		}
	}
	if res := beat(); res.StatusCode != http.StatusTooManyRequests || res.Header.Get("Retry-After") == "" {
		t.Errorf("the second: %d, Retry-After %q", res.StatusCode, res.Header.Get("Retry-After"))
	}
}

// TestRegression16ThePageThatAsksForStorageIsOfNoOtherUse: it reports to the site alone, is framed by the site alone, and has no data.
func TestRegression16ThePageThatAsksForStorageIsOfNoOtherUse(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.put(gameID, s.file("index.html", page("one")))
	h := newHandler(s, "localhost")
	res := get(h, "/.sandlot/storage", "Cookie: secret=1")
	policy, body := res.Header.Get("Content-Security-Policy"), bodyOf(t, res)
	if res.StatusCode != 200 || !strings.HasPrefix(policy, "default-src 'none'; script-src 'sha256-") || !strings.HasSuffix(policy, "; frame-ancestors http://localhost:8080") || strings.Contains(policy, "unsafe") {
		t.Errorf("%d, %q", res.StatusCode, policy)
	}
	if !strings.Contains(body, `parent.postMessage({storage},"http://localhost:8080")`) || strings.Contains(body, "secret") || strings.Contains(body, string(gameID)) {
		t.Errorf("%s", body)
	}
	if other := get(h, "/.sandlot/storage?x=<script>"); bodyOf(t, other) != body || other.Header.Get("Content-Security-Policy") != policy {
		t.Error("what is asked for changes it")
	}
	embedded := get(h, "/.sandlot/storage?embedded")
	if got := embedded.Header.Get("Content-Security-Policy"); !strings.HasSuffix(got, "; frame-ancestors *") || bodyOf(t, embedded) != body {
		t.Errorf("embedded: %q", got)
	}
	for p, want := range map[place]int{onVersion: 404, onPath: 404} {
		if got := at(h, p, request("GET", "/.sandlot/storage")).StatusCode; got != want {
			t.Errorf("place %d: %d, want %d", p, got, want)
		}
	}
	if got := at(h, onProject, request("POST", "/.sandlot/storage")).StatusCode; got != 405 {
		t.Errorf("POST: %d", got)
	}
	if s.plays() != 0 {
		t.Error("it is a play")
	}
}

// TestRegression21AnIconIsAlwaysThere: browsers ask for /favicon.ico by themselves, and a 404 would stand in the game's console.
func TestRegression21AnIconIsAlwaysThere(t *testing.T) {
	t.Parallel()
	const document = "index.html"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string // empty: ours
		kind  string
	}{
		{"none", map[string]string{document: page("one")}, "", "image/svg+xml"},
		{"favicon.ico", map[string]string{document: page("one"), "favicon.ico": "ico", "favicon.svg": "<svg/>"}, "ico", "image/x-icon"},
		{"favicon.svg", map[string]string{document: page("one"), "favicon.svg": "<svg/>", "favicon.png": "png"}, "<svg/>", "image/svg+xml"},
		{"favicon.png", map[string]string{document: page("one"), "favicon.png": "png"}, "png", "image/png"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newWorld(t)
			var files []testworld.File
			for name, content := range c.files {
				files = append(files, s.file(name, content))
			}
			s.put(gameID, files...)
			h := newHandler(s, "localhost")
			for p, target := range map[place]string{onProject: "/favicon.ico", onVersion: "/favicon.ico", onPath: "/favicon.ico"} {
				res := at(h, p, request("GET", target))
				body, want := bodyOf(t, res), c.want
				if want == "" {
					want = string(iconSVG)
				}
				if res.StatusCode != 200 || body != want || !strings.HasPrefix(res.Header.Get("Content-Type"), c.kind) {
					t.Errorf("place %d: %d, %s, %.40q", p, res.StatusCode, res.Header.Get("Content-Type"), body)
				}
			}
			if s.plays() != 0 {
				t.Error("an icon is no play")
			}
		})
	}
}

// down is a world in which the game, of three versions, was taken down.
func down(t *testing.T) *world {
	s := newWorld(t)
	s.put(gameID, s.file("index.html", "<p>hi"), s.file("sw.js", "// a worker"))
	s.put(gameID, s.file("index.html", "<p>hello"))
	_, err := s.Operate.Suspend(t.Context(), sandlot.AsOperator("anna"), string(gameID), "a report")
	s.must(err)
	return s
}

func TestATakenDownProjectIs451OnEveryAddress(t *testing.T) {
	t.Parallel()
	h := newHandler(down(t), "localhost")
	for _, p := range []place{onProject, onVersion, onPath} {
		for _, target := range []string{"/", "/index.html", "/sw.js", "/none", "/.sandlot/player.js"} {
			for _, header := range []string{"X: none", "Sec-Fetch-Dest: document", `If-None-Match: *`, "Range: bytes=0-1"} {
				resp := at(h, p, request("GET", target, header))
				body, _ := io.ReadAll(resp.Body)
				if resp.StatusCode != 451 || !strings.Contains(string(body), "taken down") || strings.Contains(string(body), "<p>hi") {
					t.Errorf("place %d %s with %s: %d %s", p, target, header, resp.StatusCode, body)
				}
				checkHeaders(t, p, resp)
				if got := resp.Header.Get("Cache-Control"); got != "no-cache" {
					t.Errorf("place %d %s: Cache-Control %q", p, target, got)
				}
				want := ""
				if p != onPath && strings.Contains(header, "document") {
					want = `"cache"`
				}
				if got := resp.Header.Get("Clear-Site-Data"); got != want {
					t.Errorf("place %d %s with %s: Clear-Site-Data %q, want %q", p, target, header, got, want)
				}
			}
		}
	}
}

func TestTheWorkerOfATakenDownProjectIsReplacedByItsLast(t *testing.T) {
	t.Parallel()
	s := down(t)
	h := newHandler(s, "localhost")
	for _, p := range []place{onProject, onVersion} {
		for _, target := range []string{"/sw.js", "/deep/worker.js?v=2", "/none"} {
			resp := at(h, p, request("GET", target, "Service-Worker: script"))
			body, _ := io.ReadAll(resp.Body)
			if resp.StatusCode != 200 || !strings.Contains(string(body), "registration.unregister()") || resp.Header.Get("Content-Type") != "text/javascript; charset=utf-8" {
				t.Errorf("place %d %s: %d %s", p, target, resp.StatusCode, body)
			}
			if resp.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("place %d %s may be kept: %s", p, target, resp.Header.Get("Cache-Control"))
			}
			checkHeaders(t, p, resp)
		}
	}
	if resp := at(h, onPath, request("GET", "/sw.js", "Service-Worker: script")); resp.StatusCode != 451 {
		t.Errorf("in the path form: %d", resp.StatusCode)
	}
	_, err := s.Operate.Reinstate(t.Context(), sandlot.AsOperator("anna"), string(gameID), "a mistake")
	s.must(err)
	s.Publish.Heads.Drop(sandlot.Changed{Projects: []sandlot.ProjectID{gameID}}) // as a second does
	if resp := at(h, onProject, request("GET", "/sw.js", "Service-Worker: script")); resp.StatusCode != 200 {
		t.Errorf("the project's own, reinstated: %d", resp.StatusCode)
	} else if body, _ := io.ReadAll(resp.Body); string(body) != "// a worker" {
		t.Errorf("the project's own, reinstated: %s", body)
	}
}

// TestAProjectThatGoesWhileItIsReadIsGone: another node deleted it after this one had confirmed its head.
func TestAProjectThatGoesWhileItIsReadIsGone(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.put(gameID, s.file("index.html", "<p>hi"))
	s.listErr = sandlot.ErrNotFound
	h := newHandler(s, "localhost")
	for _, p := range []place{onProject, onVersion, onPath} {
		if resp := at(h, p, request("GET", "/", "X: none")); resp.StatusCode != 404 {
			t.Errorf("place %d: %d", p, resp.StatusCode)
		}
	}
}

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
