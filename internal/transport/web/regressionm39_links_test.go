package web

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// TestRegressionM39AnAddressInADescriptionIsALink: "My other game is at https://..." was text that nobody could follow on a phone.
func TestRegressionM39AnAddressInADescriptionIsALink(t *testing.T) {
	t.Parallel()
	described := func(said string, prepare func(*world)) string {
		w := board(t, chess)
		w.describe(publish.Details{Title: chess.Title, Description: said})
		prepare(w)
		_, body, _ := strings.Cut(text(t, request(w, "GET", "/p/game-abc123", "")), `<p class="description" dir="auto">`)
		body, _, _ = strings.Cut(body, "</p>")
		return body
	}
	const link = `<a href="https://example.com/more?a=1&amp;b=2" target="_blank" rel="ugc nofollow noopener" dir="ltr">example.com/more?a=1&amp;b=2</a>`
	said := "See <b>https://example.com/more?a=1&b=2.\nBye"
	expect.Equal(t, "the description", described(said, func(*world) {}), "See &lt;b&gt;"+link+".\nBye")
	public := func(w *world) { w.limits = admission.New(admission.Config{Public: true}) }
	expect.Equal(t, "of a verified owner where strangers publish", described(said, public), "See &lt;b&gt;"+link+".\nBye")
	stranger := func(w *world) {
		public(w)
		w.in.Exec("UPDATE accounts SET verified = 0")
	}
	expect.Equal(t, "of somebody whose address is not confirmed", described(said, stranger), html.EscapeString(said))
}

// TestRegressionM39ALinkOfADescriptionDoesNotLieAboutItsHost: each address, what its link leads to and what it shows.
func TestRegressionM39ALinkOfADescriptionDoesNotLieAboutItsHost(t *testing.T) {
	t.Parallel()
	anchor := regexp.MustCompile(`<a href="([^"]*)"[^>]*>([^<]*)</a>`)
	for said, want := range map[string]string{
		"https://example.com":                         "https://example.com example.com",
		"HTTPS://Example.COM/A":                       "https://example.com/A example.com/A",
		"(https://example.com/a_(b)).":                "https://example.com/a_(b) example.com/a_(b)",
		"**https://example.com/**":                    "https://example.com/ example.com",
		"見て「https://example.com/日本」。":                 "https://example.com/%E6%97%A5%E6%9C%AC example.com/日本",
		"https://example.com。次":                       "https://example.com example.com",
		"https://münchen.de/":                         "https://xn--mnchen-3ya.de/ xn--mnchen-3ya.de",
		"https://аррӏе.com/":                          "https://xn--80ak6aa92e.com/ xn--80ak6aa92e.com",
		"https://ｇoogle.com":                          "https://google.com google.com",
		"https://example.com:8443/x":                  "https://example.com:8443/x example.com:8443/x",
		"https://evil.example#@good.example":          "https://evil.example#@good.example evil.example#@good.example",
		"https://evil.example/\u202emoc.elgoog":       "https://evil.example/ evil.example",
		"https://example.com/" + longPath:             "https://example.com/" + longPath + " example.com/" + longPath[:30] + "…",
		`https://example.com/"onmouseover="x`:         "https://example.com/ example.com",
		"https://good.example@evil.example/":          "",
		"https://good.example:pass@evil.example/":     "",
		"https://good.example%40evil.example/":        "",
		`https://good.example\@evil.example`:          "https://good.example good.example",
		"http://example.com javascript:alert(1)":      "",
		"ftp://example.com data:text/html,x //a.b":    "",
		"https://localhost/ https://localhost./":      "",
		"https://127.0.0.1/ https://0x7f.1":           "",
		"https://[::1]/ https://2130706433/ https://": "",
		"xhttps://example.com":                        "",
	} {
		written := string(linked(said))
		got := ""
		if found := anchor.FindStringSubmatch(written); found != nil {
			got = html.UnescapeString(found[1]) + " " + html.UnescapeString(found[2])
		}
		expect.Equal(t, fmt.Sprintf("the link of %q", said), got, want)
		if rest := anchor.ReplaceAllString(written, ""); strings.ContainsAny(rest, `<>"`) {
			t.Errorf("beside the link of %q there is %q", said, rest)
		}
	}
	if n := strings.Count(string(linked(strings.Repeat("https://example.com ", 50))), "<a "); n != mostLinks {
		t.Errorf("%d addresses are links", n)
	}
}

var longPath = strings.Repeat("harbor/", 20) + "end"
