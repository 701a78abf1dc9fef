package api

import (
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/base/turns"
	"sandlot/internal/testkit/expect"
)

// TestFewListsOfFilesAreOnTheirWayAtOnce: who waits too long is told when to come again, whoever gets no list does not wait, and each answer
// gives its place back.
func TestFewListsOfFilesAreOnTheirWayAtOnce(t *testing.T) {
	t.Parallel()
	w := settled(t)
	paths := []string{"/v1/project/" + w.projectID, "/v1/project/" + w.projectID + "/versions", "/v1/project/" + w.projectID + "/checks"}
	w.api.lists = turns.NewLists[sandlot.AccountID](1, 1, 10*time.Millisecond)
	made, sent, err := w.api.lists.Begin(t.Context(), 1<<40) // another account's
	expect.OK(t, err)
	for _, path := range paths {
		refused := w.get(path, w.project).refused(503, sandlot.CodeUnavailable)
		expect.Equal(t, "when to come again to "+path, refused.header.Get("Retry-After"), "5")
	}
	w.get(paths[0], "").wants(200)
	made()
	w.api.lists = turns.NewLists[sandlot.AccountID](1, 1, time.Minute)
	for _, path := range paths {
		for range 2 {
			w.get(path, w.project).wants(200)
		}
		w.get(path, "slp_wrong").refused(401, sandlot.CodeInvalidKey)
	}
	w.get("/v1/project/none-aaaaaa", w.project)
	w.get(paths[0], w.project).wants(200)
	sent()
}
