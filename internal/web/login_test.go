package web

import (
	"context"
	"html"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"sandlot/internal/admission"
	"sandlot/internal/publish"
)

// loginFake knows the browser "here", whose login the token "good" and the code
// 012345 prove, and which enters the accounts that it has.
type loginFake struct {
	more     int // projects of the first account that are not named
	asked    []publish.LoginInput
	proved   bool
	tries    int
	accounts []string
	had      publish.Session
}

func (f *loginFake) MintBrowser() (string, error) { return "drawn", nil }

func (f *loginFake) AskLogin(_ context.Context, in publish.LoginInput) (string, error) {
	if !strings.Contains(in.Email, "@") {
		return "", publish.Refuse(publish.CodeInvalidEmail, "bad")
	}
	f.asked = append(f.asked, in)
	return "here", nil
}

func (f *loginFake) PendingLogin(_ context.Context, browser string) (publish.Login, error) {
	if browser != "here" {
		return publish.Login{}, publish.ErrNotFound
	}
	return publish.Login{Email: "<i>@example.com", Back: "/account/keys", Proved: f.proved}, nil
}

func (f *loginFake) LoginLink(_ context.Context, browser, token string) (bool, error) {
	if token != "good" || f.proved {
		return false, publish.ErrNotFound
	}
	return browser == "here", nil
}

func (f *loginFake) UseLoginLink(_ context.Context, browser, token string) error {
	if browser != "here" || token != "good" || f.proved {
		return publish.ErrNotFound
	}
	f.proved = true
	return nil
}

func (f *loginFake) UseLoginCode(_ context.Context, browser, code string) (bool, error) {
	if f.tries++; browser != "here" || f.tries >= 5 || f.proved {
		return false, publish.ErrNotFound
	}
	f.proved = code == "012345"
	return f.proved, nil
}

func (f *loginFake) LoginAccounts(_ context.Context, browser string) (list []publish.Account, err error) {
	if browser != "here" || !f.proved {
		return nil, publish.ErrNotFound
	}
	for i, handle := range f.accounts {
		list = append(list, publish.Account{ID: publish.AccountID(i + 1), Handle: handle})
	}
	return list, nil
}

// LoginChoices names two projects of the first account.
func (f *loginFake) LoginChoices(ctx context.Context, browser string) (choices []publish.LoginChoice, err error) {
	list, err := f.LoginAccounts(ctx, browser)
	for i, a := range list {
		c := publish.LoginChoice{Account: a}
		if i == 0 {
			c.Projects, c.More = []publish.Project{{ID: "game-abc123", Title: "<b>Pong"}, {ID: "bare-abc123"}}, f.more
		}
		choices = append(choices, c)
	}
	return choices, err
}

func (f *loginFake) FinishLogin(_ context.Context, browser, handle, _ string, had publish.Session) (string, string, error) {
	if browser != "here" || !f.proved || !slices.Contains(f.accounts, handle) {
		return "", "", publish.ErrNotFound
	}
	f.had = had
	return "session of " + handle, "/account/keys", nil
}

func (f *loginFake) Remember(known, address string) (string, error) {
	return known + "+" + address, nil
}

func TestRegression05TheBrowserKeepsAWordAfterALogin(t *testing.T) {
	s := &service{loginFake: loginFake{accounts: []string{"kim"}, proved: true}}
	resp := here(pages(s), "POST", "/login/choose", "handle=kim")
	word := cookie(t, resp, knownCookie)
	if word == nil || !word.HttpOnly || !word.Secure || word.MaxAge < 300*24*3600 || word.SameSite != http.SameSiteLaxMode || word.Value == "" {
		t.Errorf("the cookie is %+v", word)
	}
	resp = request(pages(s), "POST", "/login", "email=kim%40example.com", "Cookie", knownCookie+"=word", "Sec-Fetch-Site", "same-origin")
	if len(s.asked) != 1 || s.asked[0].Known != "word" {
		t.Errorf("asked was %+v, answered %d", s.asked, resp.StatusCode)
	}
}

// here sends a request from the browser that asked.
func here(h http.Handler, method, target, form string) *http.Response {
	return request(h, method, target, form, "Cookie", loginCookie+"=here", "Sec-Fetch-Site", "same-origin")
}

func cookie(t *testing.T, resp *http.Response, name string) *http.Cookie {
	t.Helper()
	for _, c := range resp.Cookies() {
		if c.Name == name {
			return c
		}
	}
	return &http.Cookie{}
}

func TestAskingForALoginBindsItToTheBrowser(t *testing.T) {
	s := &service{}
	h := pages(s)
	if body := text(t, request(h, "GET", "/login?to=/account/keys%3Fa=b", "")); !strings.Contains(body, `name="to" value="/account/keys?a=b"`) || !strings.Contains(body, `type="email"`) {
		t.Errorf("the form is %s", body)
	}
	resp := request(h, "POST", "/login", "email=+kim%40example.com+&to=/account/keys", "Accept-Language", "ja", "Sec-Fetch-Site", "same-origin")
	c := cookie(t, resp, loginCookie)
	if resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != "/login/code" || c.Value != "here" || !c.Secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" {
		t.Errorf("got %d with %+v", resp.StatusCode, c)
	}
	want := publish.LoginInput{Email: "kim@example.com", Back: "/account/keys", Lang: "ja", From: publish.Sender{Network: "192.0.2.1"}}
	if !slices.Equal(s.asked, []publish.LoginInput{want}) {
		t.Errorf("asked was %+v", s.asked)
	}
}

func TestWhatIsNoAddressIsShownAgain(t *testing.T) {
	resp := request(house(t), "POST", "/login", "email=%22%3E%3Cscript%3E", "Sec-Fetch-Site", "same-origin")
	if body := text(t, resp); resp.StatusCode != http.StatusUnprocessableEntity || strings.Contains(body, "<script") || !strings.Contains(body, `value="&#34;&gt;&lt;script&gt;"`) || !strings.Contains(body, `role="alert"`) {
		t.Errorf("got %d: %s", resp.StatusCode, body)
	}
}

func TestOnlyPathsOfTheSiteAreLedTo(t *testing.T) {
	for to, want := range map[string]string{
		"": "/account", "/account/keys": "/account/keys", "/p/game-abc123?x=1": "/p/game-abc123?x=1",
		"https://evil.example": "/account", "//evil.example": "/account", `/\evil.example`: "/account", "/%2f/evil.example": "/account", "/%2f%2fevil.example": "/account", "/%5cevil.example": "/account",
		`\\evil.example`: "/account", `\evil.example`: "/account", "/\t/evil.example": "/account", "/account\x00": "/account", "/account?a\x01": "/account", "/account?a\u202e": "/account",
		"//evil.example/?x=/account": "/account", "?x=1": "/account", "/account?x=%5c%2f": "/account?x=%5c%2f", "/account?x=\\y": "/account", "javascript:alert(1)": "/account",
		"/login?to=/login": "/account", "/logout": "/account", "account": "/account", "/a\r\nSet-Cookie: x": "/account", "/" + strings.Repeat("x", 500): "/account",
	} {
		if got := localPath(to); got != want {
			t.Errorf("%q leads to %q, wanted %q", to, got, want)
		}
	}
}

// TestProgramsThatFetchLoginLinksUseNothingUp: mail scanners fetch every link.
func TestProgramsThatFetchLoginLinksUseNothingUp(t *testing.T) {
	s := &service{loginFake: loginFake{accounts: []string{"kim"}}}
	h := pages(s)
	for range 20 {
		for _, method := range []string{"GET", "HEAD"} {
			for _, resp := range []*http.Response{request(h, method, "/login/link?token=good", ""), here(h, method, "/login/link?token=good", "")} {
				if resp.StatusCode != http.StatusOK || resp.Header.Get("Referrer-Policy") != "no-referrer" || len(resp.Cookies()) > 0 {
					t.Fatalf("%s: %d", method, resp.StatusCode)
				}
			}
		}
	}
	if resp := here(h, "POST", "/login/link", "token=good"); s.proved != true || resp.Header.Get("Location") != "/account/keys" {
		t.Errorf("pressed: %d", resp.StatusCode)
	}
}

func TestALinkOpenedInAnotherBrowserAsksForTheCode(t *testing.T) {
	s := &service{loginFake: loginFake{accounts: []string{"kim"}}}
	h := pages(s)
	body := text(t, request(h, "GET", "/login/link?token=good", ""))
	if !strings.Contains(body, "Enter the code instead") || strings.Contains(body, `action="/login/link"`) || strings.Contains(body, "@example.com") || strings.Contains(body, "kim") {
		t.Errorf("it shows %s", body)
	}
	if resp := request(h, "POST", "/login/link", "token=good", "Sec-Fetch-Site", "same-origin"); resp.StatusCode != http.StatusGone || s.proved {
		t.Errorf("pressed there: %d", resp.StatusCode)
	}
	for _, site := range []string{"cross-site", "same-site"} {
		resp := request(h, "POST", "/login/link", "token=good", "Cookie", loginCookie+"=here", "Sec-Fetch-Site", site)
		if resp.StatusCode != http.StatusForbidden || s.proved {
			t.Errorf("pressed from %s: %d", site, resp.StatusCode)
		}
	}
	two := request(h, "POST", "/login/link", "token=good", "Cookie", loginCookie+"=there; "+loginCookie+"=here", "Sec-Fetch-Site", "same-origin")
	if two.StatusCode != http.StatusGone || s.proved {
		t.Errorf("with two cookies: %d", two.StatusCode)
	}
}

func TestTheCodeLogsIn(t *testing.T) {
	s := &service{loginFake: loginFake{accounts: []string{"kim"}}}
	h := pages(s)
	if body := text(t, here(h, "GET", "/login/code", "")); !strings.Contains(body, "&lt;i&gt;@example.com") || !strings.Contains(body, `autocomplete="one-time-code"`) || !strings.Contains(body, `inputmode="numeric"`) {
		t.Errorf("the form is %s", body)
	}
	if resp := here(h, "POST", "/login/code", "code=999999"); resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(text(t, resp), `role="alert"`) {
		t.Errorf("a wrong code: %d", resp.StatusCode)
	}
	resp := here(h, "POST", "/login/code", "code=012+345")
	c, gone := cookie(t, resp, cookieName), cookie(t, resp, loginCookie)
	if resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != "/account/keys" || c.Value != `session of kim` && c.Value != `"session of kim"` || !c.Secure || !c.HttpOnly || gone.MaxAge >= 0 {
		t.Errorf("the code: %d, %+v, %+v", resp.StatusCode, c, gone)
	}
	if resp := request(h, "POST", "/login/code", "code=012345", "Cookie", cookieName+"=kim", "Sec-Fetch-Site", "same-origin"); resp.Header.Get("Location") != "/account" {
		t.Errorf("sent twice: %d", resp.StatusCode)
	}
	if resp := here(h, "POST", "/login/code", "code=012345"); resp.StatusCode != http.StatusGone || !strings.Contains(text(t, resp), `href="/login"`) {
		t.Errorf("used again: %d", resp.StatusCode)
	}
	if resp := request(h, "GET", "/login/code", ""); resp.StatusCode != http.StatusGone {
		t.Errorf("without a login: %d", resp.StatusCode)
	}
}

func TestSeveralAccountsAreAChoice(t *testing.T) {
	s := &service{loginFake: loginFake{accounts: []string{"kim", "lee"}}}
	h := pages(s)
	if resp := here(h, "GET", "/login/choose", ""); resp.StatusCode != http.StatusGone {
		t.Errorf("before the proof: %d", resp.StatusCode)
	}
	for _, resp := range []*http.Response{here(h, "POST", "/login/link", "token=good"), here(h, "GET", "/login/code", "")} {
		if resp.Header.Get("Location") != "/login/choose" {
			t.Errorf("led to %s", resp.Header.Get("Location"))
		}
	}
	if body := text(t, here(h, "GET", "/login/choose", "")); !strings.Contains(body, `value="kim"`) || !strings.Contains(body, `value="lee"`) {
		t.Errorf("the choice is %s", body)
	}
	if resp := here(h, "POST", "/login/choose", "handle=max"); resp.StatusCode != http.StatusGone {
		t.Errorf("another's account: %d", resp.StatusCode)
	}
	if resp := here(h, "POST", "/login/choose", "handle=lee"); cookie(t, resp, cookieName).Value == "" {
		t.Errorf("chosen: %d", resp.StatusCode)
	}
}

func TestALoginWhileLoggedInConfirmsTheAccount(t *testing.T) {
	s := &service{loginFake: loginFake{accounts: []string{"kim", "lee"}}}
	h := pages(s)
	if body := text(t, asKim(h, "GET", "/login?to=/account/keys", "")); !strings.Contains(body, "Confirmez que c’est bien vous") {
		t.Errorf("it says %s", body)
	}
	resp := request(h, "POST", "/login/link", "token=good", "Cookie", cookieName+"=kim; "+loginCookie+"=here", "Sec-Fetch-Site", "same-origin")
	if resp.Header.Get("Location") != "/account/keys" || s.had.ID != 1 {
		t.Errorf("it led to %s in place of %+v", resp.Header.Get("Location"), s.had)
	}
}

// TestALoginLeadsBackToThePageWithItsQuery, and nowhere else.
func TestALoginLeadsBackToThePageWithItsQuery(t *testing.T) {
	h := house(t)
	for page, want := range map[string]string{
		"/account?after=a%26b":                  "/account?after=a%26b",
		ownAt + "/versions?before=3":            ownAt + "/versions?before=3",
		"/account?to=//evil.example":            "/account?to=//evil.example",
		"/account?" + strings.Repeat("x", 1000): "/account",
	} {
		to := request(h, "GET", page, "").Header.Get("Location")
		asked, err := url.Parse(to)
		if err != nil || asked.Path != "/login" || asked.Host != "" {
			t.Fatalf("%s leads to %s", page, to)
		}
		if body := text(t, request(h, "GET", to, "")); !strings.Contains(body, `name="to" value="`+html.EscapeString(want)+`"`) {
			t.Errorf("%s: after the login it is not %s", page, want)
		}
	}
}

func TestAFormThatNeedsALoginLeadsBackToItsPage(t *testing.T) {
	h := house(t)
	for referer, want := range map[string]string{
		"https://example.com/account/sessions?x=1": "/login?to=%2Faccount%2Fsessions%3Fx%3D1", "https://evil.example/account/sessions": "/login?to=%2Faccount",
		"https://example.com//evil.example": "/login?to=%2Faccount", "": "/login?to=%2Faccount",
	} {
		resp := request(h, "POST", "/account/sessions", "id=2", "Sec-Fetch-Site", "same-origin", "Referer", referer)
		if got := resp.Header.Get("Location"); got != want {
			t.Errorf("from %q it leads to %s", referer, got)
		}
	}
}

func TestLoggingOutEndsTheSession(t *testing.T) {
	h := house(t)
	if resp := request(h, "POST", "/logout", "", "Cookie", cookieName+"=kim", "Sec-Fetch-Site", "same-site"); resp.StatusCode != http.StatusForbidden {
		t.Errorf("from a sibling: %d", resp.StatusCode)
	}
	resp := asKim(h, "POST", "/logout", "")
	if c := cookie(t, resp, cookieName); resp.Header.Get("Location") != "/#said" || c.MaxAge >= 0 {
		t.Errorf("out: %d, %+v", resp.StatusCode, c)
	}
	if left := h.in.Query("SELECT id FROM sessions"); !slices.Equal(left, []string{"2"}) {
		t.Errorf("left are the sessions %v", left)
	}
	if resp := request(h, "POST", "/logout", "", "Sec-Fetch-Site", "same-origin"); resp.Header.Get("Location") != "/#said" {
		t.Errorf("out twice: %d", resp.StatusCode)
	}
}

func TestWithoutTLSALoginSaysThatItNeedsIt(t *testing.T) {
	for base, want := range map[string]int{
		"http://example.com": http.StatusForbidden, "http://192.0.2.1:8080": http.StatusForbidden, "http://notlocalhost": http.StatusForbidden,
		"https://example.com": http.StatusOK, "http://localhost:8080": http.StatusOK, "http://a.localhost": http.StatusOK, "http://127.0.0.1:8080": http.StatusOK, "http://[::1]": http.StatusOK,
	} {
		u, err := url.Parse(base)
		if err != nil {
			t.Fatal(err)
		}
		h := New(Config{Service: &service{}, Gallery: &service{}, Places: publish.Places{Base: u}, Log: slog.New(slog.DiscardHandler), RequestID: func(context.Context) string { return "" }})
		if resp := request(h, "GET", "/login", ""); resp.StatusCode != want {
			t.Errorf("%s: %d", base, resp.StatusCode)
		}
		if resp := request(h, "POST", "/login", "email=a%40b.cd", "Sec-Fetch-Site", "same-origin"); (len(resp.Cookies()) > 0) != (want == http.StatusOK) {
			t.Errorf("%s: the cookies are %v", base, resp.Cookies())
		}
	}
}

func TestMessagesAndCodesOfAnAddressAreLimited(t *testing.T) {
	s := &service{loginFake: loginFake{tries: -100}}
	p := pages(s)
	p.Admission = admission.New(admission.Config{Mails: admission.Rate{Count: 2, Per: time.Hour, Burst: 2}, WrongKeys: admission.Rate{Count: 3, Per: time.Hour, Burst: 3}})
	last := func(n int, target, form string) *http.Response {
		for range n {
			if resp := here(p, "POST", target, form); resp.StatusCode == http.StatusTooManyRequests {
				t.Errorf("%s is limited too early", target)
			}
		}
		return here(p, "POST", target, form)
	}
	for target, resp := range map[string]*http.Response{"/login": last(2, "/login", "email=kim%40example.com"), "/login/code": last(3, "/login/code", "code=1")} {
		if resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") == "" {
			t.Errorf("%s: %d", target, resp.StatusCode)
		}
	}
	if n := len(s.asked); n != 2 {
		t.Errorf("%d messages were asked for", n)
	}
}
