package play

import (
	"net/http"
	"testing"
)

// TestRegression06A304CountsForATagThatTheServiceGave, and not for "*" or a tag that somebody made up.
func TestRegression06A304CountsForATagThatTheServiceGave(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.put(gameID, s.file("index.html", page("one")))
	h := newHandler(s, "localhost")
	plain, packed, scripted := get(h, "/").Header.Get("Etag"), get(h, "/", "Accept-Encoding: br").Header.Get("Etag"), get(h, "/", document).Header.Get("Etag")
	for _, c := range []struct {
		name    string
		headers []string
		status  int
		plays   int
	}{
		{"*", []string{"If-None-Match: *"}, 304, 0},
		{"* between blanks", []string{"If-None-Match:  * "}, 304, 0},
		{"the tag it gave", []string{"If-None-Match: " + plain}, 304, 1},
		{"the tag it gave, weakened by a proxy", []string{"If-None-Match: W/" + plain}, 304, 1},
		{"that of a packed form", []string{"If-None-Match: " + packed, "Accept-Encoding: br"}, 304, 1},
		{"that of the page with the script", []string{"If-None-Match: " + scripted, document}, 304, 1},
		{"a list with *", []string{`If-None-Match: "made-up", *`}, 200, 1},
		{"one made up, which is a whole load", []string{`If-None-Match: "made-up"`}, 200, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := s.plays()
			res := get(h, "/", c.headers...)
			if got := s.plays() - before; res.StatusCode != c.status || got != c.plays {
				t.Errorf("%d and %d plays, want %d and %d", res.StatusCode, got, c.status, c.plays)
			}
		})
	}
}

// TestRegression06AVisitorIsANetworkAndABrowser, or a token where the site's own origin brings one.
func TestRegression06AVisitorIsANetworkAndABrowser(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.put(gameID, s.file("index.html", page("one")))
	token := func(r *http.Request) string { return r.Header.Get("Cookie") }
	h := newHandler(s, "localhost", func(c *Config) { c.Token = token })
	id := func(p place, addr string, headers ...string) string {
		t.Helper()
		r := request("GET", "/", headers...)
		r.RemoteAddr = addr
		if res := at(h, p, r); res.StatusCode != http.StatusOK {
			t.Fatal(res.StatusCode)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		return string(s.played[len(s.played)-1].ID)
	}
	const one = "203.0.113.7:1000"
	for _, c := range []struct {
		name string
		a, b string
		same bool
	}{
		{"another port", id(onProject, one), id(onProject, "203.0.113.7:1001"), true},
		{"another address", id(onProject, one), id(onProject, "203.0.113.8:1000"), false},
		{"another browser", id(onProject, one, "User-Agent: a"), id(onProject, one, "User-Agent: b"), false},
		{"another address of the /64", id(onProject, "[2001:db8::1]:1"), id(onProject, "[2001:db8::2]:1"), true},
		{"another /64", id(onProject, "[2001:db8::1]:1"), id(onProject, "[2001:db8:0:1::1]:1"), false},
		{"a token on the site's origin, from elsewhere", id(onPath, one, "Cookie: t"), id(onPath, "203.0.113.8:1", "Cookie: t", "User-Agent: b"), true},
		{"another token on the site's origin", id(onPath, one, "Cookie: t"), id(onPath, one, "Cookie: u"), false},
		{"a token on the project's origin, which it may have set", id(onProject, one, "Cookie: t"), id(onProject, one, "Cookie: u"), true},
	} {
		if (c.a == c.b) != c.same {
			t.Errorf("%s: the same visitor is %v", c.name, c.a == c.b)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if got := s.played[0].From.String(); got != "203.0.113.7" {
		t.Errorf("it counts in the network of %s", got)
	}
}
