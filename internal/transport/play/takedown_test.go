package play

import (
	"io"
	"strings"
	"testing"

	"sandlot"
)

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
