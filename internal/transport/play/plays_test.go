package play

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sandlot"
)

func TestPlays(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.put(gameID, s.file("index.html", page("one")), s.file("a.txt", "text"), s.file("404.html", "<p>lost"))
	h := newHandler(s, "localhost")
	etag := get(h, "/").Header.Get("Etag")
	chrome := "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
	for _, c := range []struct {
		name    string
		method  string
		target  string
		place   place
		headers []string
		want    int
	}{
		{"a load", "GET", "/", onProject, []string{chrome}, 1},
		{"by its name", "GET", "/index.html", onProject, []string{chrome}, 1},
		{"a navigation", "GET", "/", onProject, []string{chrome, document}, 1},
		{"the frame of the project page", "GET", "/", onProject, []string{chrome, "Sec-Fetch-Dest: iframe"}, 1},
		{"304", "GET", "/", onProject, []string{chrome, "If-None-Match: " + etag}, 1},
		{"no User-Agent", "GET", "/", onProject, nil, 1},
		{"curl", "GET", "/", onProject, []string{"User-Agent: curl/8.5.0"}, 1},
		{"python", "GET", "/", onProject, []string{"User-Agent: python-requests/2.31.0"}, 1},
		{"Go", "GET", "/", onProject, []string{"User-Agent: Go-http-client/1.1"}, 1},
		{"a telephone called Cubot", "GET", "/", onProject, []string{"User-Agent: Mozilla/5.0 (Linux; Android 9; CUBOT_X19)"}, 1},
		{"headless Chrome", "GET", "/", onProject, []string{"User-Agent: Mozilla/5.0 HeadlessChrome/140.0.0.0 Safari/537.36"}, 1},
		{"path form", "GET", "/", onPath, []string{chrome}, 1},
		{"path form, redirected", "GET", "/", onPath, []string{chrome, document}, 0},
		{"HEAD", "HEAD", "/", onProject, []string{chrome}, 0},
		{"another file", "GET", "/a.txt", onProject, []string{chrome}, 0},
		{"404", "GET", "/none", onProject, []string{chrome}, 0},
		{"a range", "GET", "/", onProject, []string{chrome, "Range: bytes=0-1"}, 0},
		{"a range that is not served", "GET", "/", onProject, []string{chrome, "Range: lines=0-1"}, 0},
		{"prefetch", "GET", "/", onProject, []string{chrome, "Sec-Purpose: prefetch"}, 0},
		{"prerender", "GET", "/", onProject, []string{chrome, "Sec-Purpose: prefetch;prerender"}, 0},
		{"older prefetch", "GET", "/", onProject, []string{chrome, "Purpose: prefetch"}, 0},
		{"Firefox's prefetch", "GET", "/", onProject, []string{chrome, "X-Moz: prefetch"}, 0},
		{"version", "GET", "/", onVersion, []string{chrome}, 0},
		{"POST", "POST", "/", onProject, []string{chrome}, 0},
		{"Google", "GET", "/", onProject, []string{"User-Agent: Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"}, 0},
		{"Facebook", "GET", "/", onProject, []string{"User-Agent: facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)"}, 0},
		{"Slack", "GET", "/", onProject, []string{"User-Agent: Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)"}, 0},
		{"Discord", "GET", "/", onProject, []string{"User-Agent: Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)"}, 0},
		{"WhatsApp", "GET", "/", onProject, []string{"User-Agent: WhatsApp/2.23.20.0"}, 0},
		{"Telegram", "GET", "/", onProject, []string{"User-Agent: TelegramBot (like TwitterBot)"}, 0},
		{"Skype", "GET", "/", onProject, []string{"User-Agent: Mozilla/5.0 SkypeUriPreview Preview/0.5"}, 0},
		{"Baidu", "GET", "/", onProject, []string{"User-Agent: Mozilla/5.0 (compatible; Baiduspider/2.0)"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := s.plays()
			at(h, c.place, request(c.method, c.target, c.headers...))
			if got := s.plays() - before; got != c.want {
				t.Errorf("%d plays, want %d", got, c.want)
			}
		})
	}
	t.Run("a load that failed", func(t *testing.T) {
		broken := s.file("index.html", "<p>broken")
		s.put(gameID, broken)
		s.broken[broken.Content.Ref] = sandlot.ErrCorrupt
		before := s.plays()
		if res := get(h, "/"); res.StatusCode != 500 || s.plays() != before {
			t.Errorf("%d, %d plays", res.StatusCode, s.plays()-before)
		}
	})
}

func TestHeartbeat(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.put(gameID, s.file("index.html", "<p>hi"))
	h := newHandler(s, "localhost")
	beat := func(p place, body string, headers ...string) int {
		r := request("POST", "/.sandlot/heartbeat", headers...)
		r.Body = io.NopCloser(strings.NewReader(body))
		return at(h, p, r).StatusCode
	}
	visitor := string(h.Visitors.ID(request("POST", "/"), "", time.Now()))
	hashed := func(id string) string { return string(presenceOf(gameID, id)) }
	for _, c := range []struct {
		name, body string
		place      place
		headers    []string
		status     int
		want       string // what the Service hears
	}{
		{"touch", `{"player":"abc-_9"}`, onProject, nil, 204, "touch chess-abc234 " + hashed("abc-_9")},
		{"goodbye", `{"player":"abc","gone":true}`, onProject, nil, 204, "leave chess-abc234 " + hashed("abc")},
		{"same origin", `{"player":"abc"}`, onProject, []string{"Sec-Fetch-Site: same-origin"}, 204, "touch chess-abc234 " + hashed("abc")},
		{"without storage", `{"player":""}`, onProject, nil, 204, "touch chess-abc234 " + visitor},
		{"without a body", "", onProject, nil, 204, "touch chess-abc234 " + visitor},
		{"an id of other characters", `{"player":"a b"}`, onProject, nil, 204, "touch chess-abc234 " + visitor},
		{"an id of 64", `{"player":"` + strings.Repeat("a", 64) + `"}`, onProject, nil, 204, "touch chess-abc234 " + hashed(strings.Repeat("a", 64))},
		{"an id of 65", `{"player":"` + strings.Repeat("a", 65) + `"}`, onProject, nil, 204, "touch chess-abc234 " + visitor},
		{"unknown field", `{"player":"abc","x":1}`, onProject, nil, 204, "touch chess-abc234 " + hashed("abc")},
		{"no JSON", `player=abc`, onProject, nil, 400, ""},
		{"wrong type", `{"player":7}`, onProject, nil, 400, ""},
		{"256 bytes", `{"player":"abc"}` + strings.Repeat(" ", 240), onProject, nil, 204, "touch chess-abc234 " + hashed("abc")},
		{"257 bytes", `{"player":"abc"}` + strings.Repeat(" ", 241), onProject, nil, 413, ""},
		{"cross-site", `{"player":"abc"}`, onProject, []string{"Sec-Fetch-Site: cross-site"}, 403, ""},
		{"same-site", `{"player":"abc"}`, onProject, []string{"Sec-Fetch-Site: same-site"}, 403, ""},
		{"another origin on plain http", `{"player":"abc"}`, onProject, []string{"Origin: http://evil.com"}, 403, ""},
		{"a sandbox elsewhere", `{"player":"abc"}`, onProject, []string{"Origin: null", "Sec-Fetch-Site: cross-site"}, 403, ""},
		{"the path form's sandbox", `{"player":"abc"}`, onPath, []string{"Origin: null", "Sec-Fetch-Site: cross-site"}, 204, "touch chess-abc234 " + hashed("abc")},
		{"another origin, path form", `{"player":"abc"}`, onPath, []string{"Origin: http://evil.com", "Sec-Fetch-Site: cross-site"}, 403, ""},
		{"version", `{"player":"abc"}`, onVersion, nil, 404, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.beats = nil
			if got := beat(c.place, c.body, c.headers...); got != c.status {
				t.Errorf("%d, want %d", got, c.status)
			}
			if diff := cmp.Diff(c.want, strings.Join(s.beats, ",")); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("a count that cannot be had fails nothing", func(t *testing.T) {
		s.live = errors.New("no Redis")
		if got := beat(onProject, `{"player":"abc"}`); got != 204 {
			t.Errorf("%d", got)
		}
	})
	t.Run("methods", func(t *testing.T) {
		for method, want := range map[string]int{"GET": 405, "PUT": 405, "OPTIONS": 204} {
			res := at(h, onProject, request(method, "/.sandlot/heartbeat"))
			if res.StatusCode != want || res.Header.Get("Allow") != "POST, OPTIONS" {
				t.Errorf("%s: %d, Allow %q", method, res.StatusCode, res.Header.Get("Allow"))
			}
		}
	})
	if s.plays() != 0 {
		t.Error("a heartbeat is no play")
	}
}

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
