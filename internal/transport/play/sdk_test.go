package play

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sandlot/internal/domain/players"
)

// playing gives a Handler the runtime of the world.
func (w *world) playing(c *Config) {
	c.Players, c.Boards, c.Faults = w.Runtime.Players, w.Runtime.Boards, w.Runtime.Faults
}

// TestTheScriptOfGamesIsSmall: its 6 KB are a promise.
func TestTheScriptOfGamesIsSmall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(gameID, w.file("index.html", page("one")))
	h := newHandler(w, "localhost", w.playing)
	plain := get(h, "/.sandlot/sdk.js")
	script := bodyOf(t, plain)
	for _, encoding := range []string{"gzip", "br", "zstd"} {
		res := get(h, "/.sandlot/sdk.js", "Accept-Encoding: "+encoding)
		packed := bodyOf(t, res)
		if len(packed) >= 6000 || res.Header.Get("Content-Encoding") != encoding || unpack(t, encoding, []byte(packed)) != script {
			t.Errorf("%s: %d bytes, %v", encoding, len(packed), res.Header)
		}
		tag := res.Header.Get("Etag")
		if tag == plain.Header.Get("Etag") || strings.HasPrefix(tag, "W/") || res.Header.Get("Vary") != "Accept-Encoding" || res.Header.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: %v", encoding, res.Header)
		}
		if again := get(h, "/.sandlot/sdk.js", "Accept-Encoding: "+encoding, "If-None-Match: "+tag); again.StatusCode != http.StatusNotModified {
			t.Errorf("%s, unchanged: %d", encoding, again.StatusCode)
		}
	}
}

// TestCallsOfPlayersHaveTheirPlaces: on a project's own address and in the path form. Elsewhere is only the script, and it calls nobody.
func TestCallsOfPlayersHaveTheirPlaces(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(gameID, w.file("index.html", page("one")))
	const live, local = `["http://localhost:8080",true]`, `["http://localhost:8080",false]`
	on := func(p place) func(*Handler, *http.Request) *http.Response {
		return func(h *Handler, r *http.Request) *http.Response { return at(h, p, r) }
	}
	for _, c := range []struct {
		name   string
		ask    func(*Handler, *http.Request) *http.Response
		off    bool // --runtime off
		script string
		calls  bool
	}{
		{"the project", on(onProject), false, live, true},
		{"the path form", on(onPath), false, live, true},
		{"a version", on(onVersion), false, local, false},
		{"a preview", func(h *Handler, r *http.Request) *http.Response {
			w := httptest.NewRecorder()
			h.ServeOrigin(w, r, "preview--0123456789abcdefghjk")
			return w.Result()
		}, false, local, false},
		{"the play-tester", func(h *Handler, r *http.Request) *http.Response {
			rec := httptest.NewRecorder()
			h.ServeTrial(rec, r, gameID, 2, "")
			return rec.Result()
		}, false, local, false},
		{"no runtime", on(onProject), true, local, false},
		{"no runtime, in the path form", on(onPath), true, local, false},
	} {
		h := newHandler(w, "localhost:8080", func(config *Config) {
			if !c.off {
				w.playing(config)
			}
		})
		res := c.ask(h, request("GET", "/.sandlot/sdk.js"))
		if body := bodyOf(t, res); res.StatusCode != http.StatusOK || !strings.HasSuffix(body, c.script+");\n") {
			t.Errorf("%s: %d, ...%s", c.name, res.StatusCode, body[max(0, len(body)-60):])
		}
		for _, call := range []string{"GET player", "GET saves", "GET saves/main", "PUT saves/main", "DELETE shared/k", "GET scores/main", "POST errors", "POST feedback", "PATCH player"} {
			method, name, _ := strings.Cut(call, " ")
			res := c.ask(h, request(method, "/.sandlot/"+name))
			body := bodyOf(t, res)
			if json := res.Header.Get("Content-Type") == "application/json"; json != c.calls || !c.calls && res.StatusCode != http.StatusNotFound && res.StatusCode != http.StatusMethodNotAllowed {
				t.Errorf("%s: %s: %d %s", c.name, call, res.StatusCode, body)
			}
		}
	}
}

// TestARefusalBeforeAProjectIsFoundIsJSONToo, also for a project that was taken down.
func TestARefusalBeforeAProjectIsFoundIsJSONToo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := newHandler(w, "localhost", w.playing)
	for _, p := range []place{onProject, onPath} {
		res := at(h, p, request("PUT", "/.sandlot/saves/main"))
		if body := bodyOf(t, res); res.StatusCode != 404 || !strings.Contains(body, `"reason":"project_not_found"`) || res.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("place %d: %d %s", p, res.StatusCode, body)
		}
	}
	w = down(t)
	h = newHandler(w, "localhost", w.playing)
	res := at(h, onProject, request("GET", "/.sandlot/player"))
	if body := bodyOf(t, res); res.StatusCode != 451 || !strings.Contains(body, `"reason":"taken_down"`) {
		t.Errorf("%d %s", res.StatusCode, body)
	}
}

// TestAHeartbeatDoesNotTellTheToken by which the player's saves are read: counts and logs have a hash, another for each project.
func TestAHeartbeatDoesNotTellTheToken(t *testing.T) {
	t.Parallel()
	const token = "0123456789abcdef0123456789abcdef"
	id := presenceOf(gameID, token)
	hash, _ := players.HashToken(gameID, token)
	if strings.Contains(string(id), token[:8]) || strings.HasPrefix(hash.String(), string(id)) || presenceOf("other", token) == id {
		t.Errorf("%s, with the hash %s", id, hash)
	}
}
