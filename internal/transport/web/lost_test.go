package web

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

func TestWhoFindsNothingCanSearchAndPlay(t *testing.T) {
	t.Parallel()
	h := house(t)
	h.count(gameID, 5, 1, 0)
	page := func(path string) (int, string) {
		resp := request(h, "GET", path, "")
		return resp.StatusCode, text(t, resp)
	}
	for _, path := range []string{"/nothing", "/p/none-abc123", "/@nobody"} {
		status, body := page(path)
		if status != http.StatusNotFound || !strings.Contains(body, `role="search"`) || !strings.Contains(body, `href="/p/game-abc123"`) {
			t.Errorf("%s is %d: %s", path, status, body)
		}
	}
}

func TestWhoFindsNothingDoesNotNeedTheDatabase(t *testing.T) {
	t.Parallel()
	h := house(t)
	expect.OK(t, h.db.Close())
	resp := request(h, "GET", "/nothing", "")
	if body := text(t, resp); resp.StatusCode != http.StatusNotFound || !strings.Contains(body, `role="search"`) || strings.Contains(body, `class="cards"`) {
		t.Errorf("it is %d: %s", resp.StatusCode, body)
	}
}

func TestAFaultOffersNothingElse(t *testing.T) {
	t.Parallel()
	h := house(t)
	h.fail("Project", errors.New("broken on purpose"))
	resp := request(h, "GET", "/p/"+string(sandlot.ProjectID("other-abc123")), "")
	if body := text(t, resp); resp.StatusCode != http.StatusInternalServerError || strings.Contains(body, `href="/random"`) || strings.Contains(body, `class="cards"`) {
		t.Errorf("it is %d: %s", resp.StatusCode, body)
	}
}
