package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/admission"
	"sandlot/internal/testkit/expect"
)

// asks has a browser ask for a login in kim's account with that path to go to, as the form does. The browser of w is that one
// from now on; what is sent to kim is returned.
func (w *world) asks(to string) account.Mail {
	w.t.Helper()
	resp := request(w, "POST", "/login", url.Values{"email": {"kim@mail.internal"}, "to": {to}}.Encode(), "Sec-Fetch-Site", "same-origin")
	w.browser = cookie(w.t, resp, loginCookie).Value
	w.in.SendMail()
	if n := len(w.in.Mails); resp.StatusCode != http.StatusSeeOther || n == 0 || w.in.Mails[n-1].Code == "" {
		w.t.Fatalf("asked for a login: %d, %+v", resp.StatusCode, w.in.Mails)
	}
	return w.in.Mails[len(w.in.Mails)-1]
}

// tokenOf is the token of the link in a message.
func tokenOf(t *testing.T, m account.Mail) string {
	t.Helper()
	return must(url.Parse(m.Link))(t).Query().Get("token")
}

// wrong is a code that is not that one.
func wrong(code string) string {
	if code == "999999" {
		return "888888"
	}
	return "999999"
}

// another is an account beside kim's, whose address is verified.
func (w *world) another(handle, address string) sandlot.Account {
	w.t.Helper()
	return must(w.account.Verify(w.t.Context(), sandlot.Caller{}, w.claim(handle, address)))(w.t)
}

// proved reports for each login whether it is.
func (w *world) proved() string {
	w.t.Helper()
	return strings.Join(w.in.Query("SELECT proved FROM logins"), " ")
}

func TestRegression05TheBrowserKeepsAWordAfterALogin(t *testing.T) {
	t.Parallel()
	h := house(t)
	m := h.asks("/account/keys")
	word := cookie(t, here(h, "POST", "/login/code", "code="+m.Code), knownCookie)
	if !word.HttpOnly || !word.Secure || word.MaxAge < 300*24*3600 || word.SameSite != http.SameSiteLaxMode || word.Value == "" {
		t.Errorf("the cookie is %+v", word)
	}
	request(h, "POST", "/login", "email=kim%40mail.internal", "Cookie", knownCookie+"="+word.Value, "Sec-Fetch-Site", "same-origin")
	request(h, "POST", "/login", "email=kim%40mail.internal", "Cookie", knownCookie+"=word", "Sec-Fetch-Site", "same-origin")
	expect.Same(t, "with the word and without it these asked", h.in.Query("SELECT asker FROM jobs ORDER BY id"), []string{sandlot.AskedKnown, ""})
}

// here sends a request from the browser that asked.
func here(h *world, method, target, form string) *http.Response {
	return request(h, method, target, form, "Cookie", loginCookie+"="+h.browser, "Sec-Fetch-Site", "same-origin")
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

func TestALoginRedirectsOnlyToPathsOfTheWebsite(t *testing.T) {
	t.Parallel()
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

func TestALinkOpenedInAnotherBrowserAsksForTheCode(t *testing.T) {
	t.Parallel()
	h := house(t)
	token := tokenOf(t, h.asks("/account/keys"))
	body := text(t, request(h, "GET", "/login/link?token="+token, ""))
	if !strings.Contains(body, "Enter the code instead") || strings.Contains(body, `action="/login/link"`) || strings.Contains(body, "@example.com") || strings.Contains(body, "kim") {
		t.Errorf("it shows %s", body)
	}
	if resp := request(h, "POST", "/login/link", "token="+token, "Sec-Fetch-Site", "same-origin"); resp.StatusCode != http.StatusGone || h.proved() != "0" {
		t.Errorf("pressed there: %d", resp.StatusCode)
	}
	for _, site := range []string{"cross-site", "same-site"} {
		resp := request(h, "POST", "/login/link", "token="+token, "Cookie", loginCookie+"="+h.browser, "Sec-Fetch-Site", site)
		if resp.StatusCode != http.StatusForbidden || h.proved() != "0" {
			t.Errorf("pressed from %s: %d", site, resp.StatusCode)
		}
	}
	two := request(h, "POST", "/login/link", "token="+token, "Cookie", loginCookie+"=there; "+loginCookie+"="+h.browser, "Sec-Fetch-Site", "same-origin")
	if two.StatusCode != http.StatusGone || h.proved() != "0" {
		t.Errorf("with two cookies: %d", two.StatusCode)
	}
}

func TestTheCodeLogsIn(t *testing.T) {
	t.Parallel()
	h := house(t)
	m := h.asks("/account/keys")
	if body := text(t, here(h, "GET", "/login/code", "")); !strings.Contains(body, "kim@mail.internal") || !strings.Contains(body, `autocomplete="one-time-code"`) || !strings.Contains(body, `inputmode="numeric"`) {
		t.Errorf("the form is %s", body)
	}
	if resp := here(h, "POST", "/login/code", "code="+wrong(m.Code)); resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(text(t, resp), `role="alert"`) {
		t.Errorf("a wrong code: %d", resp.StatusCode)
	}
	resp := here(h, "POST", "/login/code", "code="+m.Code[:3]+"+"+m.Code[3:])
	c, gone := cookie(t, resp, cookieName), cookie(t, resp, loginCookie)
	if resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != "/account/keys" || !c.Secure || !c.HttpOnly || gone.MaxAge >= 0 {
		t.Errorf("the code: %d, %+v, %+v", resp.StatusCode, c, gone)
	}
	if _, me, ok := h.owner(c.Value).Login(); !ok || me.ID != h.kim.account.ID {
		t.Errorf("it logs in to %+v", me)
	}
	if resp := request(h, "POST", "/login/code", "code="+m.Code, "Cookie", cookieName+"=kim", "Sec-Fetch-Site", "same-origin"); resp.Header.Get("Location") != "/account" {
		t.Errorf("sent twice: %d", resp.StatusCode)
	}
	if resp := here(h, "POST", "/login/code", "code="+m.Code); resp.StatusCode != http.StatusGone || !strings.Contains(text(t, resp), `href="/login"`) {
		t.Errorf("used again: %d", resp.StatusCode)
	}
	expect.Equal(t, "without a login", request(h, "GET", "/login/code", "").StatusCode, http.StatusGone)
}

func TestSeveralAccountsAreAChoice(t *testing.T) {
	t.Parallel()
	h := house(t)
	h.another("ann", "kim@mail.internal")
	h.another("max", "max@example.com")
	token := tokenOf(t, h.asks("/account/keys"))
	expect.Equal(t, "before the proof", here(h, "GET", "/login/choose", "").StatusCode, http.StatusGone)
	for _, resp := range []*http.Response{here(h, "POST", "/login/link", "token="+token), here(h, "GET", "/login/code", "")} {
		if resp.Header.Get("Location") != "/login/choose" {
			t.Errorf("led to %s", resp.Header.Get("Location"))
		}
	}
	if body := text(t, here(h, "GET", "/login/choose", "")); !strings.Contains(body, `value="kim"`) || !strings.Contains(body, `value="ann"`) || strings.Contains(body, `value="max"`) {
		t.Errorf("the choice is %s", body)
	}
	expect.Equal(t, "another's account", here(h, "POST", "/login/choose", "handle=max").StatusCode, http.StatusGone)
	resp := here(h, "POST", "/login/choose", "handle=ann")
	if _, me, ok := h.owner(cookie(t, resp, cookieName).Value).Login(); !ok || me.Handle != "ann" {
		t.Errorf("chosen: %d, %+v", resp.StatusCode, me)
	}
}

func TestALoginWhileLoggedInConfirmsTheAccount(t *testing.T) {
	t.Parallel()
	h := house(t)
	h.another("ann", "kim@mail.internal")
	token := tokenOf(t, h.asks("/account/keys"))
	if body := text(t, asKim(h, "GET", "/login?to=/account/keys", "")); !strings.Contains(body, "Confirmez que c’est bien vous") {
		t.Errorf("it says %s", body)
	}
	resp := request(h, "POST", "/login/link", "token="+token, "Cookie", cookieName+"=kim; "+loginCookie+"="+h.browser, "Sec-Fetch-Site", "same-origin")
	if resp.Header.Get("Location") != "/account/keys" {
		t.Errorf("it led to %s", resp.Header.Get("Location"))
	}
	expect.Same(t, "the sessions", h.in.Query("SELECT id FROM sessions"), []string{"2", "3"})
}

func TestAFormThatNeedsALoginLeadsBackToItsPage(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	h := house(t)
	expect.Equal(t, "from a sibling", request(h, "POST", "/logout", "", "Cookie", cookieName+"=kim", "Sec-Fetch-Site", "same-site").StatusCode, http.StatusForbidden)
	resp := asKim(h, "POST", "/logout", "")
	if c := cookie(t, resp, cookieName); resp.Header.Get("Location") != "/#said" || c.MaxAge >= 0 {
		t.Errorf("out: %d, %+v", resp.StatusCode, c)
	}
	expect.Same(t, "left are the sessions", h.in.Query("SELECT id FROM sessions"), []string{"2"})
	if resp := request(h, "POST", "/logout", "", "Sec-Fetch-Site", "same-origin"); resp.Header.Get("Location") != "/#said" {
		t.Errorf("out twice: %d", resp.StatusCode)
	}
}

func TestALoginWithoutTLSSaysThatItNeedsTLS(t *testing.T) {
	t.Parallel()
	w := house(t)
	w.account.Logins.Uncounted = true
	for base, want := range map[string]int{
		"http://example.com": http.StatusForbidden, "http://192.0.2.1:8080": http.StatusForbidden, "http://notlocalhost": http.StatusForbidden,
		"https://example.com": http.StatusOK, "http://localhost:8080": http.StatusOK, "http://a.localhost": http.StatusOK, "http://127.0.0.1:8080": http.StatusOK, "http://[::1]": http.StatusOK,
	} {
		u, err := url.Parse(base)
		expect.OK(t, err)
		cfg := w.cfg
		cfg.Places.Base = u
		h := New(cfg)
		expect.Equal(t, base, request(h, "GET", "/login", "").StatusCode, want)
		if resp := request(h, "POST", "/login", "email=a%40b.cd", "Sec-Fetch-Site", "same-origin"); (len(resp.Cookies()) > 0) != (want == http.StatusOK) {
			t.Errorf("%s: the cookies are %v", base, resp.Cookies())
		}
	}
}

func TestMessagesAndCodesOfAnAddressAreLimited(t *testing.T) {
	t.Parallel()
	h := house(t)
	m := h.asks("/account")
	h.limits = admission.New(admission.Config{Mails: admission.Rate{Count: 2, Per: time.Hour, Burst: 2}, WrongKeys: admission.Rate{Count: 3, Per: time.Hour, Burst: 3}})
	last := func(n int, target, form string) *http.Response {
		for range n {
			h.later(time.Minute) // before that, the same form asks for the same message
			if resp := here(h, "POST", target, form); resp.StatusCode == http.StatusTooManyRequests {
				t.Errorf("%s is limited too early", target)
			}
		}
		return here(h, "POST", target, form)
	}
	for target, resp := range map[string]*http.Response{"/login/code": last(3, "/login/code", "code="+wrong(m.Code)), "/login": last(2, "/login", "email=kim%40mail.internal")} {
		if resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") == "" {
			t.Errorf("%s: %d", target, resp.StatusCode)
		}
	}
	expect.Equal(t, "messages were asked for", len(h.in.Query("SELECT address FROM jobs")), 2)
}
