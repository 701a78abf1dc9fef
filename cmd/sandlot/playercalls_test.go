package main

import (
	"bytes"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sandlot/internal/domain/admission"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

const playerToken = "0123456789abcdef0123456789ABCDEF"

// atProject returns a change of a request into a player's call to a project's own address.
func atProject(t *testing.T, address string) func(*http.Request) {
	t.Helper()
	u, err := url.Parse(address)
	expect.OK(t, err)
	return func(r *http.Request) {
		r.Host = u.Host
		r.Header.Set("X-Sandlot-Player", playerToken)
	}
}

// TestASaveOutlivesAKill: the player's token is neither on the disk nor in the log, and errors of pages reach the owner.
func TestASaveOutlivesAKill(t *testing.T) {
	t.Parallel()
	s := publicServer(t, "--access-log", "all")
	made := from(t, s, "203.0.113.1", "POST", "/v1/publish", "", map[string]any{"content": page(100), "email": "me@example.com"})
	game := atProject(t, made.body["url"].(string))
	call := func(method, name string, fields map[string]any) reply {
		t.Helper()
		return from(t, s, "203.0.113.2", method, "/.sandlot/"+name, "", fields, game)
	}
	if r := call("PUT", "saves/main", map[string]any{"level": 3}); r.StatusCode != 200 || r.body["ok"] != true {
		t.Fatalf("a save: %d %v", r.StatusCode, r.body)
	}
	if r := call("POST", "player/code", nil); r.StatusCode != 200 {
		t.Errorf("a code: %d %v", r.StatusCode, r.body)
	}
	s.Kill(t)
	s.Restart(t)
	if r := call("GET", "saves/main", nil); r.StatusCode != 200 || r.body["level"] != 3.0 {
		t.Errorf("after a kill: %d %v", r.StatusCode, r.body)
	}
	if r := call("POST", "errors", map[string]any{"errors": []map[string]any{{"kind": "error", "message": "it broke", "source": "game.js", "line": 3}}}); r.StatusCode != 200 {
		t.Errorf("errors: %d %v", r.StatusCode, r.body)
	}
	errors := "/v1/project/" + made.body["project_id"].(string) + "/errors"
	testenv.Eventually(t, 30*time.Second, "the owner sees the error", func() bool {
		r := from(t, s, "203.0.113.1", "GET", errors, made.body["api_key"].(string), nil)
		list, _ := r.body["errors"].([]any)
		return r.StatusCode == 200 && len(list) == 1 && list[0].(map[string]any)["message"] == "it broke"
	})
	if s.Stop(t); bytes.Contains([]byte(s.Logs()), []byte(playerToken)) {
		t.Error("the token is in the log")
	}
	expect.OK(t, filepath.WalkDir(s.Data(), func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		held, err := os.ReadFile(path)
		if bytes.Contains(held, []byte(playerToken)) {
			t.Errorf("the token is in %s", path)
		}
		return err
	}))
}

// TestWithoutARuntimeTheScriptIsThereAlone: --runtime off leaves the calls out, and games go on with the storage of the browser.
func TestWithoutARuntimeTheScriptIsThereAlone(t *testing.T) {
	t.Parallel()
	s := publicServer(t, "--runtime", "off")
	made := from(t, s, "203.0.113.1", "POST", "/v1/publish", "", map[string]any{"content": page(100), "email": "me@example.com"})
	game := atProject(t, made.body["url"].(string))
	for name, want := range map[string]int{"sdk.js": 200, "player.js": 200, "player": 404, "saves/main": 404, "scores/main": 404, "shared": 404} {
		req, err := http.NewRequest("GET", s.URL()+"/.sandlot/"+name, nil)
		expect.OK(t, err)
		game(req)
		resp, err := s.Client().Do(req)
		expect.OK(t, err)
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: %d, want %d", name, resp.StatusCode, want)
		}
	}
}

// TestAClassBehindOneAddressPlaysUndisturbed: the limits of a network allow 30 players who write as often as each may.
func TestAClassBehindOneAddressPlaysUndisturbed(t *testing.T) {
	t.Parallel()
	limits, err := limitSettings{Limits: "normal"}.each()
	expect.OK(t, err)
	const class, writes = 30, 600/60 + 20 // saves and scores of a player in a minute
	for name, r := range map[string]admission.Rate{"writes": limits.PlayerWrites, "reads": limits.PlayerReads} {
		if perMinute := float64(r.Count) * float64(time.Minute) / float64(r.Per); perMinute < class*writes || r.Burst < class*20 {
			t.Errorf("%s: %.0f a minute and %d at once", name, perMinute, r.Burst)
		}
	}
}
