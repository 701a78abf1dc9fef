package web

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"sandlot/internal/publish"
)

// accountFake has a project with a title that is an attack, and remembers which
// sessions were ended.
type accountFake struct {
	empty bool
	ended []int64
}

func (f *accountFake) Overview(_ context.Context, by publish.Caller, cursor string) ([]publish.OverviewRow, string, error) {
	switch {
	case f.empty || by.Account() != 1:
		return nil, "", nil
	case cursor != "":
		return []publish.OverviewRow{{ProjectView: publish.ProjectView{Project: publish.Project{ID: "older-abc123"}}}}, "", nil
	}
	game := publish.ProjectView{Project: publish.Project{ID: "game-abc123", Title: `<script>"pong"`}, Stats: publish.Stats{Players: 1, Plays: 1234, Likes: 2}}
	bare := publish.ProjectView{Project: publish.Project{ID: "bare-abc123", Suspended: true}}
	return []publish.OverviewRow{{ProjectView: game, Days: []int64{0, 4, 2}}, {ProjectView: bare, Days: []int64{0, 0}}}, "next", nil
}

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

func (f *accountFake) Sessions(_ context.Context, id publish.AccountID) ([]publish.Session, error) {
	at := time.Date(2026, 2, 3, 4, 5, 0, 0, time.UTC)
	return []publish.Session{{ID: 2, Account: id, Agent: firefox, CreatedAt: at, SeenAt: at}, {ID: 1, Account: id, Agent: "<b>curl", CreatedAt: at, SeenAt: at}}, nil
}

func (f *accountFake) EndSession(_ context.Context, account publish.AccountID, id int64) error {
	if account != 1 || id != 2 || slices.Contains(f.ended, id) {
		return publish.ErrNotFound
	}
	f.ended = append(f.ended, id)
	return nil
}

func (f *accountFake) EndSessions(_ context.Context, account publish.AccountID, but int64) error {
	f.ended = append(f.ended, -but)
	return nil
}

// asKim sends a request with the cookie of kim's login, whose account speaks French.
func asKim(h http.Handler, method, target, form string) *http.Response {
	return request(h, method, target, form, "Cookie", cookieName+"=kim", "Sec-Fetch-Site", "same-origin")
}

func TestTheAccountShowsItsProjectsWithTheirNumbers(t *testing.T) {
	body := text(t, asKim(pages(&service{}), "GET", "/account", ""))
	for _, want := range []string{`href="/p/game-abc123" dir="auto">&lt;script&gt;&#34;pong&#34;`, "parties", "2 j’aime", `d="M0 32v-1h3V32zM4 32v-32h3V32zM8 32v-16h3V32z"`, "6 parties au cours des 30 derniers jours", `d="M0 32v-1h3V32zM4 32v-1h3V32z"`, "bare-abc123", "Retiré", `/account?after=next`, `href="/account/sessions"`} {
		if !strings.Contains(body, want) {
			t.Errorf("it has no %s", want)
		}
	}
	if body := text(t, asKim(pages(&service{}), "GET", "/account?after=next", "")); !strings.Contains(body, "older-abc123") || strings.Contains(body, "after=") {
		t.Errorf("the next page is %s", body)
	}
	empty := &service{accountFake: accountFake{empty: true}}
	if body := text(t, asKim(pages(empty), "GET", "/account", "")); !strings.Contains(body, "Rien n’a encore été publié") {
		t.Errorf("without projects it is %s", body)
	}
}

func TestTheNavigationMarksThePageShown(t *testing.T) {
	for _, path := range []string{"/account", "/account/sessions"} {
		body := text(t, asKim(pages(&service{}), "GET", path, ""))
		if strings.Count(body, "aria-current") != 1 || !strings.Contains(body, `href="`+path+`" aria-current="page"`) {
			t.Errorf("on %s it is %s", path, body)
		}
	}
}

func TestTheNavigationMarksWhereAPageBelongs(t *testing.T) {
	for path, want := range map[string]string{"/account/projects/game-abc123": "/account", "/account/projects/game-abc123/versions": "/account", "/account/delete": "/account/settings"} {
		body := text(t, asKim(pages(&service{}), "GET", path, ""))
		if strings.Count(body, "aria-current") != 1 || !strings.Contains(body, `href="`+want+`" aria-current="true"`) {
			t.Errorf("on %s it is %s", path, body)
		}
	}
}

func TestTheListOfLoginsMarksThisBrowser(t *testing.T) {
	body := text(t, asKim(pages(&service{}), "GET", "/account/sessions", ""))
	_, mine, found := strings.Cut(body, `Navigateur inconnu <span class="mark">ce navigateur`)
	if !found || strings.Contains(mine, `value="1"><`) || !strings.Contains(body, "Firefox · Linux") || !strings.Contains(body, `name="id" value="2"`) {
		t.Errorf("it is %s", body)
	}
}

func TestALoginIsEndedOnceHoweverOftenTheButtonIsPressed(t *testing.T) {
	s := &service{}
	h := pages(s)
	for range 2 {
		if resp := asKim(h, "POST", "/account/sessions", "id=2"); resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != "/account/sessions#said" {
			t.Errorf("ended with %d", resp.StatusCode)
		}
	}
	asKim(h, "POST", "/account/sessions", "others=1")
	if !slices.Equal(s.ended, []int64{2, -1}) {
		t.Errorf("ended were %v", s.ended)
	}
	if resp := asKim(h, "POST", "/account/sessions", "id=x"); resp.StatusCode != http.StatusNotFound {
		t.Errorf("of no id: %d", resp.StatusCode)
	}
}

func TestBrowsersAreCalledWhatPeopleCallThem(t *testing.T) {
	v := view{visit: pages(&service{}).visit(nil, &http.Request{Header: http.Header{}})}
	for agent, want := range map[string]string{
		firefox: "Firefox · Linux",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1": "Safari · iPhone",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0":           "Edge · Windows",
		"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36":     "Samsung Internet · Android",
		"Mozilla/5.0 (Windows NT 10.0)": "Windows",
		"curl/8":                        "Unknown browser",
		"":                              "Unknown browser",
	} {
		if got := v.Browser(agent); got != want {
			t.Errorf("%s is called %s", agent, got)
		}
	}
}
