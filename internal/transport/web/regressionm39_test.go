package web

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// TestRegressionM39TheMessageOfAConfirmationNamesTheProjectAndLogsIn: it named a handle that nobody had chosen, and its button left one to
// log in by another message.
func TestRegressionM39TheMessageOfAConfirmationNamesTheProjectAndLogsIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	published := func(title string) (publish.Published, account.Mail) {
		out, _, err := w.service.Publish(t.Context(), sandlot.Caller{}, publish.PublishInput{Email: title[:3] + "@example.org", Title: title, Content: w.stage("<!doctype html><p>")})
		expect.OK(t, err)
		sent := w.in.Due()
		if len(sent) != 1 {
			t.Fatalf("sent were %+v", sent)
		}
		return out, sent[0]
	}
	out, m := published("Kite flying")
	expect.Equal(t, "it names", m.Project, "Kite flying")
	expect.Equal(t, "at", m.Page, out.Addresses.Page)
	for _, title := range []string{"Win at evil.example", "See https:evil", "Call 555 123 4567", "pay@evil"} {
		if out, m := published(title); m.Project != string(out.Project.ID) {
			t.Errorf("it names %q", m.Project)
		}
	}
	if _, m := published(strings.Repeat("long ", 30)); len([]rune(m.Project)) > 60 {
		t.Errorf("it names %q", m.Project)
	}

	token := must(url.Parse(m.Link))(t).Query().Get("token")
	asks := request(w, "GET", "/verify?token="+token, "")
	if asks.StatusCode != http.StatusOK || cookie(t, asks, cookieName).Value != "" {
		t.Errorf("the page itself: %d, %v", asks.StatusCode, asks.Cookies())
	}
	resp := request(w, "POST", "/verify", "token="+token, "Sec-Fetch-Site", "same-origin")
	session := cookie(t, resp, cookieName).Value
	if session == "" || cookie(t, resp, knownCookie).Value == "" {
		t.Fatalf("the cookies are %v", resp.Cookies())
	}
	if body := text(t, request(w, "GET", "/account", "", "Cookie", cookieName+"="+session)); !strings.Contains(body, "Kite flying") {
		t.Errorf("the account is %s", body)
	}
	if again := request(w, "POST", "/verify", "token="+token, "Sec-Fetch-Site", "same-origin"); again.StatusCode != http.StatusGone || len(again.Cookies()) > 0 {
		t.Errorf("a second press: %d, %v", again.StatusCode, again.Cookies())
	}
	other := w.claim("max", "max@example.com")
	if resp := asPerson(w, "POST", "/verify", "token="+other); cookie(t, resp, cookieName).Value != "" {
		t.Error("a browser that was logged in is logged in to another account")
	}
}

// asPerson sends a request of kim's browser.
func asPerson(w *world, method, target, form string) *http.Response {
	return request(w, method, target, form, "Cookie", cookieName+"="+w.kim.session, "Sec-Fetch-Site", "same-origin")
}

// TestRegressionM39AFormIsCheckedBeforeItSaysWhoseItIs: the warnings of a publish were shown only after the button was pressed, for the
// check asked for an address that was still being typed.
func TestRegressionM39AFormIsCheckedBeforeItSaysWhoseItIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.written()
	form := url.Values{"file@index.html": {"<!doctype html><title>A</title><script src=gone.js></script>"}, "dry_run": {"true"}}
	resp, page := publishes(w, "/new", form)
	_, notes, _ := strings.Cut(page, `data-part="notes"`)
	notes, _, _ = strings.Cut(notes, "</div>")
	if resp.StatusCode != http.StatusOK || !strings.Contains(notes, "gone.js") {
		t.Errorf("the check: %d %s", resp.StatusCode, page)
	}
	form.Del("dry_run")
	if resp, page := publishes(w, "/new", form); resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(page, `data-code="email_required"`) {
		t.Errorf("the publish: %d %s", resp.StatusCode, page)
	}
	expect.Equal(t, "what was written", w.written(), before)
}

// TestRegressionM39AnEmptyInstanceOffersItsExamples: a new instance had nothing to play, and two games lay in its program. Whoever may
// publish puts them online, in one account, once however often the button is pressed, and is not offered them where there is a project.
func TestRegressionM39AnEmptyInstanceOffersItsExamples(t *testing.T) {
	t.Parallel()
	w := pagesOn(t, testworld.New(t, testworld.With(func(c *publish.Config) { c.Places = webPlaces() })))
	const at, link = examplesPath, `href="/new/examples"`
	expect.Contains(t, "the home page", text(t, request(w, "GET", "/", "")), link)
	page := text(t, request(w, "GET", at, ""))
	for _, want := range []string{"Wick", "Runnel", `name="email"`} {
		expect.Contains(t, "the page of the examples", page, want)
	}
	token := regexp.MustCompile(`name="form_token" value="([^"]+)"`).FindStringSubmatch(page)[1]
	press := func(form url.Values) (*http.Response, string) {
		resp := request(w, "POST", at, form.Encode(), "Sec-Fetch-Site", "same-origin")
		return resp, text(t, resp)
	}
	before := w.written()
	for name, form := range map[string]url.Values{"no address": {"form_token": {token}}, "an address that is none": {"form_token": {token}, "email": {"nowhere"}}} {
		if resp, said := press(form); resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(said, `value="`+token+`"`) || !strings.Contains(said, "Runnel") {
			t.Errorf("%s: %d %s", name, resp.StatusCode, said)
		}
	}
	if resp, _ := press(url.Values{"form_token": {""}, "email": {"new@example.org"}}); resp.StatusCode != http.StatusBadRequest || w.written() != before {
		t.Errorf("without a token: %d, or something was written", resp.StatusCode)
	}

	form := url.Values{"form_token": {token}, "email": {"new@example.org"}}
	resp, said := press(form)
	keys := shownKey.FindAllString(said, -1)
	if resp.StatusCode != http.StatusCreated || len(keys) != 1 {
		t.Fatalf("%d with the keys %v: %s", resp.StatusCode, keys, said)
	}
	by := must(w.in.Callers.Identify(t.Context(), sandlot.Presented{Key: sandlot.Secret(keys[0])}, sandlot.Sender{}))(t)
	list := must(w.service.Reader.Whoami(t.Context(), by, 10, ""))(t).Projects
	files := map[string]int{}
	for _, p := range list {
		files[p.Project.Title] = p.Project.FileCount
		expect.Contains(t, "what is said", said, `href="`+p.Addresses.Page+`"`)
	}
	expect.Same(t, "the projects", files, map[string]int{"Wick": 1, "Runnel": 7})
	before = w.written()
	if resp, again := press(form); resp.StatusCode != http.StatusCreated || !strings.Contains(again, keys[0]) || w.written() != before {
		t.Errorf("pressed again: %d %s", resp.StatusCode, again)
	}

	w.later(frontFor + 1e9)
	if home := text(t, request(w, "GET", "/", "")); strings.Contains(home, link) || !strings.Contains(home, "Runnel") {
		t.Errorf("afterwards the home page is %s", home)
	}
	if resp := request(w, "GET", at, ""); resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != "/" {
		t.Errorf("afterwards the page of the examples: %d to %q", resp.StatusCode, resp.Header.Get("Location"))
	}
}

// TestRegressionM39ALoginPublishesTheExamplesUnderItsAccount, and sees no key.
func TestRegressionM39ALoginPublishesTheExamplesUnderItsAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	resp := asPerson(w, "POST", examplesPath, "form_token=one")
	if said := text(t, resp); resp.StatusCode != http.StatusCreated || shownKey.MatchString(said) {
		t.Errorf("%d %s", resp.StatusCode, said)
	}
	list := must(w.service.Reader.Whoami(t.Context(), w.owner(w.kim.session), 10, ""))(t).Projects
	expect.Equal(t, "kim's projects", len(list), 3)
}

// TestRegressionM39AnAddressInADescriptionIsALink: "My other game is at https://..." was text that nobody could follow on a phone.
func TestRegressionM39AnAddressInADescriptionIsALink(t *testing.T) {
	t.Parallel()
	described := func(said string, prepare func(*world)) string {
		w := board(t, chess)
		w.describe(publish.Details{Title: chess.Title, Description: said})
		prepare(w)
		_, body, _ := strings.Cut(text(t, request(w, "GET", "/p/game-abc123", "")), `<p class="description" dir="auto">`)
		body, _, _ = strings.Cut(body, "</p>")
		return body
	}
	const link = `<a href="https://example.com/more?a=1&amp;b=2" target="_blank" rel="ugc nofollow noopener" dir="ltr">example.com/more?a=1&amp;b=2</a>`
	said := "See <b>https://example.com/more?a=1&b=2.\nBye"
	expect.Equal(t, "the description", described(said, func(*world) {}), "See &lt;b&gt;"+link+".\nBye")
	public := func(w *world) { w.limits = admission.New(admission.Config{Public: true}) }
	expect.Equal(t, "of a verified owner where strangers publish", described(said, public), "See &lt;b&gt;"+link+".\nBye")
	stranger := func(w *world) {
		public(w)
		w.in.Exec("UPDATE accounts SET verified = 0")
	}
	expect.Equal(t, "of somebody whose address is not confirmed", described(said, stranger), html.EscapeString(said))
}

// TestRegressionM39ALinkOfADescriptionDoesNotLieAboutItsHost: each address, what its link leads to and what it shows.
func TestRegressionM39ALinkOfADescriptionDoesNotLieAboutItsHost(t *testing.T) {
	t.Parallel()
	anchor := regexp.MustCompile(`<a href="([^"]*)"[^>]*>([^<]*)</a>`)
	for said, want := range map[string]string{
		"https://example.com":                         "https://example.com example.com",
		"HTTPS://Example.COM/A":                       "https://example.com/A example.com/A",
		"(https://example.com/a_(b)).":                "https://example.com/a_(b) example.com/a_(b)",
		"**https://example.com/**":                    "https://example.com/ example.com",
		"見て「https://example.com/日本」。":                 "https://example.com/%E6%97%A5%E6%9C%AC example.com/日本",
		"https://example.com。次":                       "https://example.com example.com",
		"https://münchen.de/":                         "https://xn--mnchen-3ya.de/ xn--mnchen-3ya.de",
		"https://аррӏе.com/":                          "https://xn--80ak6aa92e.com/ xn--80ak6aa92e.com",
		"https://ｇoogle.com":                          "https://google.com google.com",
		"https://example.com:8443/x":                  "https://example.com:8443/x example.com:8443/x",
		"https://evil.example#@good.example":          "https://evil.example#@good.example evil.example#@good.example",
		"https://evil.example/\u202emoc.elgoog":       "https://evil.example/ evil.example",
		"https://example.com/" + longPath:             "https://example.com/" + longPath + " example.com/" + longPath[:30] + "…",
		`https://example.com/"onmouseover="x`:         "https://example.com/ example.com",
		"https://good.example@evil.example/":          "",
		"https://good.example:pass@evil.example/":     "",
		"https://good.example%40evil.example/":        "",
		`https://good.example\@evil.example`:          "https://good.example good.example",
		"http://example.com javascript:alert(1)":      "",
		"ftp://example.com data:text/html,x //a.b":    "",
		"https://localhost/ https://localhost./":      "",
		"https://127.0.0.1/ https://0x7f.1":           "",
		"https://[::1]/ https://2130706433/ https://": "",
		"xhttps://example.com":                        "",
	} {
		written := string(linked(said))
		got := ""
		if found := anchor.FindStringSubmatch(written); found != nil {
			got = html.UnescapeString(found[1]) + " " + html.UnescapeString(found[2])
		}
		expect.Equal(t, fmt.Sprintf("the link of %q", said), got, want)
		if rest := anchor.ReplaceAllString(written, ""); strings.ContainsAny(rest, `<>"`) {
			t.Errorf("beside the link of %q there is %q", said, rest)
		}
	}
	if n := strings.Count(string(linked(strings.Repeat("https://example.com ", 50))), "<a "); n != mostLinks {
		t.Errorf("%d addresses are links", n)
	}
}

var longPath = strings.Repeat("harbor/", 20) + "end"
