package web

import (
	"net/http"
	"strings"
	"testing"

	"sandlot/internal/domain/account"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// notAsked is the token for those who did not ask for a message of that kind, sent to that address.
func (w *world) notAsked(mail, address string) string {
	w.t.Helper()
	return must(account.NotMeToken(w.in.Vault(), w.now(), mail, address))(w.t)
}

func press(h http.Handler, path, token string) *http.Response {
	return request(h, "POST", path, "token="+token, "Sec-Fetch-Site", "same-origin")
}

func TestLookingAtANotMeLinkStopsNothing(t *testing.T) {
	t.Parallel()
	h := house(t)
	before := h.in.Rows()
	for mail, want := range map[string]string{
		"verify": "Whoever entered it won’t be told", "login": "you can’t log in with your email either", account.MailEmailNotice: "Take it back",
	} {
		token := h.notAsked(mail, "<b>@example.com")
		for range 5 {
			for _, method := range []string{"GET", "HEAD"} {
				for _, path := range []string{"/not-me", "/not-me/undo"} {
					request(h, method, path+"?token="+token, "")
				}
			}
		}
		resp := request(h, "GET", "/not-me?token="+token, "")
		body := text(t, resp)
		if resp.StatusCode != http.StatusOK || resp.Header.Get("Referrer-Policy") != "no-referrer" || !strings.Contains(body, want) || !strings.Contains(body, `action="/not-me"`) {
			t.Errorf("%s: %d %s", mail, resp.StatusCode, body)
		}
		if strings.Contains(body, "<b>") || !strings.Contains(body, "&lt;b&gt;@example.com") || strings.Contains(body, "<script") {
			t.Errorf("%s is not escaped: %s", mail, body)
		}
	}
	expect.Same(t, "what is recorded", h.in.Rows(), before)
}

func TestTheButtonStopsAndAnotherTakesItBack(t *testing.T) {
	t.Parallel()
	for mail, want := range map[string][2]string{
		"verify": {"we won’t send anything", "needs it entered again"}, "login": {"12:00\u00a0UTC</time>", "You can log in with"},
	} {
		h := house(t)
		h.in.Clock.Move(testworld.Start.Sub(h.now())) // a stop of logins ends at the time of day at which it began
		token := h.notAsked(mail, "<b>@example.com")
		for _, site := range []string{"cross-site", "same-site"} {
			if resp := request(h, "POST", "/not-me", "token="+token, "Sec-Fetch-Site", site); resp.StatusCode != http.StatusForbidden || h.in.Sizes()["stops"] > 0 {
				t.Errorf("pressed from %s: %d", site, resp.StatusCode)
			}
		}
		first := text(t, press(h, "/not-me", token))
		if !strings.Contains(first, want[0]) || !strings.Contains(first, `action="/not-me/undo"`) || strings.Contains(first, `action="/not-me"`) || h.in.Sizes()["stops"] != 1 {
			t.Errorf("%s: %s", mail, first)
		}
		expect.Equal(t, "pressed again", text(t, press(h, "/not-me", token)), first)
		expect.Equal(t, "looked at again", text(t, request(h, "GET", "/not-me?token="+token, "")), first)
		if body := text(t, press(h, "/not-me/undo", token)); !strings.Contains(body, want[1]) || h.in.Sizes()["stops"] > 0 {
			t.Errorf("taken back: %s", body)
		}
	}
}
