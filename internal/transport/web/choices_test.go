package web

import (
	"net/http"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

// chosen is the value of the cookie that an answer gives, and "gone" if it takes it away.
func chosen(resp *http.Response, name string) string {
	for _, c := range resp.Cookies() {
		if c.Name == name && c.MaxAge < 0 {
			return "gone"
		} else if c.Name == name {
			return c.Value
		}
	}
	return ""
}

func TestAThemeIsChosenWithoutAScript(t *testing.T) {
	t.Parallel()
	h := house(t)
	for theme, want := range map[string]string{"dark": "dark", "light": "light", "system": "gone", "neon": "", `"><script>`: "", "": ""} {
		resp := request(h, "POST", "/choices", "theme="+theme)
		if got := chosen(resp, themeCookie); got != want || resp.StatusCode != http.StatusSeeOther {
			t.Errorf("for %q it is %d and the cookie %q", theme, resp.StatusCode, got)
		}
	}
	for _, target := range []string{"/", "/p/game-abc123", "/login", "/nothing"} {
		for cookies, want := range map[string]string{
			themeCookie + "=dark": `<html data-theme="dark" lang="en">`, themeCookie + "=light": `<html data-theme="light" lang="en">`,
			"": `<html lang="en">`, themeCookie + "=neon": `<html lang="en">`, themeCookie + "=dark; " + themeCookie + "=light": `<html lang="en">`,
		} {
			resp := request(h, "GET", target, "", "Cookie", cookies)
			if body := text(t, resp); !strings.Contains(body, want) || int64(len(body)) != resp.ContentLength {
				t.Errorf("%s with %q is %.60s, %d bytes of %d", target, cookies, body, len(body), resp.ContentLength)
			}
		}
	}
	if body := text(t, request(h, "GET", "/embed/game-abc123", "", "Cookie", themeCookie+"=dark")); strings.Contains(body, "data-theme") {
		t.Error("a page in another site looks at cookies")
	}
}

func TestALanguageIsChosenWithoutAScript(t *testing.T) {
	t.Parallel()
	h := house(t)
	for lang, want := range map[string]string{"ja": "ja", "zh-Hans": "zh-Hans", "pt-BR": "", "x": "", "": ""} {
		expect.Equal(t, "cookie of "+lang, chosen(request(h, "POST", "/choices", "lang="+lang), langCookie), want)
	}
	in := func(target string, headers ...string) string {
		return request(h, "GET", target, "", append(headers, "Accept-Language", "de")...).Header.Get("Content-Language")
	}
	for _, target := range []string{"/", "/p/game-abc123", "/login", "/nothing"} {
		expect.Equal(t, target, in(target, "Cookie", langCookie+"=fr"), "fr")
		expect.Equal(t, target+" with a word of its own", in(target, "Cookie", langCookie+"=x"), "de")
	}
	expect.Equal(t, "an account that has one", in("/", "Cookie", langCookie+"=es; "+cookieName+"=kim"), "fr")
	asKim(h, "POST", "/choices", "lang=ja")
	expect.Equal(t, "the account has it", in("/", "Cookie", cookieName+"=kim"), "ja")
	expect.Equal(t, "so has the browser", chosen(asKim(h, "POST", "/account/settings/language", "lang=es"), langCookie), "es")
	expect.Equal(t, "until it is the browser's own", chosen(asKim(h, "POST", "/account/settings/language", "lang="), langCookie), "gone")
}

func TestAChoiceLeadsBackToItsPage(t *testing.T) {
	t.Parallel()
	h := house(t)
	site := h.places.Base.String()
	for from, want := range map[string]string{
		"": "/", site: "/", site + "/?sort=played": "/?sort=played", site + "/p/game-abc123": "/p/game-abc123", site + "/account/settings": "/account/settings",
		site + "/account/settings/email": "/", // only a form goes there
		"https://elsewhere.example/p/x":  "/", site + "//elsewhere.example/": "/", site + "/" + strings.Repeat("x", 600): "/", "://": "/",
	} {
		resp := request(h, "POST", "/choices", "theme=dark", "Referer", from)
		expect.Equal(t, "from "+from, resp.Header.Get("Location"), want+"#choices")
	}
}
