package web

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// faint lists the elements that cannot be seen, or look alike, in the colours that the system forces.
const faint = `(() => {
  const said = [];
  const luminance = (colour) => {
    const [r, g, b] = colour.match(/[\d.]+/g).map((v) => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const contrast = (a, b) => { const [x, y] = [luminance(a), luminance(b)].sort(); return (y + .05) / (x + .05); };
  const paper = getComputedStyle(document.documentElement).backgroundColor;
  const seen = (what, colour) => { if (colour === 'rgba(0, 0, 0, 0)' || contrast(colour, paper) < 3) said.push(what + ' is ' + colour + ' on ' + paper); };
  const unseen = (what, colour) => { if (colour !== 'rgba(0, 0, 0, 0)' && contrast(colour, paper) > 1.2) said.push(what + ' is ' + colour + ' on ' + paper); };
  const each = (selector, look) => document.querySelectorAll(selector).forEach((e) => { if (e.checkVisibility()) look(e, getComputedStyle(e)); });
  each('.tabs a', (e, s) => (e.matches('[aria-current]') ? seen : unseen)('the line below ' + e.innerText, s.borderBottomWidth === '0px' ? 'rgba(0, 0, 0, 0)' : s.borderBottomColor));
  each('.row-title a', (e, s) => unseen('the room above ' + e.innerText, s.borderTopWidth === '0px' ? 'rgba(0, 0, 0, 0)' : s.borderTopColor));
  each('.live, dd[data-live]', (e) => seen('the dot of who plays', getComputedStyle(e, '::before').backgroundColor));
  each('.spark path', (e, s) => seen('the plays by day', s.fill));
  each('button:not(.plain), a.second, a.start, input, textarea, select, .own-upload, .apart, .caption', (e, s) => {
    if (s.borderTopWidth === '0px' && s.borderRightWidth === '0px' && !e.matches('[type=file], [type=checkbox], [type=radio]')) said.push('no border: ' + e.outerHTML.slice(0, 80));
    else if (!e.matches('[type=file], [type=checkbox], [type=radio]')) seen('the border of ' + e.outerHTML.slice(0, 80), s.borderTopColor);
  });
  each('svg path[fill=currentColor]:not(symbol *), svg path[stroke=currentColor]:not(symbol *), svg.icon', (e, s) => {
    const ground = getComputedStyle(e.closest('button, a, summary, dl')).backgroundColor, mark = e.matches('.icon') ? s.color : s.stroke === 'none' ? s.fill : s.stroke;
    if (contrast(mark, ground === 'rgba(0, 0, 0, 0)' ? paper : ground) < 3) said.push('an icon is ' + mark + ' on ' + ground);
  });
  each('.board select', (e, s) => { if (s.appearance === 'none') said.push('no arrow: ' + e.outerHTML.slice(0, 80)); });
  each('.tile', (e, s) => { if (!s.backgroundImage.includes('gradient') || s.color !== 'rgb(255, 255, 255)') said.push('a tile is ' + s.color + ' on ' + s.backgroundImage); });
  for (const e of document.querySelectorAll('a[href], button, summary, input, select, textarea')) {
    if (!e.checkVisibility() || e.type === 'hidden') continue;
    e.focus({ focusVisible: true });
    if (document.activeElement !== e) continue;
    const s = getComputedStyle(e, e.matches('.card-title a') ? '::after' : undefined);
    if (s.outlineStyle === 'none' || parseFloat(s.outlineWidth) < 2) said.push('no ring: ' + e.outerHTML.slice(0, 80));
    else seen('the ring of ' + e.outerHTML.slice(0, 80), s.outlineColor);
  }
  document.activeElement.blur();
  const like = document.querySelector('.like button');
  if (like) {
    const pressed = like.getAttribute('aria-pressed');
    like.setAttribute('aria-pressed', 'false');
    const before = getComputedStyle(like).backgroundColor;
    like.setAttribute('aria-pressed', 'true');
    if (contrast(before, getComputedStyle(like).backgroundColor) < 1.5) said.push('one cannot see that one likes it');
    like.setAttribute('aria-pressed', pressed);
  }
  const box = document.querySelector('.own-upload');
  if (box) {
    const of = () => { const s = getComputedStyle(box); return s.borderTopColor + s.borderTopWidth; };
    const before = of();
    box.classList.add('wanted');
    if (of() === before) said.push('one cannot see that the box waits for a file');
    box.classList.remove('wanted');
  }
  return [...new Set(said)];
})()`

// TestSoakRegression31ForcedColoursHideNothing looks at pages that have each kind of control, in a light and in a dark theme of the system.
func TestSoakRegression31ForcedColoursHideNothing(t *testing.T) {
	t.Parallel()
	g := openGallery(t)
	g.tell(t, "Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true})
	for _, l := range looks() {
		switch l.name {
		case "home", "home-found", "project", "project-open", "embed", "report-wrong", "login-wrong", "account", "keys", "own", "own-open", "settings", "settings-handle-wrong", "versions":
		default:
			continue
		}
		t.Run(l.name, func(t *testing.T) {
			for _, wide := range []bool{true, false} {
				g.screen(t, wide)
				g.visit(t, l, "en")
				for _, scheme := range []string{"light", "dark"} {
					g.tell(t, "Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "forced-colors", "value": "active"}, {"name": "prefers-color-scheme", "value": scheme}}})
					for _, found := range run(t, g.ctx, chromedp.Evaluate[[]string](faint)) {
						t.Errorf("%s, wide %v: %s", scheme, wide, found)
					}
					g.shoot(t, "forced-"+l.name+"-"+scheme+map[bool]string{true: "-1440", false: "-360"}[wide])
				}
			}
		})
	}
}
