package play

import (
	"net/http"
	"testing"
	"time"

	"sandlot/internal/domain/admission"
)

// TestEveryDoorHasAnOperation by which admission knows it. Files are behind no door.
func TestEveryDoorHasAnOperation(t *testing.T) {
	t.Parallel()
	for _, d := range append(previewDoors, doors...) {
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
