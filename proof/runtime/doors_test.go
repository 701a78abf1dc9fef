package runtime

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

// A request is a call of a player to a project.
type request struct{ method, path, body string }

// keeping returns valid requests that change data.
func keeping(since string) []request {
	return []request{
		{"PATCH", "player", `{"name":"Ada"}`},
		{"POST", "player/code", `{}`},
		{"PUT", "saves/main", `{"level":3}`},
		{"DELETE", "saves/main", ""},
		{"POST", "scores/main", `{"score":5,"since":"` + since + `"}`},
		{"PUT", "shared/wall", `[1,2]`},
		{"DELETE", "shared/wall", ""},
	}
}

// reading returns requests that read data.
func reading() []request {
	return []request{
		{"GET", "player", ""},
		{"GET", "saves", ""},
		{"GET", "saves/main", ""},
		{"GET", "scores/main", ""},
		{"GET", "scores/main?period=today&around=true", ""},
		{"GET", "shared", ""},
		{"GET", "shared/wall", ""},
	}
}

func TestInvalidTokensStoreNothing(t *testing.T) {
	t.Parallel()
	p := start(t).blank(t)
	since := p.player("ada").enters(t).since
	for about, token := range map[string]string{
		"none":                "",
		"31 characters":       strings.Repeat("a", 31),
		"65 characters":       strings.Repeat("a", 65),
		"8,000 characters":    strings.Repeat("a", 8000),
		"a blank inside":      strings.Repeat("a", 20) + " " + strings.Repeat("a", 20),
		"a way out":           strings.Repeat("../", 12),
		"a quote":             strings.Repeat("a", 40) + "'",
		"other letters":       strings.Repeat("é", 20),
		"a key of an account": p.s.key + "!",
	} {
		forger := &player{project: p, token: token}
		for _, r := range keeping(since) {
			forger.does(t, r.method, r.path, r.body).refused(t, about+": "+r.method+" "+r.path, http.StatusBadRequest, "player_required", "invalid_field")
		}
	}
	if got := p.owner(t, "GET", "/boards", ""); strings.Contains(got.body, `"main"`) {
		t.Errorf("there is a board without a player: %s", got.body)
	}
}

// TestATokenIsOfOneProject: in another project the same token is another player, without access to this one.
func TestATokenIsOfOneProject(t *testing.T) {
	t.Parallel()
	s := start(t)
	one, other := s.blank(t), s.blank(t)
	ada := one.player("ada").enters(t)
	expect.Equal(t, "status of a save", ada.does(t, "PUT", "saves/main", `{"level":3}`).status, http.StatusOK)
	expect.Equal(t, "status of a shared value", ada.does(t, "PUT", "shared/wall", `[1]`).status, http.StatusOK)
	code := ada.does(t, "POST", "player/code", "{}").text(t, "code")
	id := ada.does(t, "GET", "player", "").text(t, "id")
	away := &player{project: other, token: ada.token}
	for _, path := range []string{"saves/main", "shared/wall"} {
		away.does(t, "GET", path, "").refused(t, path+" in another project", http.StatusNotFound, "save_not_found")
	}
	if got := away.does(t, "GET", "player", "").text(t, "id"); got != "" && got == id {
		t.Error("the player is known in another project")
	}
	body, err := json.Marshal(object{"code": code})
	expect.OK(t, err)
	away.does(t, "POST", "player/resume", string(body)).refused(t, "a code in another project", 400, "invalid_code")
	stamp, err := json.Marshal(object{"score": 5, "since": ada.since})
	expect.OK(t, err)
	away.does(t, "POST", "scores/main", string(stamp)).refused(t, "a stamp of another project", http.StatusTooManyRequests, "too_early")
}

// TestSoakStrangeNamesAreRefusedOrKept: a name of a slot, key or board is refused with all members of an error, or works; none is a fault.
func TestSoakStrangeNamesAreRefusedOrKept(t *testing.T) {
	t.Parallel()
	p := start(t).blank(t)
	ada := p.player("ada").enters(t)
	ada.scores(t, "main", 1) // later scores count at once
	for _, name := range []string{
		"..", ".", "%2e%2e", "a%2fb", "%2f", "%5c", "%00", "a%00b", "%ff", "%c3%28", "__proto__", "constructor", "hasOwnProperty", "a%20b", "%20", "%0a", "%0d%0aX:1",
		"%E2%80%AE", "%3Cscript%3E", "%27%20OR%201=1--", strings.Repeat("a", 41), strings.Repeat("a", 65), strings.Repeat("a", 201), strings.Repeat("a", 5000),
		"a/b", "a/../main", "a//b", "MAIN", "main.json", "-", "_", "%F0%9F%8E%AE", "%ED%A0%80", "CON", "a;b", "a%3Fb", "a%23b", "%25", "%2525",
	} {
		for _, r := range []request{
			{"PUT", "saves/" + name, `{"a":1}`},
			{"GET", "saves/" + name, ""},
			{"DELETE", "saves/" + name, ""},
			{"PUT", "shared/" + name, `{"a":1}`},
			{"GET", "shared/" + name, ""},
			{"GET", "shared?prefix=" + name, ""},
			{"DELETE", "shared/" + name, ""},
			{"POST", "scores/" + name, `{"score":5,"since":"` + ada.since + `"}`},
			{"GET", "scores/" + name, ""},
		} {
			got := ada.does(t, r.method, r.path, r.body)
			about := r.method + " " + r.path[:min(len(r.path), 60)]
			switch {
			case got.status >= 500:
				t.Errorf("%s: %d %s", about, got.status, brief(got.body))
			case got.status >= 400 && got.status != http.StatusTooManyRequests:
				got.refused(t, about, got.status)
			}
		}
	}
	list := ada.does(t, "GET", "saves", "")
	if strings.Contains(list.body, `"slot"`) {
		t.Errorf("deleted slots are listed: %s", list.body)
	}
}

func TestNamesOfObjectPropertiesAreUsualNames(t *testing.T) {
	t.Parallel()
	p := start(t).blank(t)
	ada, eve := p.player("ada"), p.player("eve")
	for _, name := range []string{"__proto__", "constructor", "toString"} {
		want := fmt.Sprintf(`{"__proto__":{"polluted":true},"of":%q}`, name)
		expect.Equal(t, "status of "+name, ada.does(t, "PUT", "saves/"+name, want).status, http.StatusOK)
		got := ada.does(t, "GET", "saves/"+name, "")
		if !strings.Contains(got.body, `"polluted"`) || !strings.Contains(got.body, name) {
			t.Errorf("%s is %d %s", name, got.status, got.body)
		}
		eve.does(t, "GET", "saves/"+name, "").refused(t, name+" of another player", http.StatusNotFound, "save_not_found")
		expect.Equal(t, "status of shared "+name, ada.does(t, "PUT", "shared/"+name, `"`+name+`"`).status, http.StatusOK)
		expect.Contains(t, "shared "+name, eve.does(t, "GET", "shared/"+name, "").body, name)
	}
}

func TestDoorsTakeTheirMethodsAlone(t *testing.T) {
	t.Parallel()
	p := start(t).blank(t)
	ada := p.player("ada").enters(t)
	for path, allowed := range map[string]string{
		"player": "GET PATCH", "player/code": "POST", "player/resume": "POST", "saves": "GET", "saves/main": "GET PUT POST DELETE",
		"scores/main": "GET POST", "shared": "GET", "shared/wall": "GET PUT DELETE", "errors": "POST", "feedback": "POST", "sdk.js": "GET",
	} {
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "CONNECT2", "get"} {
			if strings.Contains(" "+allowed+" ", " "+method+" ") {
				continue
			}
			got := ada.does(t, method, path, "{}")
			if got.status != http.StatusMethodNotAllowed || got.header.Get("Allow") == "" {
				t.Errorf("%s %s: %d, Allow %q", method, path, got.status, got.header.Get("Allow"))
			}
		}
		if head := ada.does(t, "HEAD", path, ""); strings.Contains(allowed, "GET") && head.status >= 500 || head.body != "" {
			t.Errorf("HEAD %s: %d with %d bytes", path, head.status, len(head.body))
		}
	}
	ada.does(t, "PUT", "saves/main", `{"level":3}`)
	if got := ada.does(t, "GET", "saves/main", "", "Range", "bytes=0-1"); got.status != http.StatusOK {
		t.Errorf("a part of a save: %d %s", got.status, got.body)
	}
}

// TestSoakAnswersOfPlayersAreInNoCache: nor is a token in the log or in the data folder.
func TestSoakAnswersOfPlayersAreInNoCache(t *testing.T) {
	t.Parallel()
	p := start(t).blank(t)
	ada := p.player("ada").enters(t)
	ada.scores(t, "main", 5)
	for _, r := range append(keeping(ada.since), reading()...) {
		got := ada.does(t, r.method, r.path, r.body)
		if !strings.Contains(got.header.Get("Cache-Control"), "no-store") && !strings.Contains(got.header.Get("Vary"), "X-Sandlot-Player") {
			t.Errorf("a cache may keep %s %s: %q, Vary %q", r.method, r.path, got.header.Get("Cache-Control"), got.header.Get("Vary"))
		}
		if kind := got.header.Get("X-Content-Type-Options"); kind != "nosniff" {
			t.Errorf("%s %s: X-Content-Type-Options is %q", r.method, r.path, kind)
		}
		if got.header.Get("Set-Cookie") != "" {
			t.Errorf("%s %s sets a cookie", r.method, r.path)
		}
		if strings.Contains(got.body, ada.token) {
			t.Errorf("%s %s repeats the token", r.method, r.path)
		}
	}
	beacon := fmt.Sprintf(`{"player":%q,"value":{"level":4}}`, ada.token)
	silent := &player{project: p}
	got := silent.does(t, "POST", "saves/main", beacon, "Content-Type", "text/plain;charset=UTF-8")
	if got.status >= 300 {
		t.Errorf("a beacon: %d %s", got.status, got.body)
	}
	expect.Contains(t, "the save after the beacon", ada.does(t, "GET", "saves/main", "").body, "4")
	ada.does(t, "POST", "heartbeat", fmt.Sprintf(`{"player":%q}`, ada.token), "Origin", strings.TrimSuffix(p.url, "/"))
	ada.does(t, "POST", "saves/main?player="+ada.token, `{"player":`) // refused
	p.s.Stop(t)
	if strings.Contains(p.s.Logs(), ada.token) {
		t.Error("the log has the token")
	}
	if file := holds(t, p.s.Data(), ada.token); file != "" {
		t.Errorf("%s has the token", file)
	}
}

// TestSoakOtherOriginsReachNothing sends the headers with which browsers mark pages of other sites, of sibling projects and of no origin.
func TestSoakOtherOriginsReachNothing(t *testing.T) {
	t.Parallel()
	s := start(t)
	p, sibling := s.blank(t), s.blank(t)
	ada := p.player("ada").enters(t)
	ada.scores(t, "main", 5)
	own := strings.TrimSuffix(p.url, "/")
	for about, header := range map[string][]string{
		"another site":                 {"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"},
		"another site, an old browser": {"Origin", "https://evil.example"},
		"a sibling":                    {"Origin", strings.TrimSuffix(sibling.url, "/"), "Sec-Fetch-Site", "same-site"},
		"a sibling, an old browser":    {"Origin", strings.TrimSuffix(sibling.url, "/")},
		"the website":                  {"Origin", s.base(), "Sec-Fetch-Site", "same-site"},
		"no origin at the own address": {"Origin", "null", "Sec-Fetch-Site", "cross-site"},
		"the own origin, cross-site":   {"Origin", own, "Sec-Fetch-Site", "cross-site"},
		"another port":                 {"Origin", own + "1", "Sec-Fetch-Site", "same-site"},
		"a longer name":                {"Origin", own + ".evil.example"},
		"two origins":                  {"Origin", own + " https://evil.example"},
		"a text from a picture":        {"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"},
		"a sibling's picture":          {"Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "no-cors"},
	} {
		for _, r := range append(keeping(ada.since), reading()...) {
			got := ada.does(t, r.method, r.path, r.body, header...)
			got.refused(t, about+": "+r.method+" "+r.path, http.StatusForbidden)
			if allow := got.header.Get("Access-Control-Allow-Origin"); allow != "" {
				t.Errorf("%s: %s %s allows %s", about, r.method, r.path, allow)
			}
		}
		for _, r := range []request{{"POST", "errors", `{"errors":[{"kind":"error","message":"a"}]}`}, {"POST", "feedback", `{"text":"a"}`}} {
			ada.does(t, r.method, r.path, r.body, header...).refused(t, about+": "+r.path, http.StatusForbidden)
		}
	}
	for _, r := range append(keeping(ada.since), reading()...) {
		got := ada.does(t, r.method, r.path, r.body, "Origin", own, "Sec-Fetch-Site", "same-origin")
		if got.status == http.StatusForbidden {
			t.Errorf("its own page: %s %s: %s", r.method, r.path, got.body)
		}
		asked := ada.does(t, "OPTIONS", r.path, "", "Origin", "https://evil.example", "Access-Control-Request-Method", r.method,
			"Access-Control-Request-Headers", "x-sandlot-player")
		if asked.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("OPTIONS %s allows %s", r.path, asked.header.Get("Access-Control-Allow-Origin"))
		}
	}
}
