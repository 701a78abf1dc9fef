package web

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
	"sandlot/internal/transport/web/texts"
)

// TestRegression42LabelsFollowTheirNumbers: the page said "1 plays" after the number had changed.
func TestRegression42LabelsFollowTheirNumbers(t *testing.T) {
	t.Parallel()
	ctx, g := testenv.Engine(t), newPlayground(t)
	plays := int64(1234)
	played := func(n int64) {
		g.count(gameID, n-plays, 0, 0)
		plays = n
	}
	run(t, ctx, chromedp.Navigate("about:blank"))
	kept := map[string]any{"source": `const Stream = window.EventSource; window.EventSource = class extends Stream { constructor(url) { super(url); window.stream = this; } }`}
	run(t, ctx, chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		return tab.Call(ctx, "Page.addScriptToEvaluateOnNewDocument", kept, nil)
	}))
	for _, c := range []struct {
		lang string
		at   []int64
		want []string
	}{
		{"en", []int64{1, 2, 1}, []string{"1 play", "2 plays", "1 play"}},
		{"fr", []int64{2, 0, 1_000_000, 1_000_001}, []string{"2 parties", "0 partie", "1\u202f000\u202f000 de parties", "1\u202f000\u202f001 parties"}},
	} {
		run(t, ctx, chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
			return tab.Call(ctx, "Network.setExtraHTTPHeaders", map[string]any{"headers": map[string]string{"Accept-Language": c.lang}}, nil)
		}))
		played(c.at[0])
		run(t, ctx, chromedp.Navigate("http://localhost:"+g.port+"/p/game-abc123"))
		for i, want := range c.want {
			if i < 2 {
				played(c.at[i]) // the server tells of a change once a second
			} else {
				run(t, ctx, chromedp.Evaluate[bool](fmt.Sprintf(`stream.onmessage({ data: '{"player_count":0,"plays":%d,"likes":0}' }), true`, c.at[i])))
			}
			await(t, ctx, fmt.Sprintf(`((dd) => dd.textContent + ' ' + dd.closest('div').querySelector('dt').textContent)(document.querySelector('[data-plays]')) === %q`, want))
		}
	}
}

// TestRegression42UploadsAreRefusedInTheVisitorsLanguage: beside it stood what the API says, in English.
func TestRegression42UploadsAreRefusedInTheVisitorsLanguage(t *testing.T) {
	t.Parallel()
	b, h := texts.Open(), house(t)
	for code, name := range map[sandlot.Code]string{
		sandlot.CodeInvalidFilename: "own.bad-name", sandlot.CodeFilenameConflict: "own.conflict", sandlot.CodeFileNotFound: "own.no-file", sandlot.CodeQuotaExceeded: "own.quota",
		sandlot.CodeKeyInContent: "own.key-inside", sandlot.CodeInvalidField: "own.empty-primary", sandlot.CodeDoubleEncoded: "own.encoded", sandlot.CodeContentTooLarge: "own.file-large",
	} {
		for _, lang := range b.Langs {
			h.fail("Rearrange", publish.FileError{Name: "lib/<b>.js", Err: sandlot.Refuse(code, "In English.")})
			expect.OK(t, h.account.SetLang(t.Context(), h.owner("kim"), lang))
			resp := asKim(h, "POST", ownAt+"/primary", "form_token=o&file=%3Cb%3E.js")
			body := text(t, resp)
			if resp.StatusCode != http.StatusUnprocessableEntity || strings.Contains(body, "In English.") || !strings.Contains(html.UnescapeString(body), (texts.Voice{Lang: lang}).T(name)) || !strings.Contains(body, "<bdi>lib/&lt;b&gt;.js</bdi>") {
				t.Errorf("%s in %s: %d %s", code, lang, resp.StatusCode, body)
			}
		}
	}
}
