package play

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/testworld"
)

// held is a world in which the game, of three versions, is held.
func held(t *testing.T) *world {
	w := newWorld(t)
	w.put(gameID, w.file("index.html", "<p>hi"), w.file("sw.js", "// a worker"))
	testworld.HoldFields(w.World, gameID)
	return w
}

// reachedBy returns a Config whose pages name the operator.
func reachedBy(c *Config) { c.Contact = "mailto:abuse@example.com" }

func TestAHeldProjectIs451WithTheReasonAndAnAppeal(t *testing.T) {
	t.Parallel()
	h := newHandler(held(t), "localhost", reachedBy)
	for _, p := range []place{onProject, onPath} {
		for _, target := range []string{"/", "/index.html", "/sw.js", "/none", "/.sandlot/player.js"} {
			for _, header := range []string{"X: none", "Sec-Fetch-Dest: document", "If-None-Match: *", "Range: bytes=0-1"} {
				resp := at(h, p, request("GET", target, header))
				body := bodyOf(t, resp)
				for _, want := range []string{
					"password", "email", `href="http://localhost:8080/appeal/chess-abc234"`, `href="mailto:abuse@example.com"`, "/report?project=chess-abc234",
				} {
					if !strings.Contains(body, want) {
						t.Errorf("place %d %s with %s lacks %s: %s", p, target, header, want, body)
					}
				}
				if resp.StatusCode != 451 || strings.Contains(body, "<p>hi") {
					t.Errorf("place %d %s with %s: %d %s", p, target, header, resp.StatusCode, body)
				}
				if got, want := resp.Header.Get("Clear-Site-Data"), p != onPath && strings.Contains(header, "document"); (got == `"cache"`) != want {
					t.Errorf("place %d %s with %s: Clear-Site-Data %q", p, target, header, got)
				}
				checkHeaders(t, p, resp)
			}
		}
	}
	if resp := at(newHandler(held(t), "localhost"), onProject, request("GET", "/")); strings.Contains(bodyOf(t, resp), "mailto:") {
		t.Error("a contact is shown without one")
	}
}

func TestTheWorkerOfAHeldProjectIsReplacedByItsLast(t *testing.T) {
	t.Parallel()
	w := held(t)
	h := newHandler(w, "localhost")
	resp := at(h, onProject, request("GET", "/sw.js", "Service-Worker: script"))
	if body := bodyOf(t, resp); resp.StatusCode != 200 || !strings.Contains(body, "registration.unregister()") {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	_, err := w.Operate.Release(t.Context(), sandlot.AsOperator("anna"), string(gameID), "a game")
	w.must(err)
	w.Publish.Heads.Drop(sandlot.Changed{Projects: []sandlot.ProjectID{gameID}}) // as a second does
	resp = at(h, onProject, request("GET", "/sw.js", "Service-Worker: script"))
	if body := bodyOf(t, resp); body != "// a worker" {
		t.Errorf("the project's own, released: %d %s", resp.StatusCode, body)
	}
}

func TestPlayersOfAHeldProjectKeepAndReadNothing(t *testing.T) {
	t.Parallel()
	w := held(t)
	h := newHandler(w, "localhost", w.playing)
	for _, p := range []place{onProject, onPath} {
		for _, call := range []string{"/.sandlot/player", "/.sandlot/saves/main", "/.sandlot/scores/main"} {
			resp := at(h, p, request("GET", call))
			if body := bodyOf(t, resp); resp.StatusCode != 451 || !strings.Contains(body, `"reason":"held"`) {
				t.Errorf("place %d %s: %d %s", p, call, resp.StatusCode, body)
			}
		}
	}
}

// TestTheAddressOfAVersionWorksForThreeNetworksWhileItIsHeld: it would be a lure itself.
func TestTheAddressOfAVersionWorksForThreeNetworksWhileItIsHeld(t *testing.T) {
	t.Parallel()
	w := held(t)
	h := newHandler(w, "localhost")
	kept := ""
	get := func(network int) int {
		r := request("GET", "/")
		r.RemoteAddr = fmt.Sprintf("192.0.2.%d:1234", network)
		resp := at(h, onVersion, r)
		kept = resp.Header.Get("Cache-Control")
		return resp.StatusCode
	}
	for network, want := range []int{200, 200, 200, 451, 451} {
		if got := get(network + 1); got != want {
			t.Errorf("network %d: %d, want %d", network+1, got, want)
		}
	}
	if got := get(1); got != 200 || kept != "no-store" {
		t.Errorf("the first again: %d, with Cache-Control %s", got, kept)
	}
	w.verify()
	w.Publish.Heads.Drop(sandlot.Changed{Projects: []sandlot.ProjectID{gameID}})
	if got := at(h, onVersion, request("GET", "/")).StatusCode; got != 200 {
		t.Errorf("after the hold: %d", got)
	}
	if got := get(5); got != 200 {
		t.Errorf("another network after the hold: %d", got)
	}
}

// TestNobodyOfACrowdSeesAHeldVersion: behind the address of a container's gateway may be anybody.
func TestNobodyOfACrowdSeesAHeldVersion(t *testing.T) {
	t.Parallel()
	w := held(t)
	err := w.Publish.Reader.View(t.Context(), sandlot.Caller{From: sandlot.Sender{Network: "172.17.0.1", Shared: true}}, testworld.HoldFields(w.World, gameID))
	if sandlot.HeldRule(err) != sandlot.HeldFields {
		t.Error(err)
	}
}

func TestThePlayTesterSeesAHeldProject(t *testing.T) {
	t.Parallel()
	w := held(t)
	h := newHandler(w, "localhost")
	p, err := w.DB.Publish().Project(t.Context(), gameID)
	w.must(err)
	for _, suffix := range []string{"", p.Suffix} {
		rec := httptest.NewRecorder()
		h.ServeTrial(rec, request("GET", "/"), gameID, p.Version, suffix)
		if rec.Code != 200 || !strings.Contains(rec.Body.String(), "<p>hi") {
			t.Errorf("suffix %q: %d %s", suffix, rec.Code, rec.Body)
		}
	}
	if n, err := w.DB.Publish().LastHold(t.Context(), gameID); err == nil {
		t.Errorf("its look ended the hold: %v", n)
	}
	w.must(w.DB.Publish().ViewHeld(t.Context(), publish.HeldView{Project: gameID, Version: p.Version, Most: 1, At: w.Now()}))
}

func TestAHoldByAnotherRuleNamesTheOperator(t *testing.T) {
	t.Parallel()
	h := newHandler(newWorld(t), "localhost")
	rec := httptest.NewRecorder()
	x := exchange{Handler: h, w: rec, r: request("GET", "/"), root: "/", project: sandlot.Project{ID: gameID}}
	x.fail(sandlot.Held(sandlot.Project{ID: gameID, Held: sandlot.Hold{Rule: sandlot.HeldReports, At: testworld.Start}}))
	if body := rec.Body.String(); rec.Code != 451 || !strings.Contains(body, "operator of localhost:8080") || strings.Contains(body, "password") {
		t.Errorf("%d %s", rec.Code, body)
	}
}
