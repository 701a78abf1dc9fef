package web

import (
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/transport/web/texts"
)

// said follows a form to the page that it leads to, and returns that page twice: as it
// comes first, and after a reload.
func said(t *testing.T, h http.Handler, resp *http.Response) (first, again string) {
	t.Helper()
	to := strings.TrimSuffix(resp.Header.Get("Location"), "#said")
	if resp.StatusCode != http.StatusSeeOther || to == resp.Header.Get("Location") {
		t.Fatalf("%d to %q", resp.StatusCode, resp.Header.Get("Location"))
	}
	keeps := cookie(t, resp, saidCookie)
	if !keeps.HttpOnly || !keeps.Secure || keeps.MaxAge <= 0 || keeps.MaxAge > 60 {
		t.Errorf("the cookie is %+v", keeps)
	}
	head := request(h, "HEAD", to, "", "Cookie", cookieName+"=kim; "+saidCookie+"="+keeps.Value)
	for _, c := range head.Cookies() {
		if c.Name == saidCookie {
			t.Error("a HEAD takes it away")
		}
	}
	got := request(h, "GET", to, "", "Cookie", cookieName+"=kim; "+saidCookie+"="+keeps.Value)
	if gone := cookie(t, got, saidCookie); gone.MaxAge >= 0 {
		t.Errorf("the page leaves %+v", gone)
	}
	return text(t, got), text(t, request(h, "GET", to, "", "Cookie", cookieName+"=kim"))
}

const saidBegins = `id="said" role="status" tabindex="-1">`

// TestRegression29EveryFormSaysWhatItDid: a form led back to the same page, and nothing said whether it had worked.
func TestRegression29EveryFormSaysWhatItDid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, form, says string }{
		{"/account/settings/handle", "handle=kim-b", "<bdi>kim-b</bdi>."},
		{"/account/settings/language", "lang=ja", "言語を保存しました。"},
		{"/account/settings/email", "email=new@example.com", "Nous avons envoyé un lien"},
		{"/account/settings/email/withdraw", "", "reste inchangée"},
		{"/account/keys/revoke", "id=3", "révoquée"},
		{"/account/sessions", "id=2", "Ce navigateur"},
		{"/account/sessions", "others=1", "Tous les autres"},
		{"/logout", "", "You’re logged out."},
		{ownAt, "title=T&description=", "Enregistré."},
		{ownAt + "/move", "file=a.js&to=b.js&form_token=o", "<bdi>a.js</bdi> s’appelle désormais <bdi>b.js</bdi>."},
		{ownAt + "/remove", "file=a%26b.js&form_token=o", "<bdi>a&amp;b.js</bdi> a été supprimé."},
		{ownAt + "/primary", "file=a.html&form_token=o", "<bdi>a.html</bdi> est désormais la page d’accueil."},
		{ownAt + "/restore", "n=2&form_token=o", "La version 2 a été restaurée"},
		{ownAt + "/erase", "n=2", "La version 2 a été effacée."},
		{ownAt + "/delete", "typed=game-abc123", "<bdi>&lt;script&gt;&#34;pong&#34;</bdi> a été supprimé."},
	} {
		t.Run(c.path+" "+c.form, func(t *testing.T) {
			h := house(t)
			h.put(gameID, 3, "a.js", "x")
			h.put(gameID, 4, "a.html", "x")
			h.put(gameID, 5, "a&b.js", "x")
			first, again := said(t, h, asKim(h, "POST", c.path, c.form))
			_, message, _ := strings.Cut(first, saidBegins)
			message, _, _ = strings.Cut(message, "</p>")
			expect.Contains(t, "the page says", message, c.says)
			if strings.Contains(again, `id="said"`) {
				t.Error("a reload says it again")
			}
		})
	}
	t.Run("several files", func(t *testing.T) {
		h := house(t)
		body, kind := uploadOf("", "a.js", "A", "b.js", "B")
		first, _ := said(t, h, sendTo(h, body, kind))
		if !strings.Contains(first, "2 fichiers ont été envoyés.") {
			t.Errorf("the page is %s", first)
		}
	})
	for path, says := range map[string]string{"/account/keys/rotate": "Les précédentes ne fonctionnent plus.", "/account/keys/replace": "Toutes les clés précédentes"} {
		if body := text(t, asKim(house(t), "POST", path, "form_token=n")); !strings.Contains(body, saidBegins) || !strings.Contains(body, says) {
			t.Errorf("%s says %s", path, body)
		}
	}
}

// TestRegression29WhatAPageSaysIsAlwaysATextOfOurs: whatever a cookie has in it.
func TestRegression29WhatAPageSaysIsAlwaysATextOfOurs(t *testing.T) {
	t.Parallel()
	h := house(t)
	for _, value := range []string{
		"", "x", "bnVsbA", saidValue(nil), saidValue([]any{1}), saidValue([]any{"login.lead"}), saidValue([]any{"said."}), saidValue([]any{"said.none", "name", "x"}),
		saidValue([]any{"<b>said.saved"}), saidValue([]any{"said.removed"}), saidValue([]any{"said.removed", "name", nil}), saidValue([]any{"said.removed", nil, "x"}),
		saidValue([]any{"said.removed", "name", []string{"x"}}), saidValue([]any{"said.saved", "n", true}), strings.Repeat("A", maxSaid+1),
	} {
		if body := text(t, request(h, "GET", "/account", "", "Cookie", cookieName+"=kim; "+saidCookie+"="+value)); strings.Contains(body, `id="said"`) || !strings.Contains(body, "<h1") {
			t.Errorf("%.40q is said", value)
		}
	}
	body := text(t, request(h, "GET", "/account", "", "Cookie", cookieName+"=kim; "+saidCookie+"="+saidValue([]any{"said.removed", "name", "<script>", "odd"})))
	if strings.Contains(body, "<script>") || !strings.Contains(body, "<bdi>&lt;script&gt;</bdi> a été supprimé.") {
		t.Errorf("it says %s", body)
	}
}

// TestRegression29WhatCannotBeTakenBackIsAskedOnce: a button of a list ended a key at once.
func TestRegression29WhatCannotBeTakenBackIsAskedOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		page, begins, query, form string
		says                      []string
	}{
		{"/account/settings", `<form action="/account/settings/handle"`, "handle=Kim-B", `name="handle" value="kim-b"`, []string{"kim-b", "plus personne ne pourra jamais avoir kim"}},
		{"/account/keys", `<form action="/account/keys/revoke"`, "id=3", `name="id" value="3"`, []string{"&lt;b&gt;agent", "Ab12"}},
		{"/account/keys", `<form action="/account/keys/rotate"`, "", `name="form_token" value="`, []string{"irréversible"}},
		{"/account/keys", `<form action="/account/keys/replace"`, "", `name="form_token" value="`, []string{"irréversible"}},
		{ownAt, `<form action="` + ownAt + `/remove"`, "file=%3Cb%3E.js", `name="file" value="&lt;b&gt;.js"`, []string{"&lt;b&gt;.js", "versions antérieures"}},
	} {
		h := house(t)
		h.later(-time.Hour)
		h.add("early-abc123", publish.NewProject{Account: h.kim.account.ID}) // with a key of before the address was verified
		h.later(time.Hour)
		before := h.in.Rows()
		if body := text(t, asKim(h, "GET", c.page, "")); !strings.Contains(body, c.begins) {
			t.Errorf("%s has no %s", c.page, c.begins)
		}
		path, _ := url.Parse(strings.Split(c.begins, `"`)[1])
		body := text(t, asKim(h, "GET", path.Path+"?"+c.query, ""))
		for _, want := range append(c.says, c.form, `<form method="post" action="`+path.Path+`"`, `href="`+c.page) {
			if !strings.Contains(body, want) {
				t.Errorf("%s asks without %s: %s", path.Path, want, body)
			}
		}
		if diff := cmp.Diff(before, h.in.Rows()); diff != "" {
			t.Errorf("%s did something when it asked (-before +after):\n%s", path.Path, diff)
		}
	}
}

// TestRegression29NobodyGetsANameThatWasNotShown: a handle was brought into its form after the button was pressed.
func TestRegression29NobodyGetsANameThatWasNotShown(t *testing.T) {
	t.Parallel()
	h := house(t)
	before := h.in.Rows()
	if body := text(t, asKim(h, "POST", "/account/settings/handle", "handle=Kim-B")); !strings.Contains(body, `name="handle" value="kim-b"`) {
		t.Errorf("the page is %s", body)
	}
	if body := text(t, asKim(h, "POST", ownAt+"/move", "file=a.js&to=./b.js&form_token=o")); !strings.Contains(body, `name="to" value="b.js"`) || !strings.Contains(body, `name="form_token" value="o"`) {
		t.Errorf("the page is %s", body)
	}
	expect.Same(t, "what is recorded", h.in.Rows(), before)
}

// TestRegression29ARefusedUploadKeepsItsFolder: without scripts, too.
func TestRegression29ARefusedUploadKeepsItsFolder(t *testing.T) {
	t.Parallel()
	h := house(t)
	for _, files := range [][]string{{strings.Repeat("a", 300) + ".js", "A"}, {}} {
		body, kind := uploadOf("lib/<b>", files...)
		if page := text(t, sendTo(h, body, kind)); !strings.Contains(page, `name="folder"`) || !strings.Contains(page, `value="lib/&lt;b&gt;"`) {
			t.Errorf("of %d files it is %s", len(files), page)
		}
	}
}

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

func TestRegression37ThePageTellsThatAFormWasUsed(t *testing.T) {
	t.Parallel()
	for path, form := range map[string]string{"/move": "file=a&to=b&form_token=o", "/primary": "file=a&form_token=o", "/restore": "n=2&form_token=o"} {
		h := house(t)
		h.put(gameID, 3, "a", "a")
		asKim(h, "POST", ownAt+path, form)
		h.put(gameID, 5, "c", "c")
		resp := asKim(h, "POST", ownAt+path, form)
		body := text(t, resp)
		if resp.StatusCode != http.StatusConflict || !strings.Contains(html.UnescapeString(body), (texts.Voice{Lang: "fr"}).T("own.form-used", "version", 5)) || strings.Contains(body, `name="form_token" value="o"`) {
			t.Errorf("%s: %d", path, resp.StatusCode)
		}
	}
	t.Run("in every language", func(t *testing.T) {
		b := texts.Open()
		seen := map[string]bool{}
		for _, lang := range b.Langs {
			said := texts.Voice{Lang: lang}.T("own.form-used", "version", 41)
			if !strings.Contains(said, "41") || seen[said] {
				t.Errorf("%s: %q", lang, said)
			}
			seen[said] = true
		}
		expect.Equal(t, "languages", len(seen), 7)
	})
}

// named publishes with the address of the first login, without a key.
func (w *world) named() {
	w.t.Helper()
	address := strings.Join(w.in.Query("SELECT email FROM accounts WHERE id = (SELECT account FROM sessions ORDER BY id LIMIT 1)"), "")
	for _, title := range []string{"Kite", "A very long title of a project that somebody without a key published with that address"} {
		_, _, err := w.service.Publish(w.t.Context(), sandlot.Caller{}, publish.PublishInput{Email: address, Title: title, Content: w.stage("<!doctype html><p>")})
		expect.OK(w.t, err)
	}
}

// TestRegressionM35TheAccountListsWhatNamedItsAddress, to take it over or to take the address off.
func TestRegressionM35TheAccountListsWhatNamedItsAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mine, other := w.claimant(), w.claimant()
	as := func(method, target, form string) *http.Response {
		return request(w, method, target, form, "Cookie", cookieName+"="+w.kim.session, "Sec-Fetch-Site", "same-origin")
	}
	body := text(t, as("GET", "/account", ""))
	if !strings.Contains(body, mine) || !strings.Contains(body, other) || !strings.Contains(body, "Kite") {
		t.Fatalf("the page is %s", body)
	}
	for path, handle := range map[string]string{"/account/claimed": mine, "/account/claimed/no": other} {
		resp := as("POST", path, url.Values{"handle": {handle}}.Encode())
		expect.Equal(t, path+" leads to", resp.Header.Get("Location"), "/account#said")
	}
	body = text(t, as("GET", "/account", ""))
	if strings.Contains(body, mine) || strings.Contains(body, other) || !strings.Contains(body, "Kite") {
		t.Errorf("afterwards it is %s", body)
	}
	expect.Same(t, "addresses left", w.in.Query("SELECT email FROM accounts WHERE handle = ?", other), []string{""})
}
