package web

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

func TestCountsAreThoseOfTheDomain(t *testing.T) {
	t.Parallel()
	h := house(t)
	h.count(gameID, 12, 4, 3)
	resp := request(h, "GET", "/p/game-abc123/counts", "")
	if body := text(t, resp); body != `{"player_count":3,"plays":12,"likes":4}` || resp.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("got %s", body)
	}
}

func TestHeartbeatsAreCounted(t *testing.T) {
	t.Parallel()
	h := house(t)
	for _, c := range []struct {
		body    string
		status  int
		players int // afterwards
	}{
		{`{"player":"abc_-1"}`, 204, 1},
		{`{"player":"abc_-2"}`, 204, 2},
		{`{"player":"abc_-1","gone":true}`, 204, 1},
		{`{"player":""}`, 204, 2},
		{`{"player":"<b>"}`, 204, 2}, // by their address, as the one before
		{`{"player":"` + strings.Repeat("x", 65) + `"}`, 204, 2},
		{`{"player":1}`, 400, 2},
		{`no json`, 400, 2},
		{`{"player":"` + strings.Repeat("x", 600) + `"}`, 400, 2},
		{`{"gone":true}`, 204, 1},
	} {
		resp := request(h, "POST", "/p/game-abc123/heartbeat", c.body)
		if players := must(h.in.Live.Players(t.Context(), gameID, h.now()))(t); resp.StatusCode != c.status || players != c.players {
			t.Errorf("%.30s: %d, and %d play", c.body, resp.StatusCode, players)
		}
	}
	down := house(t)
	down.suspend(gameID)
	expect.Equal(t, "of one that was taken down", request(down, "POST", "/p/game-abc123/heartbeat", "{}").StatusCode, http.StatusUnavailableForLegalReasons)
}

func TestStreamsAreOpenedOnlyByTheProjectsPage(t *testing.T) {
	t.Parallel()
	h := house(t)
	for header, want := range map[[2]string]int{
		{"Sec-Fetch-Site", "cross-site"}:              403,
		{"Sec-Fetch-Site", "same-site"}:               403,
		{"Origin", "null"}:                            403,
		{"Origin", "https://game-abc123.example.net"}: 403,
		{"Sec-Fetch-Site", "same-origin"}:             503, // a recorder's connection cannot be taken
		{"X-Nothing", "a program"}:                    503,
	} {
		expect.Equal(t, header[0]+" "+header[1], request(h, "GET", "/p/game-abc123/live", "", header[0], header[1]).StatusCode, want)
	}
}

func TestAMissingProjectHasNoStream(t *testing.T) {
	t.Parallel()
	expect.Equal(t, "of nothing", request(house(t), "GET", "/p/nothing-abc123/live", "").StatusCode, http.StatusNotFound)
	down, broken := house(t), house(t)
	down.suspend(gameID)
	broken.fail("Project", errors.New("a fault"))
	for _, path := range []string{"/p/game-abc123/live", "/p/game-abc123/counts"} {
		expect.Equal(t, path+" of one that was taken down", request(down, "GET", path, "").StatusCode, http.StatusUnavailableForLegalReasons)
		expect.Equal(t, path+" with a fault", request(broken, "GET", path, "").StatusCode, http.StatusInternalServerError)
	}
}

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
