package web

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
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
				played(c.at[i]) // the server sends a change once a second
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

var timeInHTML = regexp.MustCompile(`<time [^>]*>([^<]*)</time>`)

// served are the times of a page as the server writes them.
func (g *showroom) served(t *testing.T, l look, lang string) (said []string) {
	t.Helper()
	l = g.open(t, l, lang)
	r := httptest.NewRequest(l.method(), l.path, strings.NewReader(l.form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	g.hall.ServeHTTP(w, r)
	for _, m := range timeInHTML.FindAllStringSubmatch(w.Body.String(), -1) {
		said = append(said, html.UnescapeString(m[1]))
	}
	return said
}

// timesShown reads the times of the page that is open.
const timesShown = `Array.from(document.querySelectorAll('time'), (e) => e.textContent)`

// shown are the times of a page as a browser far in the east shows them, and as its script then writes them where the zone is UTC.
func (g *showroom) shown(t *testing.T, l look, lang string) (local, inUTC []string) {
	t.Helper()
	g.tell(t, "Emulation.setTimezoneOverride", map[string]any{"timezoneId": "Pacific/Kiritimati"})
	g.visit(t, l, lang)
	local = run(t, g.ctx, chromedp.Evaluate[[]string](timesShown))
	g.tell(t, "Emulation.setTimezoneOverride", map[string]any{"timezoneId": "UTC"})
	return local, run(t, g.ctx, chromedp.Evaluate[[]string](`import('/static/js/times.js?again').then(() => `+timesShown+`)`, chromedp.EvalAwaitPromise))
}

// TestRegression42TimesAreThoseOfTheVisitor: the server writes UTC, and says so; a browser writes its own zone, and says which.
func TestRegression42TimesAreThoseOfTheVisitor(t *testing.T) {
	t.Parallel()
	g := openGallery(t)
	g.screen(t, false)
	for i, name := range []string{"project", "verify", "not-me-paused", "sessions", "keys", "own", "versions"} {
		l := lookNamed(t, name)
		for j, lang := range texts.Open().Langs {
			if (i+j)%2 != 0 {
				continue // each page is seen in half of the languages, and each language on half of the pages
			}
			served := g.served(t, l, lang)
			local, inUTC := g.shown(t, l, lang)
			if len(served) == 0 || !slices.Equal(served, inUTC) {
				t.Errorf("%s in %s has %q, and %q in a browser", l.name, lang, served, inUTC)
			}
			for i, said := range local {
				if zone := regexp.MustCompile(`04:05.(GMT|UTC)\+14$`); strings.HasSuffix(served[i], "14:05\u00a0UTC") && !zone.MatchString(said) || said == served[i] {
					t.Errorf("%s in %s has %q for %q", l.name, lang, said, served[i])
				}
			}
		}
	}
}

// TestRegression42TheFirstOfAMonthIsLocal, too: the script knows what the server does.
func TestRegression42TheFirstOfAMonthIsLocal(t *testing.T) {
	t.Parallel()
	g := openGallery(t)
	g.tell(t, "Emulation.setTimezoneOverride", map[string]any{"timezoneId": "Pacific/Kiritimati"})
	for lang, want := range map[string]string{"fr": "1er ", "pt": "1º de ", "de": "1. "} {
		g.visit(t, look{path: "/p/harbor-k3x9p2"}, lang)
		if got := run(t, g.ctx, chromedp.Evaluate[string](`(async () => {
			const element = document.querySelector('time');
			element.dateTime = '2026-04-30T12:00:00Z';
			await import('/static/js/times.js?again');
			return element.textContent;
		})()`, chromedp.EvalAwaitPromise)); !strings.HasPrefix(got, want) {
			t.Errorf("in %s it is %q", lang, got)
		}
	}
}

// TestRegression42NothingMovesWhenTimesBecomeLocal: the page is painted when they are.
func TestRegression42NothingMovesWhenTimesBecomeLocal(t *testing.T) {
	t.Parallel()
	g := openGallery(t)
	g.slow = "/static/js/times.js"
	g.tell(t, "Emulation.setTimezoneOverride", map[string]any{"timezoneId": "Pacific/Kiritimati"})
	g.visit(t, look{path: "/account/sessions", as: "ada"}, "en")
	if early := run(t, g.ctx, chromedp.Evaluate[bool](`new Promise((resolve) => {
		const painted = () => performance.getEntriesByName('first-contentful-paint')[0];
		const look = () => painted() ? resolve(painted().startTime < performance.getEntriesByType('resource').find((e) => e.name.includes('times.js')).responseEnd) : requestAnimationFrame(look);
		look();
	})`, chromedp.EvalAwaitPromise)); early {
		t.Error("it was painted before")
	}
}
