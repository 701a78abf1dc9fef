package web

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/transport/web/paper"
)

// papers are those of an operator who has written one in two languages, one in German alone, and one not at all.
func papers(t *testing.T) paper.Papers {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"about.md":    "# Who we are\n\nA *club* for small games & their creators.\n\n## Where\n\n| Day | Place |\n|---|---|\n| Monday | [the harbor](https://example.com/) |\n",
		"about.de.md": "# Impressum\n\nVerein der kleinen Spiele, Hafen 1.", "privacy.de.html": "<p>Wir <b>speichern</b> wenig.",
	} {
		expect.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return must(paper.Read(dir, Languages()))(t)
}

func TestWhatTheOperatorHasWrittenIsLinkedAtTheFoot(t *testing.T) {
	t.Parallel()
	h := house(t)
	page := func(path, lang string) (int, string) {
		resp := request(h, "GET", path, "", "Accept-Language", lang)
		return resp.StatusCode, text(t, resp)
	}
	for lang, links := range map[string][]string{
		"en": {`<a href="/about">Who we are</a>`, `<a href="/privacy">Privacy</a>`}, "de": {`<a href="/about">Impressum</a>`, `<a href="/privacy">Datenschutz</a>`}, "fr": {`<a href="/about">Who we are</a>`, `<a href="/privacy">Confidentialité</a>`},
	} {
		_, body := page("/login", lang)
		for _, want := range links {
			if !strings.Contains(body, want) {
				t.Errorf("in %s there is no %s", lang, want)
			}
		}
		if strings.Contains(body, `href="/terms"`) {
			t.Error("a page that is not there is linked")
		}
	}
	for _, tc := range []struct {
		path, lang, want string
		status           int
	}{
		{"/about", "en", "<title>Who we are · Sandlot</title>", http.StatusOK},
		{"/about", "fr", "A <em>club</em> for small games &amp; their creators.", http.StatusOK},
		{"/about", "de", `<article class="docs" lang="de">`, http.StatusOK},
		{"/privacy", "en", "<h1>Privacy</h1>\n<article class=\"docs\" lang=\"de\">", http.StatusOK},
		{"/terms", "en", "", http.StatusNotFound},
	} {
		if status, body := page(tc.path, tc.lang); status != tc.status || !strings.Contains(body, tc.want) {
			t.Errorf("%s in %s is %d: %s", tc.path, tc.lang, status, body)
		}
	}
}
