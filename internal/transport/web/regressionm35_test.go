package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// named publishes with the address of whoever has logged in first, as somebody without a key.
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
