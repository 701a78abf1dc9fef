package web

import (
	"html"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"sandlot/internal/transport/web/texts"
)

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
