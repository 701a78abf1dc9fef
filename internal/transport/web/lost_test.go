package web

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/gallery"
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

// A failingGallery has no lists.
type failingGallery struct {
	Gallery
	asked int
}

func (g *failingGallery) Browse(ctx context.Context, _ sandlot.Caller, _ gallery.Sort, _ string) (gallery.Page, error) {
	if _, limited := ctx.Deadline(); limited {
		g.asked++
	}
	return gallery.Page{}, sandlot.ErrUnavailable
}

func TestWhoFindsNothingDoesNotWaitForADatabaseThatIsAway(t *testing.T) {
	t.Parallel()
	h := house(t)
	away := &failingGallery{Gallery: h.cfg.Gallery}
	h.change(func(c *Config) { c.Gallery = away })
	for range 5 {
		resp := request(h, "GET", "/nothing", "")
		if body := text(t, resp); resp.StatusCode != http.StatusNotFound || !strings.Contains(body, `role="search"`) || strings.Contains(body, `class="cards"`) {
			t.Errorf("it is %d: %s", resp.StatusCode, body)
		}
	}
	expect.Equal(t, "times it was asked", away.asked, 1)
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
