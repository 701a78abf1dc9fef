package web

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// torn lists words that go on in another line although they fit into one. What a browser hyphenates is none.
const torn = `(() => {
  const said = [], range = document.createRange();
  const plain = Object.assign(document.createElement('style'), { textContent: '* { hyphens: manual !important }' });
  document.head.append(plain);
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walk.nextNode());) {
    const box = node.parentElement;
    if (!/\p{L}/u.test(node.data) || !box.checkVisibility() || box.closest('pre, code, textarea, :lang(ja), :lang(zh)')) continue;
    let block = box;
    while (getComputedStyle(block).display === 'inline') block = block.parentElement;
    const style = getComputedStyle(block.parentElement), narrowed = getComputedStyle(block).maxWidth !== 'none';
    const line = narrowed ? block.clientWidth : Math.max(block.clientWidth, block.parentElement.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight));
    const width = (from, to) => {
      range.setStart(node, from);
      range.setEnd(node, to);
      return [...range.getClientRects()].reduce((sum, r) => sum + r.width, 0);
    };
    for (const word of node.data.matchAll(/[\p{L}\p{M}\p{N}]{2,}/gu)) {
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const rects = [...range.getClientRects()].filter((r) => r.width > 0), end = word.index + word[0].length;
      if (rects.length < 2 || Math.abs(rects[0].top - rects.at(-1).top) < rects[0].height / 2) continue;
      const token = [node.data.slice(0, word.index).search(/\S*$/), end + node.data.slice(end).search(/\s|$/)]; // an address may break anywhere if it must
      if (width(...token) <= line) said.push('the word ' + word[0] + ' is torn: ' + block.outerHTML.slice(0, 160));
    }
  }
  plain.remove();
  return said;
})()`

// bare reports a quarter of the screen without content above the poster of a project.
const bare = `(() => {
  const stage = document.querySelector('.stage'), poster = stage?.querySelector('.poster');
  if (!poster) return [];
  const over = [...stage.querySelectorAll('.bar')].reduce((bottom, bar) => Math.max(bottom, bar.checkVisibility() ? bar.firstElementChild.getBoundingClientRect().bottom : 0), stage.getBoundingClientRect().top);
  const gap = (poster.querySelector(':scope > .apart:not([hidden])') ?? poster).getBoundingClientRect().top - over;
  return gap > innerHeight / 4 && poster.getBoundingClientRect().top - over > 32 ? ['there are ' + Math.round(gap) + ' pixels of nothing above the poster'] : [];
})()`

// small lists controls around whose middle a circle of 24 pixels has another control in it (WCAG 2.5.8). A link in a sentence is exempt.
const small = `(() => {
  const said = [], controls = 'a[href], button, summary, input:not([type=hidden]), select, textarea, label, [role=tab]';
  for (const e of document.querySelectorAll(controls)) {
    if (!e.checkVisibility() || e.matches('label, label *, [aria-hidden=true], .skip') || e.matches('a') && getComputedStyle(e).display === 'inline' && e.parentElement.textContent.trim() !== e.textContent.trim()) continue;
    e.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    const r = [...e.getClientRects()].find((r) => r.width > 0 && r.height > 0);
    if (!r || r.width >= 24 && r.height >= 24) continue;
    for (const [dx, dy] of [[11, 0], [-11, 0], [0, 11], [0, -11], [8, 8], [-8, 8], [8, -8], [-8, -8]]) {
      const other = document.elementFromPoint(r.x + r.width / 2 + dx, r.y + r.height / 2 + dy)?.closest(controls);
      if (!other || other === e || other.contains(e) || e.contains(other)) continue;
      said.push(Math.round(r.width) + ' x ' + Math.round(r.height) + ', and another beside it: ' + e.outerHTML.slice(0, 160));
      break;
    }
  }
  return said;
})()`

// measure looks at a page as it is now.
func (g *showroom) measure(t *testing.T, as string, checks ...string) {
	t.Helper()
	for _, check := range checks {
		for _, found := range run(t, g.ctx, chromedp.Evaluate[[]string](check)) {
			t.Errorf("%s: %s", as, found)
		}
	}
}

// TestRegressionM37WordsStayWholeAndTargetsLarge: the pill after a game broke inside its words, there was nothing above the poster where
// storage is blocked, and links to creators were 19 pixels high. TestSoakEveryPageIsFitToBeSeen measures all pages.
func TestRegressionM37WordsStayWholeAndTargetsLarge(t *testing.T) {
	t.Parallel()
	g := openGallery(t)
	for _, width := range []int64{1440, 390, 320} {
		run(t, g.ctx, chromedp.EmulateViewport(width, 844))
		for _, name := range []string{"project", "home", "settings", "account-claimed"} {
			g.visit(t, lookNamed(t, name), "de")
			as := name + " at " + fmt.Sprint(width)
			g.measure(t, as, torn, small)
			g.shoot(t, as)
			if name != "project" {
				continue
			}
			run(t, g.ctx, chromedp.Evaluate[chromedp.Void](`document.querySelector('.onward').hidden = false`))
			g.measure(t, as+", after a game", torn)
			g.shoot(t, "onward-"+fmt.Sprint(width))
			run(t, g.ctx, chromedp.Evaluate[chromedp.Void](`document.querySelector('.onward').hidden = true; document.querySelectorAll('.poster > .start').forEach((e) => { e.hidden = true }); document.querySelector('.apart').hidden = false`))
			g.measure(t, as+", without storage", torn, bare)
			g.shoot(t, "apart-"+fmt.Sprint(width))
		}
	}
}
