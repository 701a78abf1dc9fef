package web

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// variable is a part of a path that varies.
var variable = regexp.MustCompile(`\{[^}]*\}`)

// TestEveryRouteKeepsOutWhoMayNotCome walks the list of routes: who is led to a
// login, and that no form is taken from elsewhere.
func TestEveryRouteKeepsOutWhoMayNotCome(t *testing.T) {
	t.Parallel()
	p := house(t)
	stale := house(t)
	stale.site.now = func() time.Time { return time.Now().Add(freshFor + time.Minute) }
	for _, r := range p.routes {
		target := variable.ReplaceAllString(strings.ReplaceAll(r.path, "{$}", ""), "game-abc123")
		if r.method != "GET" {
			for name, header := range map[string][]string{
				"another site": {"Sec-Fetch-Site", "cross-site"}, "a project's origin": {"Sec-Fetch-Site", "same-site"},
				"another origin, told by an old browser": {"Origin", "https://game-abc123.example.net"}, "an opaque origin": {"Origin", "null"},
			} {
				resp := request(p, r.method, target, "x=1", append(header, "Cookie", cookieName+"=kim")...)
				if resp.StatusCode != http.StatusForbidden {
					t.Errorf("%s %s from %s: %d", r.method, target, name, resp.StatusCode)
				}
			}
		}
		if r.access != owner && r.access != recent {
			continue
		}
		for name, cookie := range map[string]string{
			"no cookie": "", "an unknown session": cookieName + "=other", "two sessions": cookieName + "=kim; " + cookieName + "=kim", "a key": cookieName + "=sla_x",
		} {
			resp := request(p, r.method, target, "", "Cookie", cookie, "Sec-Fetch-Site", "same-origin", "Authorization", "Bearer sla_x")
			if resp.StatusCode != http.StatusSeeOther || !strings.HasPrefix(resp.Header.Get("Location"), "/login?to=%2Faccount") {
				t.Errorf("%s %s with %s: %d to %q", r.method, target, name, resp.StatusCode, resp.Header.Get("Location"))
			}
		}
		resp := asKim(stale, r.method, target, "")
		if asks := strings.HasPrefix(resp.Header.Get("Location"), "/login?"); asks != (r.access == recent) {
			t.Errorf("%s %s with an old login: %d to %q", r.method, target, resp.StatusCode, resp.Header.Get("Location"))
		}
	}
}

// TestRegression38ALoginOfATimeToComeIsNotFresh: a clock that was ahead while somebody logged in must not
// leave keys and address open to that browser until then.
func TestRegression38ALoginOfATimeToComeIsNotFresh(t *testing.T) {
	t.Parallel()
	p := house(t)
	p.site.now = func() time.Time { return time.Now().Add(-freshFor - time.Minute) }
	asked := 0
	for _, r := range p.routes {
		if r.access != recent {
			continue
		}
		asked++
		target := variable.ReplaceAllString(strings.ReplaceAll(r.path, "{$}", ""), "game-abc123")
		resp := request(p, r.method, target, "x=1", "Cookie", cookieName+"=kim", "Sec-Fetch-Site", "same-origin")
		if resp.StatusCode != http.StatusSeeOther || !strings.HasPrefix(resp.Header.Get("Location"), "/login?") {
			t.Errorf("%s %s: %d, to %q", r.method, target, resp.StatusCode, resp.Header.Get("Location"))
		}
	}
	if asked == 0 {
		t.Error("there is no such route")
	}
}
