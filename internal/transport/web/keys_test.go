package web

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

const newSecret = "slp_0123456789012345678901234567890123456789"

func TestANewKeyIsShownOnce(t *testing.T) {
	t.Parallel()
	for path, form := range map[string]string{"/account/keys": "project=game-abc123&name=agent&form_token=one", "/account/keys/rotate": "form_token=one"} {
		h := house(t)
		resp := asKim(h, "POST", path, form)
		if resp.StatusCode != http.StatusOK || resp.Header.Get("Cache-Control") != "no-store" || resp.Header.Get("Location") != "" || len(resp.Cookies()) != 0 {
			t.Errorf("%s: %d, %v", path, resp.StatusCode, resp.Header)
		}
		body := text(t, resp)
		if len(sandlot.KeyPattern.FindAllString(body, -1)) != 1 || !strings.Contains(body, `/static/js/copy.js`) {
			t.Errorf("%s shows %s", path, body)
		}
		if _, err := h.in.Callers.Identify(t.Context(), sandlot.Presented{Key: sandlot.Secret(sandlot.KeyPattern.FindString(body))}, sandlot.Sender{Network: someone}); err != nil {
			t.Errorf("%s: the key that is shown is not known: %v", path, err)
		}
		resp = asKim(h, "POST", path, form)
		if body := text(t, resp); resp.StatusCode != http.StatusOK || sandlot.KeyPattern.MatchString(body) || !strings.Contains(body, "a déjà été créée") {
			t.Errorf("%s sent twice shows %d %s", path, resp.StatusCode, body)
		}
		if body := text(t, asKim(h, "GET", "/account/keys", "")); sandlot.KeyPattern.MatchString(body) {
			t.Error("the list shows it")
		}
	}
}

// TestWhoMayChangeAnAccount walks the routes of the settings and the keys.
func TestWhoMayChangeAnAccount(t *testing.T) {
	t.Parallel()
	h, stale := house(t), house(t)
	stale.later(time.Hour) // kim's login is old by then
	for _, r := range h.routes {
		if r.access == anyone || !regexp.MustCompile(`^/account/(settings|keys|export|delete)`).MatchString(r.path) {
			continue
		}
		resp := request(h, r.method, r.path, "x=1", "Authorization", "Bearer "+newSecret, "Sec-Fetch-Site", "same-origin")
		if to := resp.Header.Get("Location"); resp.StatusCode != http.StatusSeeOther || !strings.HasPrefix(to, "/login?") {
			t.Errorf("%s %s with a key and no login: %d to %s", r.method, r.path, resp.StatusCode, to)
		}
		resp = asKim(stale, r.method, r.path, "x=1")
		if led := strings.HasPrefix(resp.Header.Get("Location"), "/login?"); led != (r.access == recent) {
			t.Errorf("%s %s with an old login: %d", r.method, r.path, resp.StatusCode)
		}
		if r.method == "POST" {
			resp = request(h, r.method, r.path, "x=1", "Cookie", cookieName+"=kim", "Sec-Fetch-Site", "same-site")
			expect.Equal(t, r.path+" from elsewhere", resp.StatusCode, http.StatusForbidden)
		}
	}
	if body := text(t, asKim(stale, "GET", "/account/keys", "")); strings.Contains(body, "<form method=\"post\" action=\"/account/keys") || !strings.Contains(body, `href="/login?to=/account/keys"`) {
		t.Errorf("an old login sees %s", body)
	}
	if body := text(t, asKim(stale, "GET", "/account/settings", "")); strings.Contains(body, `action="/account/settings/email"`) || !strings.Contains(body, `href="/login?to=/account/settings"`) {
		t.Errorf("an old login sees %s", body)
	}
}
