package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"sandlot/internal/domain/gallery"
	"sandlot/internal/testkit/expect"
)

// TestCardsAreGivenForWhatABrowserRemembers in its order, of what anybody may look at; a browser that remembers nonsense gets what is left.
func TestCardsAreGivenForWhatABrowserRemembers(t *testing.T) {
	t.Parallel()
	h := house(t)
	ask := func(ids string) *http.Response {
		return request(h, "POST", "/mine/cards", url.Values{"ids": {ids}}.Encode(), "Sec-Fetch-Site", "same-origin")
	}
	body := text(t, ask("bare-abc123 nothing-abc123 <b> ' game-abc123"))
	first, second := strings.Index(body, `href="/p/bare-abc123"`), strings.Index(body, `href="/p/game-abc123"`)
	if first < 0 || second < first || strings.Count(body, `class="card"`) != 2 || strings.Contains(body, "<script") {
		t.Errorf("they are %s", body)
	}
	expect.Contains(t, "without an id it is", text(t, ask("")), `<ul class="cards">`)
	many := strings.Repeat("none-abc123 ", gallery.MostCards)
	if body := text(t, ask(many+"game-abc123")); strings.Contains(body, "card-title") {
		t.Error("there are more than the bound")
	}
	before := h.in.Rows()
	text(t, ask("bare-abc123"))
	expect.Same(t, "what is recorded", h.in.Rows(), before)
	h.suspend(gameID)
	if body := text(t, ask("game-abc123")); strings.Contains(body, "game-abc123") {
		t.Error("one that was taken down is there")
	}
	for form, want := range map[string]int{"x=1": 400, "ids=a&ids=b": 400, "ids=%ff": 400, "ids=" + strings.Repeat("x", 64<<10): 413} {
		expect.Equal(t, fmt.Sprintf("with %.20s", form), request(h, "POST", "/mine/cards", form, "Sec-Fetch-Site", "same-origin").StatusCode, want)
	}
}

func TestARandomProjectIsNeverTheOneThatOneComesFrom(t *testing.T) {
	t.Parallel()
	h := house(t)
	for range 10 {
		resp := request(h, "GET", "/random?not=game-abc123", "")
		if resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != "/p/bare-abc123" || resp.Header.Get("Cache-Control") != "no-store" {
			t.Fatalf("%d to %s, %s", resp.StatusCode, resp.Header.Get("Location"), resp.Header.Get("Cache-Control"))
		}
	}
	h.suspend(bareID)
	expect.Equal(t, "instead of the only one it leads", request(h, "GET", "/random?not=game-abc123", "").Header.Get("Location"), "/")
}
