package web

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

const newSecret = "slp_0123456789012345678901234567890123456789"

func TestTheKeysAreListedByTheirEnds(t *testing.T) {
	t.Parallel()
	h := house(t)
	body := text(t, asKim(h, "GET", "/account/keys?project=bare-abc123", ""))
	for _, want := range []string{
		"&lt;b&gt;agent", "slp_…Ab12", "sla_…", "Clé du compte", "jamais utilisée", `name="form_token" value="`, `<a href="/p/game-abc123"><bdi>&lt;script&gt;&#34;pong&#34;</bdi></a>`,
		"<option value=\"game-abc123\">\u2068&lt;script&gt;&#34;pong&#34;\u2069 · game-abc123", `<option value="bare-abc123" selected>bare-abc123`, `name="id" value="3"`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	h.fill(keyPage, "")
	body = text(t, asKim(h, "GET", "/account/keys", ""))
	if more := text(t, asKim(h, "GET", next(t, body), "")); !strings.Contains(more, "Clé du compte") || strings.Contains(body, "Clé du compte") {
		t.Error("the oldest key is not on the second page")
	}
}

// keyPage is how many keys a page has.
const keyPage = 50

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

func TestAKeyThatCannotBeMade(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]string{"<b>": "nombre maximal de clés", strings.Repeat("<b>", 34): "de 1 à 100"} {
		h := house(t)
		if len(name) == len("<b>") {
			for i := range 99 { // beside the one that it came with
				must(h.service.Keyring.MintKey(t.Context(), h.owner("kim"), publish.NewKey{Project: gameID, Name: "x", Form: fmt.Sprint(i)}))(t)
			}
		}
		resp := asKim(h, "POST", "/account/keys", "project=game-abc123&form_token=one&name="+url.QueryEscape(name))
		if body := text(t, resp); resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(body, says) || !strings.Contains(body, `value="&lt;b&gt;`) || !strings.Contains(body, `value="game-abc123" selected`) {
			t.Errorf("%s: %d %s", says, resp.StatusCode, body)
		}
	}
	expect.Equal(t, "for another's project", asKim(house(t), "POST", "/account/keys", "project=another&name=x&form_token=one").StatusCode, http.StatusNotFound)
	expect.Equal(t, "a form of 1 MB", asKim(house(t), "POST", "/account/keys", "name="+strings.Repeat("x", 1<<20)).StatusCode, http.StatusRequestEntityTooLarge)
}

func TestAKeyIsRevoked(t *testing.T) {
	t.Parallel()
	h := house(t)
	for range 2 {
		if resp := asKim(h, "POST", "/account/keys/revoke", "id=3"); resp.StatusCode != http.StatusSeeOther {
			t.Errorf("got %d", resp.StatusCode)
		}
	}
	if list, _, err := h.service.Keyring.Keys(t.Context(), h.owner("kim"), 0); err != nil || slices.ContainsFunc(list, func(k sandlot.Key) bool { return k.ID == 3 }) {
		t.Errorf("left are %v, %v", list, err)
	}
	for _, id := range []string{"9", "x", ""} {
		expect.Equal(t, id, asKim(h, "POST", "/account/keys/revoke", "id="+id).StatusCode, http.StatusNotFound)
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
