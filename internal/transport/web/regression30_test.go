package web

import (
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// TestRegression30ThereIsAWayOnAfterTheLink: the page said that it can be closed.
func TestRegression30ThereIsAWayOnAfterTheLink(t *testing.T) {
	t.Parallel()
	h := house(t)
	token := h.claim("max", "max@example.com")
	for _, name := range []string{"i", "h", "g", "f", "e", "d", "c", "b", "a"} { // the newest comes first
		title := "<i>Pong"
		if name == "b" {
			title = ""
		}
		h.add(sandlot.ProjectID("game-"+name), publish.NewProject{Account: h.accountOf("max"), Title: title})
	}
	page := text(t, request(h, "POST", "/verify", "token="+token, "Sec-Fetch-Site", "same-origin"))
	for _, want := range []string{`<a href="/p/game-a"><bdi>&lt;i&gt;Pong</bdi></a>`, `<a href="/p/game-b"><bdi>game-b</bdi></a>`, `<a class="second" href="/account">`, `href="/account/keys"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s: %s", want, page)
		}
	}
	if strings.Contains(page, "/p/game-f") {
		t.Error("it leads to more projects than a few")
	}
	again := request(h, "POST", "/verify", "token="+token, "Sec-Fetch-Site", "same-origin")
	if page := text(t, again); again.StatusCode != 410 || !strings.Contains(page, `href="/login"`) {
		t.Errorf("pressed twice it is %d, %s", again.StatusCode, page)
	}
}

// TestRegression30WhoIsLoggedInGoesToTheAccount: no second login is asked for.
func TestRegression30WhoIsLoggedInGoesToTheAccount(t *testing.T) {
	t.Parallel()
	h := house(t)
	token := h.claim("max", "max@example.com")
	h.session(h.accountOf("max"), "max")
	resp := request(h, "POST", "/verify", "token="+token, "Cookie", cookieName+"=max", "Sec-Fetch-Site", "same-origin")
	if page := text(t, resp); !strings.Contains(page, `<a class="second" href="/account">`) || strings.Contains(page, "/login?to") {
		t.Errorf("the page is %s", page)
	}
}

// TestRegression30WhichAccountShowsProjects: only handles were shown, which an agent had drawn.
func TestRegression30WhichAccountShowsProjects(t *testing.T) {
	t.Parallel()
	for more, want := range map[int]string{0: "", 1: "and 1 more", 1234: "and 1,234 more"} {
		h := home(t)
		h.fill(more, "")
		h.later(time.Second)
		h.add("third-abc123", publish.NewProject{Account: h.kim.account.ID})
		h.add(bareID, publish.NewProject{Account: h.kim.account.ID})
		h.add(gameID, publish.NewProject{Account: h.kim.account.ID, Title: "<b>Pong"})
		h.another("kim-2", "kim@mail.internal")
		here(h, "POST", "/login/link", "token="+tokenOf(t, h.asks("/account")))
		page := text(t, here(h, "GET", "/login/choose", ""))
		first, second, _ := strings.Cut(page, `value="kim-2"`)
		if !strings.Contains(first, "<bdi>&lt;b&gt;Pong</bdi> · <bdi>bare-abc123</bdi> · <bdi>third-abc123</bdi>") || !strings.Contains(first, want) || more == 0 && strings.Contains(first, "more<") {
			t.Errorf("with %d more it is %s", more, first)
		}
		if !strings.Contains(second, "published anything yet") {
			t.Errorf("of an account without projects it says %s", second)
		}
	}
}

// TestRegression30TheCodePageSaysWhatComesToAnUnconfirmedAddress: to everybody alike.
func TestRegression30TheCodePageSaysWhatComesToAnUnconfirmedAddress(t *testing.T) {
	t.Parallel()
	h := house(t)
	h.asks("/account")
	if page := text(t, here(h, "GET", "/login/code", "")); !strings.Contains(page, "Not confirmed yet?") {
		t.Errorf("it is %s", page)
	}
}
