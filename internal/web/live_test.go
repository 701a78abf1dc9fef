package web

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"sandlot/internal/publish"
)

func TestCountsAreThoseOfTheDomain(t *testing.T) {
	h := house(t)
	h.count(gameID, 12, 4, 3)
	resp := request(h, "GET", "/p/game-abc123/counts", "")
	if body := text(t, resp); body != `{"player_count":3,"plays":12,"likes":4}` || resp.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("got %s", body)
	}
}

func TestHeartbeatsAreCounted(t *testing.T) {
	s := &service{}
	h := pages(s)
	for _, c := range []struct {
		body   string
		status int
	}{
		{`{"player":"abc_-1"}`, 204},
		{`{"player":"abc_-1","gone":true}`, 204},
		{`{"player":""}`, 204},
		{`{"player":"<b>"}`, 204},
		{`{"player":"` + strings.Repeat("x", 65) + `"}`, 204},
		{`{"player":1}`, 400},
		{`no json`, 400},
		{`{"player":"` + strings.Repeat("x", 300) + `"}`, 400},
	} {
		if resp := request(h, "POST", "/p/game-abc123/heartbeat", c.body); resp.StatusCode != c.status {
			t.Errorf("%.20s: %d", c.body, resp.StatusCode)
		}
	}
	at := "touch game-abc123 "
	if want := []string{at + "abc_-1", "leave game-abc123 abc_-1", at + someone + ":1234", at + someone + ":1234", at + someone + ":1234"}; !slices.Equal(s.beats, want) {
		t.Errorf("the beats are %q", s.beats)
	}
	if resp := request(pages(&service{liveFake: liveFake{gone: publish.Refuse(publish.CodeTakenDown, "down")}}), "POST", "/p/game-abc123/heartbeat", "{}"); resp.StatusCode != http.StatusUnavailableForLegalReasons {
		t.Errorf("of one that was taken down: %d", resp.StatusCode)
	}
}

func TestStreamsAreForThePageAlone(t *testing.T) {
	h := house(t)
	for header, want := range map[[2]string]int{
		{"Sec-Fetch-Site", "cross-site"}:              403,
		{"Sec-Fetch-Site", "same-site"}:               403,
		{"Origin", "null"}:                            403,
		{"Origin", "https://game-abc123.example.net"}: 403,
		{"Sec-Fetch-Site", "same-origin"}:             503, // a recorder's connection cannot be taken
		{"X-Nothing", "a program"}:                    503,
	} {
		if resp := request(h, "GET", "/p/game-abc123/live", "", header[0], header[1]); resp.StatusCode != want {
			t.Errorf("%v: %d", header, resp.StatusCode)
		}
	}
	if h.numbers.watchers.slots.Held() != 0 {
		t.Errorf("%d streams are counted that did not begin", h.numbers.watchers.slots.Held())
	}
}

func TestThereIsNoStreamOfWhatIsNotThere(t *testing.T) {
	if resp := request(house(t), "GET", "/p/nothing-abc123/live", ""); resp.StatusCode != http.StatusNotFound {
		t.Errorf("of nothing: %d", resp.StatusCode)
	}
	for err, want := range map[error]int{publish.Refuse(publish.CodeTakenDown, "down"): 451, errors.New("a fault"): 500} {
		s := &service{liveFake: liveFake{gone: err}}
		for _, path := range []string{"/p/game-abc123/live", "/p/game-abc123/counts"} {
			if resp := request(pages(s), "GET", path, ""); resp.StatusCode != want {
				t.Errorf("%s with %v: %d", path, err, resp.StatusCode)
			}
		}
	}
}
