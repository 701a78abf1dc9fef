package web

import (
	"net/http"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/base/turns"
	"sandlot/internal/testkit/expect"
)

// TestFewPagesAreMadeOfListsOfFilesAtOnce: others wait, and are told so where it takes too long; each page gives its place back, and one that
// needs no list waits for nobody.
func TestFewPagesAreMadeOfListsOfFilesAtOnce(t *testing.T) {
	t.Parallel()
	h := house(t)
	h.put(gameID, 3, "a.txt", "one")
	h.put(gameID, 4, "a.txt", "two")
	pages := []string{ownAt, ownAt + "/versions", ownAt + "/cover", ownAt + "/remove?file=a.txt", ownAt + "/versions/5/diff?file=a.txt", ownAt + "/delete"}
	*h.listings = *turns.NewLists[sandlot.AccountID](1, 1, 10*time.Millisecond)
	made, sent, err := h.listings.Begin(t.Context(), 1<<40) // another account's
	expect.OK(t, err)
	for _, page := range pages {
		expect.Equal(t, "the status of "+page+" meanwhile", asKim(h, "GET", page, "").StatusCode, http.StatusServiceUnavailable)
	}
	expect.Equal(t, "the status of the project's own page", asKim(h, "GET", "/p/"+string(gameID), "").StatusCode, http.StatusOK)
	made()
	sent()
	*h.listings = *turns.NewLists[sandlot.AccountID](1, 1, time.Minute)
	for _, page := range pages {
		for range 2 {
			expect.Equal(t, "the status of "+page, asKim(h, "GET", page, "").StatusCode, http.StatusOK)
		}
	}
	expect.Equal(t, "the status of a project that is not there", asKim(h, "GET", "/account/projects/none-aaaaaa", "").StatusCode, http.StatusNotFound)
	expect.Equal(t, "the status of details that are refused", asKim(h, "POST", ownAt, "title=x&description=y&tags=%3Cb%3E&seen=").StatusCode, http.StatusUnprocessableEntity)
	expect.Equal(t, "whether a place is held in the end", h.listings.Busy(h.kim.account.ID), false)
}
