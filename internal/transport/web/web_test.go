package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"sandlot/internal/domain/gallery"
	"sandlot/internal/testkit/expect"
)

// byAddress takes everybody at one address for one visitor.
func byAddress(r *http.Request, _ string) gallery.PlayerID { return gallery.PlayerID(r.RemoteAddr) }

func request(h http.Handler, method, target, form string, header ...string) *http.Response {
	r := httptest.NewRequest(method, "https://example.com"+target, strings.NewReader(form))
	if form != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func text(t *testing.T, resp *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(resp.Body)
	expect.OK(t, err)
	return string(body)
}

func TestEveryPageHasItsHeaders(t *testing.T) {
	t.Parallel()
	h := house(t)
	for _, target := range []string{"/", "/p/game-abc123", "/p/nothing", "/verify?token=" + h.claim("max", "max@example.com"), "/verify?token=bad", "/static/site.css", "/nothing", "/docs", "/docs/projects"} {
		resp := request(h, "GET", target, "")
		csp := resp.Header.Get("Content-Security-Policy")
		if !strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, "frame-ancestors 'none'") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s has the policy %q", target, csp)
		}
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin"} {
			if got := resp.Header.Get(name); got != want {
				t.Errorf("%s has %s: %q", target, name, got)
			}
		}
		if resp.Header.Get("Set-Cookie") != "" {
			t.Errorf("%s sets a cookie", target)
		}
	}
}

// named are the links in the head that no browser loads.
var named = regexp.MustCompile(`<link rel="(?:canonical|alternate)"[^>]*>`)

func TestNoPageLoadsFromElsewhereOrRunsInlineScript(t *testing.T) {
	t.Parallel()
	h := house(t)
	for _, target := range []string{"/", "/docs", "/docs/agents", "/p/nothing", "/verify?token=" + h.claim("max", "max@example.com"), "/verify?token=bad"} {
		body := named.ReplaceAllString(text(t, request(h, "GET", target, "")), "")
		if strings.Count(body, "<script") != strings.Count(body, `<script type="module" src="/static/`) {
			t.Errorf("%s has a script of its own", target)
		}
		for _, never := range []string{" onclick", " style=", `src="http`, `href="http`, `src="//`} {
			if strings.Contains(body, never) {
				t.Errorf("%s has %q", target, never)
			}
		}
		if !strings.Contains(body, `lang="en"`) || !strings.Contains(body, "<title>") {
			t.Errorf("%s has no language or title", target)
		}
	}
}

func TestTheFirstPageShowsACallWithThisAddress(t *testing.T) {
	t.Parallel()
	if body := text(t, request(house(t), "GET", "/", "")); !strings.Contains(body, "https://example.com/v1/publish") {
		t.Errorf("it shows %s", body)
	}
}

func TestLookingAtALinkUsesNothingUp(t *testing.T) {
	t.Parallel()
	h := house(t)
	token := h.claim("max", "max@example.com")
	before := h.in.Rows()
	for range 20 {
		for _, method := range []string{"GET", "HEAD"} {
			resp := request(h, method, "/verify?token="+token, "")
			if resp.StatusCode != http.StatusOK || resp.Header.Get("Referrer-Policy") != "no-referrer" {
				t.Fatalf("%s: %d, referrer policy %q", method, resp.StatusCode, resp.Header.Get("Referrer-Policy"))
			}
		}
	}
	expect.Same(t, "what is recorded", h.in.Rows(), before)
}

func TestOnlyTheButtonVerifiesAndOnlyOnce(t *testing.T) {
	t.Parallel()
	h := house(t)
	token := h.claim("max", "max@example.com")
	verified := func() string {
		return strings.Join(h.in.Query("SELECT email FROM accounts WHERE verified_at IS NOT NULL"), " ")
	}
	for _, site := range []string{"cross-site", "same-site"} {
		if resp := request(h, "POST", "/verify", "token="+token, "Sec-Fetch-Site", site); resp.StatusCode != http.StatusForbidden || verified() != "kim@mail.internal" {
			t.Errorf("pressed from %s: %d", site, resp.StatusCode)
		}
	}
	expect.Equal(t, "pressed from another origin", request(h, "POST", "/verify", "token="+token, "Origin", "https://evil.example").StatusCode, http.StatusForbidden)
	if resp := request(h, "POST", "/verify", "token="+token, "Sec-Fetch-Site", "same-origin"); resp.StatusCode != http.StatusOK || verified() != "kim@mail.internal max@example.com" {
		t.Errorf("pressed: %d", resp.StatusCode)
	}
	expect.Equal(t, "pressed again", request(h, "POST", "/verify", "token="+token, "Sec-Fetch-Site", "same-origin").StatusCode, http.StatusGone)
	expect.Equal(t, "a form of 1 MB", request(h, "POST", "/verify", "token="+strings.Repeat("x", 1<<20), "Sec-Fetch-Site", "same-origin").StatusCode, http.StatusRequestEntityTooLarge)
}
