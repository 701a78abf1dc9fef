package play

import (
	"strings"
	"testing"
)

// TestRegression16ThePageThatAsksForStorageIsOfNoOtherUse: it tells the site alone, is framed by the site alone, and has no data.
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
