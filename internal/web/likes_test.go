package web

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sandlot/internal/admission"
	"sandlot/internal/gallery"
	"sandlot/internal/publish"
)

// liveFake knows the tokens that it has minted, which begin with "v", and has a
// project's likes by token and address.
type liveFake struct {
	minted int
	liked  map[string]bool
	stats  publish.Stats
	gone   error // of Counts
	beats  []string
}

func (f *liveFake) MintPlayerToken(context.Context, publish.Caller) (string, error) {
	f.minted++
	return "v" + strings.Repeat("x", f.minted), nil
}

func (f *liveFake) KnowsPlayerToken(_ context.Context, _ publish.Caller, token string) bool {
	return strings.HasPrefix(token, "v")
}

func (f *liveFake) Like(_ context.Context, _ publish.Caller, _ publish.ProjectID, token string, from netip.Addr, like bool) (int64, error) {
	if f.liked == nil {
		f.liked = map[string]bool{}
	}
	f.liked[token+" "+from.String()] = like
	return 7, nil
}

func (f *liveFake) Liked(_ context.Context, _ publish.Caller, _ publish.ProjectID, token string) (bool, error) {
	return f.liked[token+" "+someone], nil
}

func (f *liveFake) Counts(_ context.Context, _ publish.Caller, id publish.ProjectID) (publish.Stats, error) {
	if id != "game-abc123" {
		return publish.Stats{}, publish.Refuse(publish.CodeProjectNotFound, "There is no such project.")
	}
	return f.stats, f.gone
}

func (f *liveFake) Touch(_ context.Context, _ publish.Caller, id publish.ProjectID, p gallery.Player) error {
	f.beats = append(f.beats, "touch "+string(id)+" "+string(p.ID))
	return f.gone
}

func (f *liveFake) Leave(_ context.Context, _ publish.Caller, id publish.ProjectID, p gallery.Player) error {
	f.beats = append(f.beats, "leave "+string(id)+" "+string(p.ID))
	return nil
}

const likePath, someone = "/p/game-abc123/like", "192.0.2.1" // the address of httptest's requests

func TestALikeLeadsBackAndGivesTheBrowserAToken(t *testing.T) {
	s := &service{}
	resp := request(pages(s), "POST", likePath, "like=1", "Sec-Fetch-Site", "same-origin")
	if resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != "/p/game-abc123" || !s.liked["vx "+someone] {
		t.Errorf("%d to %s, liked are %v", resp.StatusCode, resp.Header.Get("Location"), s.liked)
	}
	cookies := resp.Cookies()
	if len(cookies) != 1 {
		t.Fatalf("the cookies are %v", cookies)
	}
	c := cookies[0]
	if c.Name != "__Host-visitor" || c.Value != "vx" || !c.Secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.MaxAge != 400*24*3600 {
		t.Errorf("the cookie is %v", c)
	}
}

func TestALikeIsOfTheTokenThatTheBrowserHas(t *testing.T) {
	for name, c := range map[string]struct {
		cookies []string
		want    string
	}{
		"its own":         {[]string{"vother"}, "vother"},
		"one made up":     {[]string{"forged"}, "vx"},
		"two of the name": {[]string{"va", "vb"}, "vx"},
	} {
		s := &service{}
		header := []string{}
		for i, v := range c.cookies {
			c.cookies[i] = visitorCookie + "=" + v
		}
		header = append(header, "Cookie", strings.Join(c.cookies, "; "))
		resp := request(pages(s), "POST", likePath, "like=0", header...)
		if _, ok := s.liked[c.want+" "+someone]; !ok || (len(resp.Cookies()) == 0) != (c.want == "vother") {
			t.Errorf("%s: liked are %v, cookies %v", name, s.liked, resp.Cookies())
		}
	}
}

func TestAScriptGetsTheCount(t *testing.T) {
	h := house(t)
	h.count(gameID, 0, 7, 0)
	resp := request(h, "POST", likePath, "like=0", "Accept", "application/json")
	if body := text(t, resp); body != `{"liked":false,"likes":7}` || resp.Header.Get("Content-Type") != "application/json" {
		t.Errorf("got %s, %s", body, resp.Header.Get("Content-Type"))
	}
}

// TestALikeComesFromThePageAlone: not from another site, not from a project under the same domain, and not from the
// sandboxed frame of a game, whose origin is null.
func TestALikeComesFromThePageAlone(t *testing.T) {
	h := house(t)
	before := h.in.Rows()
	for _, header := range [][2]string{
		{"Sec-Fetch-Site", "cross-site"},
		{"Sec-Fetch-Site", "same-site"},
		{"Origin", "null"},
		{"Origin", "https://evil.example"},
		{"Origin", "https://game-abc123.example.net"},
	} {
		for _, path := range []string{likePath, "/p/game-abc123/heartbeat"} {
			if resp := request(h, "POST", path, "like=1", header[0], header[1]); resp.StatusCode != http.StatusForbidden {
				t.Errorf("%s with %v: %d", path, header, resp.StatusCode)
			}
		}
	}
	if players, err := h.in.Live.Players(t.Context(), gameID, h.now()); err != nil || players > 0 {
		t.Errorf("%d play, %v", players, err)
	}
	if diff := cmp.Diff(before, h.in.Rows()); diff != "" {
		t.Errorf("something was recorded (-before +after):\n%s", diff)
	}
}

func TestWhatIsNoLikeIsRefused(t *testing.T) {
	h := house(t)
	before := h.in.Rows()
	for form, want := range map[string]int{"like=-1": 400, "like=2": 400, "like=": 400, "x=1": 400, "like=1" + strings.Repeat("1", 1<<20): 413} {
		if resp := request(h, "POST", likePath, form); resp.StatusCode != want {
			t.Errorf("%.20s: %d", form, resp.StatusCode)
		}
	}
	if resp := request(h, "POST", "/p/nothing-abc123/like", "like=1"); resp.StatusCode != http.StatusNotFound || len(resp.Cookies()) > 0 {
		t.Errorf("of no project: %d", resp.StatusCode)
	}
	down := house(t)
	down.suspend(gameID)
	if resp := request(down, "POST", likePath, "like=1"); resp.StatusCode != http.StatusUnavailableForLegalReasons {
		t.Errorf("of one that was taken down: %d", resp.StatusCode)
	}
	if diff := cmp.Diff(before, h.in.Rows()); diff != "" {
		t.Errorf("something was recorded (-before +after):\n%s", diff)
	}
}

func TestLikesAndHeartbeatsHaveALimit(t *testing.T) {
	h := house(t)
	one := admission.Rate{Count: 1, Per: 3600e9, Burst: 1}
	h.Admission = admission.New(admission.Config{Likes: one, Heartbeats: one})
	for path, form := range map[string]string{likePath: "like=1", "/p/game-abc123/heartbeat": "{}"} {
		request(h, "POST", path, form)
		if resp := request(h, "POST", path, form); resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") == "" {
			t.Errorf("%s: %d, Retry-After %q", path, resp.StatusCode, resp.Header.Get("Retry-After"))
		}
	}
}
