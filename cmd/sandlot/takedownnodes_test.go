package main

import (
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// adminOf runs the program as an operator beside nodes.
func adminOf(t *testing.T, set []string, args ...string) {
	t.Helper()
	all := append(append([]string{"admin"}, args...), set...)
	if out, err := exec.Command(testenv.Binary(t), all...).CombinedOutput(); err != nil {
		t.Fatalf("sandlot %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// A showing is where a project shows at a node, and how it does while it is there and when it was taken down: by a status, or else, with
// status 200, by whether a text is in the answer.
type showing struct {
	what, address string
	there, gone   int
	text          string
}

// holds waits until a node answers as it should, at most until that time.
func (w showing) holds(t *testing.T, s *testenv.Server, there bool, end time.Time) {
	t.Helper()
	status, says := w.there, true
	if !there {
		status, says = w.gone, w.gone != http.StatusOK
	}
	got, body := 0, []byte(nil)
	if !testenv.Poll(time.Until(end), func() bool {
		got, body = open(t, s, w.address)
		return got == status && (got != http.StatusOK || strings.Contains(string(body), w.text) == says)
	}) {
		t.Errorf("%s (%s) at %s, while it is to be there: %v, is %d\n%.400s", w.what, w.address, s.Addr(), there, got, body)
	}
}

// listens opens the stream of a project's numbers, and returns a channel that is closed when the stream ends.
func listens(t *testing.T, s *testenv.Server, address string) <-chan struct{} {
	t.Helper()
	resp, err := s.Client().Get(address)
	expect.OK(t, err)
	expect.Equal(t, "the stream", resp.StatusCode, http.StatusOK)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}()
	return ended
}

// TestASuspensionHoldsForEverythingAtEveryNode has everything in the caches of two nodes. The command reaches neither of them.
func TestASuspensionHoldsForEverythingAtEveryNode(t *testing.T) {
	t.Parallel()
	t.Run("of a project", func(t *testing.T) {
		t.Parallel()
		suspensionHolds(t, false)
	})
	t.Run("of an account", func(t *testing.T) {
		t.Parallel()
		suspensionHolds(t, true)
	})
}

// suspensionHolds suspends a project, or its whole account, and reinstates it.
func suspensionHolds(t *testing.T, ofAccount bool) {
	t.Helper()
	set, m := fullSet(t), &mailServer{}
	m.listen(t)
	var nodes []*testenv.Server
	for range 2 {
		nodes = append(nodes, testenv.Start(t, testenv.Binary(t), append([]string{"--base-url", "http://localhost", "--smtp-url", "smtp://" + m.addr}, set...)...))
	}
	c := &correspondent{t: t, s: nodes[0], m: m, address: "kim@example.com", cookies: map[string]string{}}
	status, p := call(t, nodes[0], "POST", "/v1/publish", "", map[string]any{"content": []byte("<p>hi"), "email": c.address, "handle": "kim", "title": "Marbles"})
	expect.Equal(t, "publish", status, http.StatusCreated)
	c.uses(c.next(ofVerify))
	c.asks(c.address)
	c.uses(c.next(ofLogin))
	key, id, at, version := p["api_key"].(string), p["project_id"].(string), p["url"].(string), p["version_url"].(string)
	status, _ = call(t, nodes[1], "POST", "/v1/update", key, map[string]any{"project_id": id, "filename": "a.js", "content": []byte("//")})
	expect.Equal(t, "update", status, http.StatusOK)
	base, off := "http://localhost/", http.StatusUnavailableForLegalReasons
	showings := []showing{
		{"the project", at, 200, off, "hi"},
		{"a file", at + "a.js", 200, off, "//"},
		{"a version", version, 200, off, "hi"},
		{"its page", base + "p/" + id, 200, off, "Marbles"},
		{"its picture", base + "p/" + id + "/card.jpg", 200, off, ""},
		{"its code", base + "p/" + id + "/code.svg", 200, off, ""},
		{"its frame elsewhere", base + "embed/" + id, 200, off, ""},
		{"its numbers", base + "p/" + id + "/counts", 200, off, "plays"},
		{"its statistics", base + "v1/project/" + id + "/stats", 200, off, "plays"},
		{"the API", base + "v1/project/" + id, 200, off, "Marbles"},
		{"the gallery", base, 200, 200, id},
		{"a search", base + "?q=marb", 200, 200, id},
	}
	subject, profile := id, showing{"its maker's page", base + "@kim", 200, 200, id}
	if ofAccount {
		subject, profile.gone = "@kim", http.StatusNotFound
	}
	showings = append(showings, profile)
	all := func(there bool) {
		t.Helper()
		for end, i := time.Now().Add(within), 0; i < len(nodes); i++ {
			for _, w := range showings {
				w.holds(t, nodes[i], there, end)
			}
		}
	}
	all(true)
	var streams []<-chan struct{}
	for _, s := range nodes {
		streams = append(streams, listens(t, s, base+"p/"+id+"/live"))
	}
	adminOf(t, set, "suspend", subject, "--reason", "a report")
	all(false)
	for i, s := range nodes {
		testenv.Eventually(t, within, "the stream of numbers ends", func() bool {
			select {
			case <-streams[i]:
				return true
			default:
				return false
			}
		})
		status, answer := call(t, s, "POST", "/v1/update", key, map[string]any{"project_id": id, "filename": "a.js", "content": []byte("2")})
		expect.Equal(t, "an update", status/100, 4)
		if ofAccount {
			expect.Equal(t, "its error", answer["error"], any("account_suspended"))
			c.s = s
			c.post("/account/settings/language", url.Values{"lang": {"fr"}}, http.StatusForbidden)
		}
	}
	adminOf(t, set, "reinstate", subject)
	all(true)
}
