package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
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
