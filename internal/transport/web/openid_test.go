package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/testkit/expect"
)

// school is an OpenID provider whose answers a test sets. The real ones are asked in storage/oidc and cmd/sandlot.
type school struct {
	away bool
	says account.Assertion
	err  error
	last account.AuthRequest
}

func (s *school) Up() bool { return !s.away }

func (s *school) AuthURL(_ context.Context, r account.AuthRequest) (string, error) {
	if s.last = r; s.away {
		return "", account.ErrProviderAway
	}
	return "https://id.example.org/auth?state=" + url.QueryEscape(r.State), nil
}

func (s *school) Exchange(context.Context, string, account.AuthRequest) (account.Assertion, error) {
	return s.says, s.err
}

// openIDOf lets people of a school in.
func openIDOf(t *testing.T, w *world) *account.OpenID {
	t.Helper()
	cfg := account.OpenIDConfig{Provider: &school{}, Name: "Northside School", Redirect: "https://example.com" + OpenIDBack, Uncounted: true}
	return must(account.NewOpenID(t.Context(), cfg, w.db.Identities(), w.now))(t)
}

func (w *world) school() *school { return w.cfg.OpenID.Provider.(*school) }

// throughSchool begins a login in a browser with these cookies and comes back with the provider's answer.
func (w *world) throughSchool(cookies string, change func(kept, query string) (string, string)) *http.Response {
	w.t.Helper()
	begun := request(w, "GET", openIDPath+"?to=/account/keys", "", "Cookie", cookies)
	if begun.StatusCode != http.StatusSeeOther || !strings.HasPrefix(begun.Header.Get("Location"), "https://id.example.org/auth?") {
		w.t.Fatalf("%d to %q", begun.StatusCode, begun.Header.Get("Location"))
	}
	kept := openIDCookie + "=" + cookieOf(begun, openIDCookie)
	query := "code=c&state=" + url.QueryEscape(w.school().last.State)
	if change != nil {
		kept, query = change(kept, query)
	}
	return request(w, "GET", OpenIDBack+"?"+query, "", "Cookie", strings.TrimPrefix(cookies+"; "+kept, "; "))
}

// cookieOf returns the value of a cookie that an answer sets.
func cookieOf(resp *http.Response, name string) string {
	for _, c := range resp.Cookies() {
		if c.Name == name {
			return c.Value
		}
	}
	return ""
}

func TestALoginWithAProviderIsTheBrowsersOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.school().says = account.Assertion{Identity: account.Identity{Issuer: "https://id.example.org", Subject: "1"}}
	for name, change := range map[string]func(kept, query string) (string, string){
		"another browser": func(_, query string) (string, string) { return "", query },
		"another state":   func(kept, _ string) (string, string) { return kept, "code=c&state=x" },
		"no state":        func(kept, _ string) (string, string) { return kept, "code=c" },
		"a later answer": func(kept, query string) (string, string) {
			w.later(11 * time.Minute)
			return kept, query
		},
		"another path in the cookie": func(kept, query string) (string, string) {
			return kept[:strings.LastIndex(kept, ".")+1] + "Lw", query
		},
		"two cookies": func(kept, query string) (string, string) { return kept + "; " + kept, query },
	} {
		before := w.written()
		resp := w.throughSchool("", change)
		if resp.StatusCode != http.StatusGone || w.written() != before || cookieOf(resp, cookieName) != "" {
			t.Errorf("%s: %d", name, resp.StatusCode)
		}
	}
	resp := w.throughSchool("", nil)
	expect.Equal(t, "the first login", resp.Header.Get("Location"), "/account"+saidPlace)
	me, a, _ := w.owner(cookieOf(resp, cookieName)).Login()
	if me.Account == w.kim.account.ID || a.Email != "" || a.EmailVerified {
		t.Errorf("it entered %+v", a)
	}
	again := w.throughSchool("", nil)
	expect.Equal(t, "the next login", again.Header.Get("Location"), "/account/keys")
	expect.Equal(t, "its account", w.owner(cookieOf(again, cookieName)).Account(), me.Account)
}

func TestAProviderThatIsAwayStopsNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	button := `href="/openid?to=`
	if page := text(t, request(w, "GET", "/login", "")); !strings.Contains(page, button) || !strings.Contains(page, "Northside School") {
		t.Errorf("the login page: %s", page)
	}
	w.school().away = true
	page := text(t, request(w, "GET", "/login", ""))
	if strings.Contains(page, button) || !strings.Contains(page, "can’t be reached") || !strings.Contains(page, `name="email"`) {
		t.Errorf("the login page then: %s", page)
	}
	expect.Equal(t, "the button's page", request(w, "GET", openIDPath, "").StatusCode, http.StatusServiceUnavailable)
	w.change(func(c *Config) { c.OpenID = nil })
	expect.Equal(t, "the path without a provider", request(w, "GET", openIDPath, "").StatusCode, http.StatusNotFound)
}

func TestWhatAProviderSaysIsAnsweredPolitely(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, c := range map[string]struct {
		change func(*school, *account.OpenID)
		status int
		says   string
	}{
		"refused":                      {func(s *school, _ *account.OpenID) { s.err = account.ErrProviderRefused }, http.StatusForbidden, "didn’t confirm"},
		"away":                         {func(s *school, _ *account.OpenID) { s.err = account.ErrProviderAway }, http.StatusServiceUnavailable, "can’t be reached"},
		"an address of another domain": {func(_ *school, o *account.OpenID) { o.Domains = []string{"school.example"} }, http.StatusForbidden, "confirmed email"},
		"an address that has an account": {func(s *school, _ *account.OpenID) {
			s.says.Email, s.says.EmailVerified = "kim@mail.internal", true
		}, http.StatusForbidden, "/login?to=%2Fopenid"},
		"a closed instance": {func(_ *school, o *account.OpenID) { o.Opening = sandlot.Closed }, http.StatusForbidden, "opens no new accounts"},
	} {
		w.change(func(cfg *Config) { cfg.OpenID = openIDOf(t, w) })
		w.school().says = account.Assertion{Identity: account.Identity{Issuer: "https://id.example.org", Subject: name}}
		c.change(w.school(), w.cfg.OpenID)
		before := w.written()
		resp := w.throughSchool("", nil)
		if page := text(t, resp); resp.StatusCode != c.status || !strings.Contains(page, c.says) || w.written() != before {
			t.Errorf("%s: %d %s", name, resp.StatusCode, page)
		}
	}
	// The owner links it by logging in first.
	w.change(func(cfg *Config) { cfg.OpenID = openIDOf(t, w) })
	w.school().says = account.Assertion{
		Identity: account.Identity{Issuer: "https://id.example.org", Subject: "kim"}, Email: "kim@mail.internal", EmailVerified: true,
	}
	for _, cookies := range []string{cookieName + "=" + w.kim.session, ""} {
		resp := w.throughSchool(cookies, nil)
		expect.Equal(t, "the account", w.owner(cookieOf(resp, cookieName)).Account(), w.kim.account.ID)
	}
}

// TestAVouchedAddressEntersItsAccount, the oldest of several, and a suspended account's address none.
func TestAVouchedAddressEntersItsAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cfg.OpenID.Domains = []string{"mail.internal"}
	says := account.Assertion{
		Identity: account.Identity{Issuer: "https://id.example.org", Subject: "9"}, Email: "kim@Mail.internal", EmailVerified: true,
	}
	w.school().says = says
	resp := w.throughSchool("", nil)
	expect.Equal(t, "the account", w.owner(cookieOf(resp, cookieName)).Account(), w.kim.account.ID)

	// By the subject it is the same account, when the address has passed to somebody else.
	w.school().says.Email = "new@mail.internal"
	resp = w.throughSchool("", nil)
	expect.Equal(t, "the account of the subject", w.owner(cookieOf(resp, cookieName)).Account(), w.kim.account.ID)

	w.school().says = says
	w.school().says.Subject, w.school().says.EmailVerified = "10", false
	expect.Equal(t, "an address that is not verified", w.throughSchool("", nil).StatusCode, http.StatusForbidden)

	_, err := w.in.Operate.Suspend(t.Context(), sandlot.AsOperator("root"), "@lee", "spam")
	expect.OK(t, err)
	w.school().says = account.Assertion{
		Identity: account.Identity{Issuer: "https://id.example.org", Subject: "11"}, Email: "LEE@mail.internal", EmailVerified: true,
	}
	before := w.written()
	if resp := w.throughSchool("", nil); resp.StatusCode != http.StatusForbidden || w.written() != before {
		t.Errorf("a second account of a suspended one's mailbox: %d", resp.StatusCode)
	}
}
