package web

import (
	"net/http"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

// TestADeletedProjectIsTakenBackOrDeletedForGood from the page of the account.
func TestADeletedProjectIsTakenBackOrDeletedForGood(t *testing.T) {
	t.Parallel()
	h := house(t)
	account := func() string { return text(t, asKim(h, "GET", "/account", "")) }
	if body := account(); strings.Contains(body, "deleted") {
		t.Errorf("a deleted project is shown: %s", body)
	}
	post := func(path, form, to string) {
		t.Helper()
		resp := asKim(h, "POST", ownAt+path, form)
		expect.Equal(t, path, resp.StatusCode, http.StatusSeeOther)
		expect.Equal(t, path+" leads", resp.Header.Get("Location"), to)
	}
	post("/delete", "typed=game-abc123", "/account#said")
	post("/delete", "typed=game-abc123", "/account#said")
	for _, want := range []string{`id="deleted"`, `action="` + ownAt + `/take-back"`, `href="` + ownAt + `/purge"`} {
		if body := account(); !strings.Contains(body, want) {
			t.Errorf("%s is not on %s", want, body)
		}
	}
	expect.Equal(t, "its page", asKim(h, "GET", ownAt, "").StatusCode, http.StatusNotFound)
	post("/take-back", "", ownAt+"#said")
	post("/take-back", "", ownAt+"#said")
	expect.Equal(t, "its page", asKim(h, "GET", ownAt, "").StatusCode, http.StatusOK)
	expect.Equal(t, "for good, of one that is there", asKim(h, "POST", ownAt+"/purge", "").StatusCode, http.StatusNotFound)
	expect.Equal(t, "asked", asKim(h, "GET", ownAt+"/purge", "").StatusCode, http.StatusNotFound)
	post("/delete", "typed=game-abc123", "/account#said")
	if body := text(t, asKim(h, "GET", ownAt+"/purge", "")); !strings.Contains(body, `action="`+ownAt+`/purge"`) {
		t.Errorf("it is not asked first: %s", body)
	}
	post("/purge", "", "/account#said")
	expect.Equal(t, "taken back then", asKim(h, "POST", ownAt+"/take-back", "").StatusCode, http.StatusNotFound)
	if body := account(); strings.Contains(body, ownAt) {
		t.Errorf("it is still there: %s", body)
	}
}
