package web

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// cramped lists what a finger misses: the controls of a page that answer on less than 44 by 44 pixels around their middle (WCAG 2.5.5). A
// link in a sentence is exempt, as there, and so is a box that is ticked through its label, and what only scripts and the
// keyboard reach. It tries points a stride apart, and where one misses all since the last that hit: what lies across a control and is
// narrower than a stride is narrower than a finger, too.
const cramped = `(() => {
  const least = 44, stride = 7, said = [];
  const inSentence = (e) => {
    if (!e.matches('a') || getComputedStyle(e).display !== 'inline') return false;
    let block = e.parentElement;
    while (getComputedStyle(block).display.startsWith('inline')) block = block.parentElement;
    const rest = block.cloneNode(true);
    for (const control of rest.querySelectorAll('a, button, svg')) control.remove();
    return /[\p{L}\p{N}]/u.test(rest.textContent);
  };
  document.querySelectorAll('details').forEach((d) => { d.open = true; });
  for (const e of document.querySelectorAll('a[href], button, summary, input:not([type=hidden]), select, textarea, label:has([type=checkbox], [type=radio]), [role=tab]')) {
    const menu = e.closest('.file-menu, .share'); // each lies above others
    document.querySelectorAll(':is(.file-menu, .share)[open]').forEach((other) => { other.open = other === menu; });
    if (menu) menu.open = true;
    if (!e.checkVisibility() || e.matches('label [type=checkbox], label [type=radio], [aria-hidden=true]') || inSentence(e)) continue;
    if (e.matches('.skip')) e.focus(); // it shows itself then
    e.scrollIntoView({ block: 'nearest', inline: 'center', behavior: 'instant' }); // rows scroll by themselves
    scrollBy(0, e.getClientRects()[0].top - innerHeight / 2);
    const rect = [...e.getClientRects()].find((r) => r.width > 0 && r.height > 0);
    const at = (x, y) => { const hit = document.elementFromPoint(x, y); return !!hit && (e === hit || e.contains(hit)); };
    const reach = (dx, dy, enough) => { // by strides, and from the last that hit, pixel by pixel
      let n = 0;
      for (const step of [stride, 1]) while (n + step <= enough && at(rect.x + rect.width / 2 + dx * (n + step), rect.y + rect.height / 2 + dy * (n + step))) n += step;
      return n;
    };
    const across = (dx, dy) => { // up to least: the rest has no effect
      const n = reach(dx, dy, least - 1);
      return n + reach(-dx, -dy, least - 1 - n) + 1;
    };
    const width = across(1, 0), height = across(0, 1);
    if (width < least || height < least) said.push(width + ' x ' + height + ': ' + e.outerHTML.slice(0, 160));
    if (e.matches('.skip')) e.blur();
  }
  return said;
})()`

// TestSoakRegression31AFingerHitsEveryControl measures all pages on a phone, in the language whose words are the shortest, and looks at them there
// as TestSoakEveryPageIsFitToBeSeen does on a desk.
func TestSoakRegression31AFingerHitsEveryControl(t *testing.T) {
	t.Parallel()
	g := openGallery(t)
	g.takesAxe(t)
	g.screen(t, false)
	g.tell(t, "Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true})
	for i, l := range looks() {
		t.Run(l.name, func(t *testing.T) {
			g.seen(t, l, "zh-Hans", i, false)
			for _, found := range run(t, g.ctx, chromedp.Evaluate[[]string](cramped)) {
				t.Error(found)
			}
		})
	}
}
