package play

import (
	"net/http/httptest"
	"testing"

	"sandlot/internal/domain/publish"
)

func TestThreadsIsolateTheProjectsOwnOriginsAlone(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.put(gameID, s.file("index.html", page("one")), s.file("a.wasm", "wasm"))
	h := newHandler(s, "localhost:8080")
	for _, threads := range []bool{false, true, false} { // the switch acts on the next answer, also on one that was prepared
		s.must(s.Publish.Describe(t.Context(), s.owner, gameID, publish.DescribeInput{Details: publish.Details{Threads: threads}}))
		for _, path := range []string{"/", "/a.wasm", "/none", "/.sandlot/player.js"} {
			for where, isolated := range map[place]bool{onProject: threads, onVersion: threads, onPath: false} {
				if where == onVersion && path == "/.sandlot/player.js" {
					continue
				}
				opener, embedder := "", ""
				if isolated {
					opener, embedder = "same-origin", "require-corp"
				}
				got := at(h, where, request("GET", path)).Header
				if got.Get("Cross-Origin-Opener-Policy") != opener || got.Get("Cross-Origin-Embedder-Policy") != embedder {
					t.Errorf("%s on place %d with threads %v: %v", path, where, threads, got)
				}
			}
		}
		rec := &preparedRecorder{ResponseRecorder: httptest.NewRecorder()}
		h.ServeOrigin(rec, request("GET", "/a.wasm"), string(gameID))
		if got := rec.Header().Get("Cross-Origin-Embedder-Policy"); rec.answers != 1 || (got == "require-corp") != threads {
			t.Errorf("prepared with threads %v: %q", threads, got)
		}
	}
}
