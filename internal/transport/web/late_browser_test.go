package web

import (
	"encoding/json"
	"testing"

	"github.com/chromedp/chromedp"
)

// watchMoves notes the elements that move after they were painted, unless the person has just done something: the layout shifts of
// https://wicg.github.io/layout-instability. Less than 0.005, a twentieth of what Lighthouse calls good, is what letters move by that take the
// place of the system's: how much that is depends on what fonts a machine has.
const watchMoves = `window.moves = [];
new PerformanceObserver((list) => {
  for (const e of list.getEntries()) {
    if (e.hadRecentInput || e.value < 0.005) continue;
    const of = (s) => (s.node?.outerHTML ?? s.node?.textContent ?? 'nothing').slice(0, 120) + ' from ' + [s.previousRect, s.currentRect].map((r) => [r.x, r.y, r.width, r.height].map(Math.round)).join(' to ');
    moves.push(e.value.toFixed(5) + ': ' + e.sources.map(of).join('; '));
  }
}).observe({ type: 'layout-shift', buffered: true });`

// settled resolves when everything that a page loads is there, what its scripts ask for included, and has been painted.
const settled = `(async () => {
  await document.fonts.ready;
  while (document.querySelector('[aria-hidden=true] > .card')) await new Promise((go) => setTimeout(go, 20));
  for (let i = 0; i < 3; i++) await new Promise((go) => requestAnimationFrame(go));
  return moves;
})()`

// TestSoakNothingMovesOnAPageOnceItIsSeen opens pages whose styles are there and whose scripts, pictures and letters come late. The browser has
// liked and played before.
func TestSoakNothingMovesOnAPageOnceItIsSeen(t *testing.T) {
	t.Parallel()
	g := openGallery(t)
	g.tell(t, "Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": watchMoves})
	g.late = true
	for _, name := range []string{
		"home", "home-found", "profile", "project", "project-long", "project-own", "mine", "embed", "new", "new-known", "new-done", "docs", "login", "account", "settings",
		"keys", "own", "versions", "statistics", "missing",
	} {
		l := lookNamed(t, name)
		t.Run(name, func(t *testing.T) {
			for _, wide := range []bool{true, false} {
				g.screen(t, wide)
				g.remembers(t, harbor, "long-q7w2e5", "sand-c8d4f6")
				g.visit(t, l, "en")
				for _, moved := range run(t, g.ctx, chromedp.Evaluate[[]string](settled, chromedp.EvalAwaitPromise)) {
					t.Errorf("wide %v: %s", wide, moved)
				}
			}
		})
	}
}

// remembers has the browser know projects that it liked and played, in a page that it leaves.
func (g *showroom) remembers(t *testing.T, ids ...any) {
	t.Helper()
	kept, err := json.Marshal(map[string]any{"liked": ids, "played": ids})
	if err != nil {
		t.Fatal(err)
	}
	value, err := json.Marshal(string(kept))
	if err != nil {
		t.Fatal(err)
	}
	run(t, g.ctx, chromedp.Navigate(g.site+"/about"))
	run(t, g.ctx, chromedp.Evaluate[chromedp.Void](`localStorage.setItem('kept', `+string(value)+`)`))
}

// motions are the parts of a page that move, or would.
const motions = `[...document.querySelectorAll('*')].flatMap((e) => [undefined, '::before', '::after'].filter((part) => {
  const { animationName, transitionDuration, scrollBehavior } = getComputedStyle(e, part);
  return animationName !== 'none' || scrollBehavior !== 'auto' || transitionDuration.split(',').some((time) => parseFloat(time) > 0);
}).map((part) => e.outerHTML.slice(0, 80) + (part ?? ''))).concat(document.getAnimations().map((a) => a.constructor.name))`

// TestNothingMovesForWhoAsksForLessMotion, on pages that move for others.
func TestNothingMovesForWhoAsksForLessMotion(t *testing.T) {
	t.Parallel()
	g := openGallery(t)
	g.screen(t, true)
	for _, name := range []string{"home", "project", "account-deleted", "missing"} {
		t.Run(name, func(t *testing.T) {
			moving := map[string][]string{}
			for _, wish := range []string{"no-preference", "reduce"} {
				g.tell(t, "Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-reduced-motion", "value": wish}}})
				g.visit(t, lookNamed(t, name), "en")
				moving[wish] = run(t, g.ctx, chromedp.Evaluate[[]string](motions))
			}
			if len(moving["no-preference"]) == 0 {
				t.Error("nothing moves for anybody: this test sees nothing")
			}
			for _, each := range moving["reduce"] {
				t.Error(each)
			}
		})
	}
}
