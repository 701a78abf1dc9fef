package web

import (
	"net/http"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/transport/web/brand"
	"sandlot/internal/transport/web/texts"
)

// TestAnInstanceHasItsOperatorsName in every place that names it.
func TestAnInstanceHasItsOperatorsName(t *testing.T) {
	t.Parallel()
	w := house(t)
	accent := must(brand.ParseAccent("#0b6a66"))(t)
	const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><script>alert(1)</script></svg>`
	w.change(func(c *Config) {
		c.Brand = brand.Brand{Name: `Ada & Friends`, Line: "Games of 7b", Accent: accent, Mark: brand.Mark{Bytes: []byte(svg), SVG: true}}
	})
	const name = "Ada &amp; Friends"
	for path, wants := range map[string][]string{
		"/":                        {"<title>" + name + "</title>", "<h1>Games of 7b</h1>", `og:site_name" content="` + name, name + "</a>", "/static/mark.svg?v=", "/static/brand.css?v="},
		"/p/game-abc123":           {"· " + name + "</title>", `og:site_name" content="` + name},
		"/@kim":                    {`og:site_name" content="` + name},
		"/feed.xml":                {name + ": "},
		"/embed/" + "game-abc123":  {name},
		"/static/site.webmanifest": {"Ada \\u0026 Friends", "mark.svg?v="},
		"/static/brand.css":        {"--accent: light-dark(#0b6a66, " + accent.Dark + ")"},
	} {
		resp := request(w, "GET", path, "")
		page := text(t, resp)
		for _, want := range wants {
			if resp.StatusCode != http.StatusOK || !strings.Contains(page, want) {
				t.Errorf("%s is %d and lacks %s", path, resp.StatusCode, want)
			}
		}
		if strings.Contains(page, "Sandlot") {
			t.Errorf("%s names the program", path)
		}
	}
	for _, path := range []string{"/static/mark.svg", "/favicon.ico"} {
		resp := request(w, "GET", path, "")
		policy := resp.Header.Get("Content-Security-Policy")
		if resp.Header.Get("Content-Type") != "image/svg+xml" || text(t, resp) != svg || !strings.Contains(policy, "sandbox") || strings.Contains(policy, "script-src") {
			t.Errorf("%s is %s under %s", path, resp.Header.Get("Content-Type"), policy)
		}
	}
	w.change(func(c *Config) { c.Brand = brand.Brand{} })
	page := text(t, request(w, "GET", "/", ""))
	if !strings.Contains(page, "<title>Sandlot</title>") || strings.Contains(page, "brand.css") || strings.Contains(page, "mark.svg") {
		t.Error("without settings the pages are not the program's own")
	}
}

// TestAnEmptyInstanceShowsItsOperatorTheSteps, and nobody else on a public instance.
func TestAnEmptyInstanceShowsItsOperatorTheSteps(t *testing.T) {
	t.Parallel()
	w := home(t)
	said := func(name string) string { return texts.Voice{Lang: "fr"}.T(name, "flag", "--smtp-url") }
	see := func(cookies ...string) (steps bool, page string) {
		page = text(t, request(w, "GET", "/", "", append(cookies, "Accept-Language", "fr")...))
		offered := request(w, "GET", examplesPath, "", cookies...).StatusCode == http.StatusOK
		if steps = strings.Contains(page, `id="steps"`); steps != offered {
			t.Errorf("steps: %v, examples: %v", steps, offered)
		}
		return steps, page
	}
	as := []string{"Cookie", cookieName + "=kim"} // who speaks French
	check := func(who string, want bool, cookies ...string) {
		t.Helper()
		if got, _ := see(cookies...); got != want {
			t.Errorf("%s: %v", who, got)
		}
	}
	check("a visitor of a local instance", true)
	w.limits = admission.New(admission.Config{Public: true})
	check("a visitor of a public one", false)
	check("an account of a public one", false, as...)
	if resp := request(w, "POST", examplesPath, "form_token=x&email=new@example.com"); resp.StatusCode != http.StatusNotFound {
		t.Errorf("a visitor publishes the examples: %d", resp.StatusCode)
	}
	_, err := w.in.Operate.Grant(t.Context(), sandlot.AsOperator("root"), "@kim", sandlot.OperatorRole, false, "")
	expect.OK(t, err)
	check("an operator", true, as...)
	_, page := see()
	if strings.Contains(page, said("steps.title")) {
		t.Error("a cached page has the steps of an operator")
	}
	w.change(func(c *Config) { c.Ready = Ready{Mail: func() bool { return true }, ContentHost: true} })
	if _, page = see(as...); strings.Count(page, "step-done") != 3 {
		t.Errorf("the steps are %s", page)
	}
	w.change(func(c *Config) { c.Ready = Ready{}; c.Papers = nil })
	if _, page = see(as...); strings.Contains(page, "step-done") || !strings.Contains(page, said("steps.mail-todo")) {
		t.Errorf("the steps are %s", page)
	}
}
