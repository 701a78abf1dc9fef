package web

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"sandlot/internal/domain/admission"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

const likePath, someone = "/p/game-abc123/like", "192.0.2.1" // the address of httptest's requests

// likes reports whether the browser with that token likes the game.
func (w *world) likes(token string) bool {
	w.t.Helper()
	return must(w.gallery.Liked(w.t.Context(), testworld.Nobody(), gameID, token))(w.t)
}

func (w *world) visitor() string {
	w.t.Helper()
	return must(w.gallery.MintPlayerToken(w.t.Context(), testworld.Nobody()))(w.t)
}

func TestALikeLeadsBackAndGivesTheBrowserAToken(t *testing.T) {
	t.Parallel()
	h := house(t)
	resp := request(h, "POST", likePath, "like=1", "Sec-Fetch-Site", "same-origin")
	if resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != "/p/game-abc123" {
		t.Errorf("%d to %s", resp.StatusCode, resp.Header.Get("Location"))
	}
	c := cookie(t, resp, "__Host-visitor")
	if len(resp.Cookies()) != 1 || !h.likes(c.Value) || !c.Secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.MaxAge != 400*24*3600 {
		t.Errorf("the cookie is %v", c)
	}
}

func TestALikeIsOfTheTokenThatTheBrowserHas(t *testing.T) {
	t.Parallel()
	h := house(t)
	its := h.visitor()
	for name, tokens := range map[string][]string{"its own": {its}, "one made up": {"forged"}, "two of the name": {h.visitor(), h.visitor()}} {
		header := ""
		for _, token := range tokens {
			header += visitorCookie + "=" + token + "; "
		}
		resp := request(h, "POST", likePath, "like=1", "Cookie", strings.TrimSuffix(header, "; "))
		if name == "its own" {
			if !h.likes(its) || len(resp.Cookies()) > 0 {
				t.Errorf("its own is not taken, or replaced: %v", resp.Cookies())
			}
			continue
		}
		if !h.likes(cookie(t, resp, visitorCookie).Value) || slices.ContainsFunc(tokens, h.likes) {
			t.Errorf("%s: the cookies are %v", name, resp.Cookies())
		}
	}
}

func TestAScriptGetsTheCount(t *testing.T) {
	t.Parallel()
	h := house(t)
	h.count(gameID, 0, 7, 0)
	resp := request(h, "POST", likePath, "like=0", "Accept", "application/json")
	if body := text(t, resp); body != `{"liked":false,"likes":7}` || resp.Header.Get("Content-Type") != "application/json" {
		t.Errorf("got %s, %s", body, resp.Header.Get("Content-Type"))
	}
}

// TestALikeIsAcceptedOnlyFromTheProjectsPage: not from another site, not from a project under the same domain, and not from the
// sandboxed frame of a game, whose origin is null.
func TestALikeIsAcceptedOnlyFromTheProjectsPage(t *testing.T) {
	t.Parallel()
	h := house(t)
	before := h.in.Rows()
	for _, header := range [][2]string{
		{"Sec-Fetch-Site", "cross-site"},
		{"Sec-Fetch-Site", "same-site"},
		{"Origin", "null"},
		{"Origin", "https://evil.example"},
		{"Origin", "https://game-abc123.example.net"},
	} {
		for _, path := range []string{likePath, "/p/game-abc123/heartbeat"} {
			if resp := request(h, "POST", path, "like=1", header[0], header[1]); resp.StatusCode != http.StatusForbidden {
				t.Errorf("%s with %v: %d", path, header, resp.StatusCode)
			}
		}
	}
	if players, err := h.in.Live.Players(t.Context(), gameID, h.now()); err != nil || players > 0 {
		t.Errorf("%d play, %v", players, err)
	}
	expect.Same(t, "what is recorded", h.in.Rows(), before)
}

func TestAnInvalidLikeIsRefused(t *testing.T) {
	t.Parallel()
	h := house(t)
	before := h.in.Rows()
	for form, want := range map[string]int{"like=-1": 400, "like=2": 400, "like=": 400, "x=1": 400, "like=1" + strings.Repeat("1", 1<<20): 413} {
		if resp := request(h, "POST", likePath, form); resp.StatusCode != want {
			t.Errorf("%.20s: %d", form, resp.StatusCode)
		}
	}
	if resp := request(h, "POST", "/p/nothing-abc123/like", "like=1"); resp.StatusCode != http.StatusNotFound || len(resp.Cookies()) > 0 {
		t.Errorf("of no project: %d", resp.StatusCode)
	}
	down := house(t)
	down.suspend(gameID)
	expect.Equal(t, "of one that was taken down", request(down, "POST", likePath, "like=1").StatusCode, http.StatusUnavailableForLegalReasons)
	expect.Same(t, "what is recorded", h.in.Rows(), before)
}

func TestLikesAndHeartbeatsHaveALimit(t *testing.T) {
	t.Parallel()
	h := house(t)
	one := admission.Rate{Count: 1, Per: 3600e9, Burst: 1}
	h.limits = admission.New(admission.Config{Likes: one, Heartbeats: one})
	for path, form := range map[string]string{likePath: "like=1", "/p/game-abc123/heartbeat": "{}"} {
		request(h, "POST", path, form)
		if resp := request(h, "POST", path, form); resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") == "" {
			t.Errorf("%s: %d, Retry-After %q", path, resp.StatusCode, resp.Header.Get("Retry-After"))
		}
	}
}
