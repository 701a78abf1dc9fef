package web

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// untidy says what is wrong with the tabs of the account: they stand in one line, which scrolls where the words are long, the tab of this page
// is wholly in view, and who comes to one by the keyboard sees where they are.
const untidy = `(() => {
  const nav = document.querySelector('nav.account'), tabs = [...nav.children], said = [];
  const view = nav.getBoundingClientRect(), root = document.documentElement;
  if (new Set(tabs.map((a) => a.offsetTop)).size > 1) said.push('they take several lines');
  if (tabs.some((a) => a.scrollWidth > a.clientWidth || a.getClientRects().length > 1)) said.push('a word is cut');
  if (root.scrollWidth > root.clientWidth) said.push('the page is wider than the screen');
  if (nav.scrollHeight > nav.clientHeight) said.push('they scroll up and down');
  const hidden = (a) => { const r = a.getBoundingClientRect(); return Math.max(view.left - r.left, r.right - view.right, 0); };
  const [current] = nav.querySelectorAll('[aria-current]');
  if (hidden(current) > 1) said.push('one does not see that this is ' + current.innerText);
  for (const a of tabs) {
    a.focus({ focusVisible: true });
    const reach = parseFloat(getComputedStyle(a).outlineOffset) + parseFloat(getComputedStyle(a).outlineWidth);
    if (hidden(a) >= a.offsetWidth) said.push('the keyboard does not bring ' + a.innerText + ' into view');
    if (getComputedStyle(nav).overflowX !== 'visible' && reach > 0) said.push('the ring is cut');
  }
  return [...new Set(said)];
})()`

// TestTheTabsOfTheAccountStandInOneLine measures them in the languages whose words are the longest, on a phone and on the smallest.
func TestTheTabsOfTheAccountStandInOneLine(t *testing.T) {
	t.Parallel()
	g := openGallery(t)
	g.tell(t, "Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true})
	for _, width := range []int64{360, 320} {
		run(t, g.ctx, chromedp.EmulateViewport(width, 740, chromedp.EmulateMobile))
		for _, lang := range []string{"de", "pt"} {
			for _, path := range []string{"/account", "/account/sessions"} {
				g.visit(t, look{path: path, as: "ada", before: (*world).unconfirmed}, lang)
				g.shoot(t, fmt.Sprintf("tabs-%s-%d-%d", lang, width, len(path)))
				for _, found := range run(t, g.ctx, chromedp.Evaluate[[]string](untidy)) {
					t.Errorf("%s in %s, %d wide: %s", path, lang, width, found)
				}
			}
		}
	}
}
