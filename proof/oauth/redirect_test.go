package oauth

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

// TestNobodyIsSentToARedirectThatIsNotTheProgramsOwn: tricks with the address show a page, whether or not somebody is logged in.
func TestNobodyIsSentToARedirectThatIsNotTheProgramsOwn(t *testing.T) {
	t.Parallel()
	s := start(t)
	ada := s.join(t, "ada")
	const web, app = "https://agent.example/callback", "com.example.agent:/callback"
	mine := s.register(t, web, loopback, app, "http://localhost:7777/callback", "http://[::1]:7777/callback")
	for _, redirect := range []string{
		"https://evil.example/callback", "https://agent.example.evil.example/callback", "https://evil.example/agent.example/callback",
		"https://agent.example@evil.example/callback", "https://user@agent.example/callback", "https://agent.example:443@evil.example/callback",
		"https://agent.example/callback/../../evil", "https://agent.example/callback/..", "https://agent.example/./callback",
		"https://agent.example/callback/", "https://agent.example/callback?next=https://evil.example", "https://agent.example/callback#evil",
		"https://agent.example//callback", "https://agent.example/Callback", "https://AGENT.example/callback", "HTTPS://agent.example/callback",
		"https://agent.example./callback", "https://agent.example:443/callback", "https://agent.example:8443/callback",
		"https://agent.example/%63allback",
		"https://agent.example%2f@evil.example/callback", "https://agent.example%00.evil.example/callback",
		"https://agent.example\\.evil.example/callback",
		"https://evil.example\\@agent.example/callback", "https:\\\\agent.example/callback", "https:agent.example/callback",
		"https:/agent.example/callback",
		"///agent.example/callback", "//agent.example/callback", "/callback", "callback", "http://agent.example/callback", " " + web,
		web + " ", web + "\t",
		web + "\r\nSet-Cookie: a=b", web + "\x00", "https://agent.example\u3002evil.example/callback", "https://\u0430gent.example/callback",
		"http://localhost.evil.example/callback", "http://127.0.0.1.evil.example/callback", "http://127.0.0.1@evil.example/callback",
		"http://127.0.0.1:7777@evil.example/callback", "http://127.0.0.1:7777.evil.example/callback",
		"http://127.0.0.1:7777\\@evil.example/callback",
		"http://127.0.0.2:7777/callback", "http://127.1:7777/callback", "http://2130706433:7777/callback", "http://0x7f.0.0.1:7777/callback",
		"http://0177.0.0.1:7777/callback", "http://0.0.0.0:7777/callback", "http://[::]:7777/callback", "http://[::ffff:127.0.0.1]:7777/callback",
		"http://[0:0:0:0:0:0:0:1]:7777/callback", "http://[::1%25lo]:7777/callback", "http://LOCALHOST:7777/callback",
		"http://localhost.:7777/callback",
		"https://127.0.0.1:7777/callback", "https://localhost:7777/callback", "http://127.0.0.1:7777/other",
		"http://127.0.0.1:7777/callback/../x",
		"http://127.0.0.1:7777/callback?a=b", "http://127.0.0.1:/callback#a", "http://127.0.0.1:77 77/callback", "http://127.0.0.1:-1/callback",
		"http://127.0.0.1:7777", "com.example.agent:/other", "com.example.agent://callback", "COM.example.agent:/callback",
		"com.example.agent.evil:/callback",
		"javascript:alert(1)", "javascript:alert(1)//" + web, "data:text/html,a", "about:blank", "file:///callback", "urn:ietf:wg:oauth:2.0:oob",
	} {
		for who, browser := range map[string]*person{"a person": ada, "a stranger": s.stranger()} {
			got := browser.does(t, "GET", mine.address("redirect_uri", redirect), nil)
			if got.status != http.StatusBadRequest || !got.isPage() {
				t.Errorf("%q for %s: %d %s", redirect, who, got.status, got.header.Get("Location"))
			}
		}
		denied := ada.does(t, "POST", mine.address("redirect_uri", redirect), form("answer", "deny"))
		if to := denied.header.Get("Location"); denied.status < 400 && !strings.HasPrefix(to, "/") {
			t.Errorf("%q denied: %d %s", redirect, denied.status, to)
		}
	}
	for _, redirect := range []string{
		web, app, loopback, "http://127.0.0.1:1/callback", "http://127.0.0.1:65535/callback", "http://127.0.0.1/callback",
		"http://[::1]:9/callback",
		"http://localhost:50000/callback",
	} {
		to := ada.allow(t, mine.request("redirect_uri", redirect), "").String()
		if !strings.HasPrefix(to, redirect+"?") || strings.Count(to, "?") != 1 {
			t.Errorf("%s leads to %s", redirect, to)
		}
	}
	device := s.registration(t, object{"grant_types": []string{deviceGrant}}).json(t)
	for _, id := range []string{"terminal", text(device, "client_id")} {
		got := ada.does(t, "GET", mine.address("client_id", id), nil)
		expect.Equal(t, "status of a program without redirects", got.status, http.StatusBadRequest)
	}
	none := ada.does(t, "GET", mine.address("redirect_uri", ""), nil)
	expect.Equal(t, "status without a redirect, of which the program has several", none.status, http.StatusBadRequest)
}

// TestTheQueryOfARedirectStays, and the answer is added to it.
func TestTheQueryOfARedirectStays(t *testing.T) {
	t.Parallel()
	s := start(t)
	ada := s.join(t, "ada")
	for _, redirect := range []string{
		"https://agent.example/callback?tenant=7&empty=", "http://127.0.0.1:7777/?a=%26",
		"cursor://agent/callback?x",
	} {
		mine := s.register(t, redirect)
		to := ada.allow(t, mine.request(), "")
		if !strings.HasPrefix(to.String(), redirect+"&") || to.Query().Get("code") == "" || to.Query().Get("iss") != s.base+"/oauth" {
			t.Errorf("%s leads to %s", redirect, to)
		}
	}
}

// TestNoStateBreaksTheRedirect: whatever a program sends as its state comes back to it, and to nothing else.
func TestNoStateBreaksTheRedirect(t *testing.T) {
	t.Parallel()
	s := start(t)
	ada, mine := s.join(t, "ada"), s.register(t, loopback)
	for _, state := range []string{
		"a\r\nSet-Cookie: evil=1\r\n\r\n<script>", "a\nb", "&code=evil&iss=https://evil.example", "#", "%0d%0a", "\u2028\u202e",
		`"><script>alert(1)</script>`,
		"+", "a b", strings.Repeat("a", 2000), "{\"a\":[1]}",
	} {
		for _, answered := range []string{"allow", "deny"} {
			got := ada.decide(t, ada.ask(t, mine.request("state", state)), answered, "")
			to := got.redirect(t)
			query := to.Query()
			if query.Get("state") != state || len(query["code"]) > 1 || len(query["iss"]) != 1 || to.Fragment != "" || to.Host != "127.0.0.1:7777" {
				t.Errorf("the state %q comes back by %q", state, to)
			}
			expect.Equal(t, "a header of the state", strings.Contains(fmt.Sprint(got.header["Set-Cookie"]), "evil"), false)
		}
	}
}

// TestRegistrationsTakeNoRedirectThatRunsOrLeaks.
func TestRegistrationsTakeNoRedirectThatRunsOrLeaks(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, redirect := range []string{
		"javascript:alert(1)", "JavaScript:alert(1)", "java\nscript:alert(1)", "\tjavascript:alert(1)", "data:text/html,<script>", "vbscript:a",
		"file:///etc/passwd", "blob:https://agent.example/a", "about:blank", "view-source:https://agent.example/",
		"filesystem:https://agent.example/a",
		"ws://agent.example/", "ftp://agent.example/", "mailto:a@b.c",
		"http://agent.example/callback", "http://localhost.evil.example/", "http://127.0.0.1.evil.example/", "http://127.0.0.1@evil.example/",
		"http://10.0.0.1/",
		"http://192.168.0.1/", "http://0.0.0.0/", "http://127.0.0.2/", "http://[::]/",
		"https://user:password@agent.example/", "https://agent.example/#a", "https://agent.example/#", "https:///callback", "https:callback",
		"https://",
		"", " ", "/callback", "callback", "//agent.example", "https://agent.example/ a", "https://agent.example/\r\nA: b",
		"https://agent.example/\x00",
		"https://agent.example/\"", "https://agent.example/<script>", "https://agent.example\\a", "https://agent.example:port/",
		"https://" + strings.Repeat("a", 5000) + ".example/",
	} {
		s.registration(t, object{"redirect_uris": []string{loopback, redirect}}).refusedAs(t, "the redirect "+redirect, "invalid_redirect_uri")
	}
}
