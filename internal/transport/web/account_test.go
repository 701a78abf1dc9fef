package web

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

// asKim sends a request with the cookie of kim's login, whose account speaks French.
func asKim(h http.Handler, method, target, form string) *http.Response {
	return request(h, method, target, form, "Cookie", cookieName+"=kim", "Sec-Fetch-Site", "same-origin")
}

func TestTheAccountShowsItsProjectsWithTheirNumbers(t *testing.T) {
	t.Parallel()
	h := home(t)
	if body := text(t, asKim(h, "GET", "/account", "")); !strings.Contains(body, "Rien n’a encore été publié") {
		t.Errorf("without projects it is %s", body)
	}
	h.add("older-abc123", publish.NewProject{Account: h.kim.account.ID})
	h.later(time.Second)
	h.fill(accountPage-2, "")
	h.add(bareID, publish.NewProject{Account: h.kim.account.ID})
	h.suspend(bareID)
	h.add(gameID, publish.NewProject{Account: h.kim.account.ID, Title: hostile})
	h.count(gameID, 4, 2, 0)
	h.later(24 * time.Hour)
	h.count(gameID, 2, 0, 0)
	body := text(t, asKim(h, "GET", "/account", ""))
	for _, want := range []string{`href="/account/projects/game-abc123" dir="auto">&lt;script&gt;&#34;pong&#34;`, "parties", "2 j’aime", `M112 32v-32h3V32zM116 32v-16h3V32z"`, "6 parties au cours des 30 derniers jours", `d=""`, `href="/p/game-abc123"`, `href="/account/projects/game-abc123/statistics"`, "bare-abc123", "Retiré", `/account?after=`, `href="/account/sessions"`} {
		if !strings.Contains(body, want) {
			t.Errorf("it has no %s", want)
		}
	}
	if body := text(t, asKim(h, "GET", next(t, body), "")); !strings.Contains(body, "older-abc123") || strings.Contains(body, "after=") {
		t.Errorf("the next page is %s", body)
	}
}

// accountPage is how many projects the page of an account has.
const accountPage = 50

func TestTheListOfLoginsMarksThisBrowser(t *testing.T) {
	t.Parallel()
	body := text(t, asKim(house(t), "GET", "/account/sessions", ""))
	_, mine, found := strings.Cut(body, `Navigateur inconnu <span class="mark">ce navigateur`)
	if !found || strings.Contains(mine, `value="1"><`) || !strings.Contains(body, "Firefox · Linux") || !strings.Contains(body, `name="id" value="2"`) {
		t.Errorf("it is %s", body)
	}
}

func TestBrowsersAreCalledWhatPeopleCallThem(t *testing.T) {
	t.Parallel()
	v := view{visit: house(t).visit(nil, &http.Request{Header: http.Header{}})}
	for agent, want := range map[string]string{
		firefox: "Firefox · Linux",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1": "Safari · iPhone",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0":           "Edge · Windows",
		"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36":     "Samsung Internet · Android",
		"Mozilla/5.0 (Windows NT 10.0)": "Windows",
		"curl/8":                        "Unknown browser",
		"":                              "Unknown browser",
	} {
		expect.Equal(t, agent+" is called", v.Browser(agent), want)
	}
}
