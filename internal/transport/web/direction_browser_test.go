package web

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/chromedp/chromedp"
)

// aligned says what of a page's Arabic and Hebrew is out of line. A line begins where the lines of its block do, on the left, whatever it is
// written in. Within a text the sign at its end is on its left, and what comes after the text is on its right.
const aligned = `(() => {
  const said = [];
  const strong = /\p{L}/u, rightward = /[\u0590-\u08ff]/;
  const isRightward = (text) => rightward.test(text.match(strong)?.[0] ?? '');
  const blockOf = (e) => { while (getComputedStyle(e).display.startsWith('inline')) e = e.parentElement; return e; };
  const rects = (node, from, to) => {
    const range = document.createRange();
    range.setStart(node, from);
    range.setEnd(node, to);
    return [...range.getClientRects()].filter((r) => r.width > 0);
  };
  const texts = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT), found = [];
    while (walker.nextNode()) if (walker.currentNode.data.trim() && walker.currentNode.parentElement.checkVisibility()) found.push(walker.currentNode);
    return found;
  };
  const sameLine = (a, b) => Math.abs((a.top + a.bottom - b.top - b.bottom) / 2) < Math.min(a.height, b.height) / 2;
  const all = texts(document.querySelector('main')).filter((n) => !n.parentElement.closest('option, textarea, script, .bar'));
  let looked = 0;
  all.forEach((node, i) => {
    if (!isRightward(node.data)) return;
    looked++;
    const block = blockOf(node.parentElement), style = getComputedStyle(block);
    const left = block.getBoundingClientRect().left + parseFloat(style.borderLeftWidth) + parseFloat(style.paddingLeft);
    const inBlock = style.textAlign === 'center' ? [] : texts(block).flatMap((n) => rects(n, 0, n.data.length));
    for (const line of inBlock) {
      const begins = Math.min(...inBlock.filter((r) => sameLine(r, line)).map((r) => r.left));
      if (Math.abs(begins - left) > 1.5) said.push('a line begins at ' + begins + ', its block at ' + left + ': ' + node.data);
    }
    const text = node.data.trimEnd(), end = text.length;
    if (text.endsWith('!')) {
      const [sign] = rects(node, end - 1, end), [before] = rects(node, end - 2, end - 1);
      if (sameLine(sign, before) && sign.left > before.left) said.push('it ends on its right: ' + node.data);
    }
    const next = all[i + 1];
    if (!next || blockOf(next.parentElement).closest('li, dl, p, h1') !== block.closest('li, dl, p, h1') || isRightward(next.data)) return;
    const [after] = rects(next, 0, next.data.length);
    const mine = rects(node, 0, end).filter((r) => sameLine(r, after));
    if (mine.length && after.left < Math.max(...mine.map((r) => r.right)) - 1.5) said.push('what comes after is not on its right: ' + node.data + next.data);
  });
  for (const field of document.querySelectorAll('input:is([type=text], [type=search], :not([type])), textarea')) {
    if (field.value && isRightward(field.value) !== field.matches(':dir(rtl)')) said.push('a field is written in the wrong direction: ' + field.value);
    looked += isRightward(field.value);
  }
  for (const option of document.querySelectorAll('option')) {
    if (isRightward(option.label) && option.label.includes(' · ') && !/^\u2068.*\u2069 · /.test(option.label)) said.push('what comes after is not on its right: ' + option.label);
  }
  if (!looked) said.push('there is nothing to look at');
  return [...new Set(said)];
})()`

// TestSoakRegression31WhatIsWrittenFromRightToLeftIsInLine measures, on every page that shows what people have written, where Chromium puts it.
func TestSoakRegression31WhatIsWrittenFromRightToLeftIsInLine(t *testing.T) {
	t.Parallel()
	g := openGallery(t)
	const hebrew, arabic = "light-h7d3k9", "sand-c8d4f6"
	for _, l := range []look{
		{name: "home", path: "/"},
		{name: "home-found-none", path: "/?q=" + url.QueryEscape(hebrewWords)},
		{name: "profile", path: "/@noor"},
		{name: "project-arabic", path: "/p/" + arabic},
		{name: "project-hebrew", path: "/p/" + hebrew},
		{name: "embed-arabic", path: "/embed/" + arabic},
		{name: "embed-hebrew", path: "/embed/" + hebrew},
		{name: "report", path: "/report?project=" + hebrew},
		{name: "report-wrong", path: "/report", form: url.Values{"form_token": {"x"}, "project": {hebrew}, "contact": {"none"}, "reason": {"other"}, "details": {hebrewWords}}, status: http.StatusUnprocessableEntity},
		{name: "verify", path: "/verify?token={claim}"},
		{name: "account", path: "/account", as: "ada"},
		{name: "keys", path: "/account/keys", as: "ada"},
		{name: "key", path: "/account/keys", as: "noor", form: url.Values{"form_token": {"new"}, "name": {hebrewWords}, "project": {hebrew}}},
		{name: "keys-many", path: "/account/keys", as: "noor", form: url.Values{"form_token": {"many"}, "name": {hebrewWords}, "project": {arabic}}, status: http.StatusUnprocessableEntity},
		{name: "own", path: "/account/projects/" + hebrew, as: "noor", open: true},
		{name: "versions", path: "/account/projects/" + hebrew + "/versions", as: "noor"},
	} {
		t.Run(l.name, func(t *testing.T) {
			for _, wide := range []bool{true, false} {
				g.screen(t, wide)
				g.visit(t, l, "en")
				for _, found := range run(t, g.ctx, chromedp.Evaluate[[]string](aligned)) {
					t.Errorf("wide %v: %s", wide, found)
				}
				g.shoot(t, fmt.Sprintf("rightward-%s-%v", l.name, map[bool]int{true: 1440, false: 360}[wide]))
			}
		})
	}
}
