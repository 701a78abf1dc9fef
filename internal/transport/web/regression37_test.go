package web

import (
	"html"
	"net/http"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/transport/web/texts"
)

func TestRegression37ThePageTellsThatAFormWasUsed(t *testing.T) {
	t.Parallel()
	for path, form := range map[string]string{"/move": "file=a&to=b&form_token=o", "/primary": "file=a&form_token=o", "/restore": "n=2&form_token=o"} {
		h := house(t)
		h.put(gameID, 3, "a", "a")
		asKim(h, "POST", ownAt+path, form)
		h.put(gameID, 5, "c", "c")
		resp := asKim(h, "POST", ownAt+path, form)
		body := text(t, resp)
		if resp.StatusCode != http.StatusConflict || !strings.Contains(html.UnescapeString(body), (texts.Voice{Lang: "fr"}).T("own.form-used", "version", 5)) || strings.Contains(body, `name="form_token" value="o"`) {
			t.Errorf("%s: %d", path, resp.StatusCode)
		}
	}
	t.Run("in every language", func(t *testing.T) {
		b := texts.Open()
		seen := map[string]bool{}
		for _, lang := range b.Langs {
			said := texts.Voice{Lang: lang}.T("own.form-used", "version", 41)
			if !strings.Contains(said, "41") || seen[said] {
				t.Errorf("%s: %q", lang, said)
			}
			seen[said] = true
		}
		expect.Equal(t, "languages", len(seen), 7)
	})
}
