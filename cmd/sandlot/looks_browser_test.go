package main

import (
	"bytes"
	"fmt"
	"image/png"

	"sandlot/internal/testkit/expect"
)

// arabic is a title as people write it who write from right to left.
const arabic = "قلعة من رمال على الشاطئ!"

// gameOf is a game that fills its window with green once it has read its storage.
func gameOf(title string) string {
	return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>` + title + `</title><style>body { margin: 0 } canvas { display: block; width: 100vw; height: 100vh }</style><canvas></canvas><script>
const best = localStorage.getItem('best'), paint = document.querySelector('canvas').getContext('2d');
paint.fillStyle = '#00ff00';
paint.fillRect(0, 0, 999, 999);
</script>`
}

// draws waits until one sees the game in the middle of an element.
func (p *person) draws(selector string) {
	p.t.Helper()
	p.until("the game is seen in "+selector, func() bool { return p.green(selector) })
}

// green reports whether the middle of an element has the colour that the game paints.
func (p *person) green(selector string) bool {
	p.t.Helper()
	var at []int
	if p.ask(fmt.Sprintf(`(({ x, y, width, height }) => [x + width / 2, y + height / 2].map((v) => Math.round(v * devicePixelRatio)))(document.querySelector(%q).getBoundingClientRect())`, selector), &at) != nil || len(at) != 2 {
		return false
	}
	shot, err := p.picture()
	if err != nil {
		return false
	}
	picture, err := png.Decode(bytes.NewReader(shot))
	expect.OK(p.t, err)
	r, g, b, _ := picture.At(at[0], at[1]).RGBA()
	return r>>8 < 60 && g>>8 > 200 && b>>8 < 60
}

// unfit says what is wrong with a page: it is wider than the screen, a text is cut at its edge, a control has no name, its ring does not show,
// or its state has no name.
const unfit = `(() => {
  const said = [], root = document.documentElement;
  if (Math.max(root.scrollWidth, innerWidth) > root.clientWidth) said.push('it is wider than the screen');
  const shortened = (e) => e && (getComputedStyle(e).textOverflow === 'ellipsis' || shortened(e.parentElement)); // on purpose
  const reached = (e) => e && (/auto|scroll/.test(getComputedStyle(e).overflowX) || reached(e.parentElement)); // by scrolling sideways
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange();
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !e.checkVisibility({ visibilityProperty: true }) || e.closest('.skip, textarea, option, script, style, template') || shortened(e) || reached(e)) continue;
    range.selectNodeContents(walker.currentNode);
    for (const r of range.getClientRects()) {
      if (r.width > 2 && (r.left < -1 || r.right > innerWidth + 1)) said.push('it is cut: ' + walker.currentNode.data.trim());
    }
  }
  for (const e of document.querySelectorAll('a[href], button, summary, input, select, textarea')) {
    if (!e.checkVisibility({ visibilityProperty: true }) || e.type === 'hidden' || e.disabled || e.closest('[inert]')) continue;
    const name = e.getAttribute('aria-label') || (e.labels?.length ? e.labels[0] : e).innerText || e.querySelector('img')?.alt;
    if (!name?.trim()) said.push('it has no name: ' + e.outerHTML.slice(0, 120));
    e.focus({ focusVisible: true });
    const s = getComputedStyle(e, e.matches('.card-title a') ? '::after' : undefined);
    if (document.activeElement !== e || s.outlineStyle === 'none' || parseFloat(s.outlineWidth) < 2) said.push('one does not see the focus on ' + e.outerHTML.slice(0, 120));
  }
  document.activeElement.blur();
  const nav = document.querySelector('nav.account');
  if (nav && nav.querySelectorAll('[aria-current]').length !== 1) said.push('no tab is the current one');
  const like = document.querySelector('.like button');
  if (like && !/^(true|false)$/.test(like.getAttribute('aria-pressed'))) said.push('one is not told whether one likes it');
  return [...new Set(said)];
})()`

// suits asks what is wrong with a page as it is.
func (p *person) suits(name string) {
	p.t.Helper()
	p.awaits("the page is there", "true")
	shoot(p.t, p.ctx, "walk-"+name+"-"+p.look.name)
	var said []string
	expect.OK(p.t, p.ask(unfit, &said))
	for _, what := range said {
		p.t.Errorf("%s on %s: %s", name, p.look.name, what)
	}
}

// leadsOut goes to a game whose storage the browser keeps from the frame: the page leads to where it runs.
func (p *person) leadsOut(page, address string) {
	p.t.Helper()
	p.wear(p.look)
	p.tells("Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true})
	p.goes(page)
	p.sees(arabic)
	p.awaits("one cannot play a blank frame, and is told", `document.querySelector('.apart').checkVisibility() && !document.querySelector('button.start').checkVisibility() && !document.querySelector('.stage iframe')`)
	p.suits("blocked")
	var to string
	if err := p.ask(`document.querySelector('.apart a').href`, &to); err != nil || to != address {
		p.t.Errorf("the page leads to %q (%v)", to, err)
	}
	p.goes(to)
	p.draws("canvas")
}
