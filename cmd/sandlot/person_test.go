package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// A look is a screen and what its owner prefers.
type look struct {
	name   string
	width  int64
	height int64
	scheme string
	phone  bool
}

func phone(scheme string) look   { return look{"phone-" + scheme, 360, 780, scheme, true} }
func desktop(scheme string) look { return look{"desk-" + scheme, 1440, 900, scheme, false} }

// A person sits at a browser with a profile of their own. They find things by what is written on them, use the mouse and the keyboard, and
// wait until they see what they expect. Whatever the browser's console complains of is kept.
type person struct {
	t    *testing.T
	ctx  context.Context
	site string
	look look
	fox  *fox // the tab, where the browser is Firefox and not Chromium
	keys bool // everything is done by the keyboard

	mu      sync.Mutex
	console []string
}

// newPerson opens a tab with a new profile in the browser. It ends with the test.
func newPerson(t *testing.T, browser context.Context, site string, l look) *person {
	t.Helper()
	ctx, leave := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(leave)
	p := &person{t: t, ctx: ctx, site: site, look: l}
	p.wear(l)
	go func() {
		for m, err := range chromedp.Console(ctx) {
			if err != nil {
				return
			}
			p.hear(m)
		}
	}()
	p.quiet() // the console is heard from here on
	return p
}

// hear keeps what is wrong with a page of the site, and the sign of quiet.
func (p *person) hear(m chromedp.ConsoleMessage) {
	sign := strings.HasPrefix(m.Text, heardSign)
	wrong := m.IsException() || m.Type == chromedp.ConsoleError
	if !sign && (!wrong || m.URL != "" && !strings.HasPrefix(m.URL, p.site)) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.console = append(p.console, m.String()+" "+m.URL)
}

const heardSign = "heard so far "

// quiet fails the test if the console has complained of anything since the last time but for what is expected.
func (p *person) quiet(expected ...string) {
	p.t.Helper()
	for _, line := range p.heard() {
		if len(expected) > 0 && strings.Contains(line, expected[0]) {
			expected = expected[1:]
			continue
		}
		p.t.Errorf("the console says %s", line)
	}
	for _, e := range expected {
		p.t.Errorf("the console does not say %q", e)
	}
}

// heard takes what the console has said until now: up to a sign that is given now, and again where nobody listened yet.
func (p *person) heard() []string {
	p.t.Helper()
	var lines []string
	sign := fmt.Sprint(heardSign, time.Now().UnixNano())
	p.until("the console is heard", func() bool {
		act(p.t, p.ctx, chromedp.Evaluate[chromedp.Void](fmt.Sprintf("console.log(%q)", sign)))
		p.mu.Lock()
		defer p.mu.Unlock()
		for i, line := range p.console {
			if strings.Contains(line, sign) {
				lines = slices.DeleteFunc(p.console[:i], func(line string) bool { return strings.Contains(line, heardSign) })
				p.console = nil
				return true
			}
		}
		return false
	})
	return lines
}

// until waits for a condition.
func (p *person) until(what string, so func() bool) {
	p.t.Helper()
	if testenv.Poll(time.Minute, so) {
		return
	}
	where, text := "", ""
	_ = p.ask(`location.href`, &where)
	_ = p.ask(`document.body.innerText`, &text)
	if p.fox == nil {
		shoot(p.t, p.ctx, "walk-failed-"+p.look.name)
	}
	p.t.Fatalf("it is not so that %s; at %s there is:\n%s\nthe console: %q", what, where, text, p.console)
}

// ask evaluates an expression. It fails while a page is replaced by the next.
func (p *person) ask(expression string, into any) error {
	text, err := p.evaluate(`JSON.stringify(` + expression + `) ?? 'null'`)
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(text), into)
}

func (p *person) evaluate(expression string) (string, error) {
	if p.fox != nil {
		return p.fox.evaluate(expression)
	}
	return chromedp.Run(p.ctx, chromedp.Evaluate[string](expression))
}

// picture is a screenshot.
func (p *person) picture() ([]byte, error) {
	if p.fox != nil {
		return p.fox.picture()
	}
	return chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
}

// awaits waits until an expression is true of a page that has loaded.
func (p *person) awaits(what, expression string) {
	p.t.Helper()
	p.until(what, func() bool {
		var is bool
		return p.ask(`document.readyState === 'complete' && !!(`+expression+`)`, &is) == nil && is
	})
}

// tells sends a command of the browser's protocol.
func (p *person) tells(method string, params map[string]any) {
	p.t.Helper()
	act(p.t, p.ctx, chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error { return tab.Call(ctx, method, params, nil) }))
}

// wear makes the browser's window another.
func (p *person) wear(l look) {
	p.t.Helper()
	var screen []chromedp.EmulateViewportOption
	if l.phone {
		screen = append(screen, chromedp.EmulateMobile, chromedp.EmulateTouch)
	}
	act(p.t, p.ctx, chromedp.EmulateViewport(l.width, l.height, screen...))
	p.tells("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": l.scheme}}})
}

// goes types an address, of the site or a whole one.
func (p *person) goes(address string) {
	p.t.Helper()
	if strings.HasPrefix(address, "/") {
		address = p.site + address
	}
	if p.fox != nil {
		expect.OK(p.t, p.fox.open(address))
		return
	}
	act(p.t, p.ctx, chromedp.Navigate(address))
}

// sees waits until all texts are on the page.
func (p *person) sees(texts ...string) {
	p.t.Helper()
	for _, text := range texts {
		p.awaits("there is "+text, fmt.Sprintf(`document.body.innerText.includes(%q)`, text))
	}
}

// lacks waits until a text is not on the page.
func (p *person) lacks(text string) {
	p.t.Helper()
	p.awaits("there is no "+text, fmt.Sprintf(`!document.body.innerText.includes(%q)`, text))
}

// spots waits until an element has a text.
func (p *person) spots(selector, text string) {
	p.t.Helper()
	p.awaits(selector+" is "+text, fmt.Sprintf(`document.querySelector(%q)?.innerText.trim() === %q`, selector, text))
}

// at waits until the browser is at a path.
func (p *person) at(path string) {
	p.t.Helper()
	p.awaits("this is "+path, fmt.Sprintf(`location.pathname === %q`, path))
}

// bearer finds what bears a name, or begins with it, and can be seen and used. What is in the main part of the page comes first.
const bearer = `((name) => {
  const label = (e) => (e.getAttribute('aria-label') ?? (e.labels?.length ? e.labels[0] : e).innerText).trim();
  const found = [...document.querySelectorAll('main :is(a[href], button, summary, input, select, textarea), a[href], button')]
    .sort((a, b) => !!b.closest('main') - !!a.closest('main'))
    .filter((e) => e.checkVisibility({ visibilityProperty: true }) && !e.closest('[inert]') && !e.disabled);
  return found.find((e) => label(e) === name) ?? found.find((e) => label(e).startsWith(name));
})`

// place finds where to press it: where it lies beneath nothing.
const place = `((name) => {
  const e = ` + bearer + `(name);
  if (!e || document.readyState !== 'complete') return null;
  e.scrollIntoView({ block: 'center', behavior: 'instant' });
  const { x, y, width, height } = e.getClientRects()[0];
  const at = [x + width / 2, y + height / 2];
  return e.contains(document.elementFromPoint(...at)) ? at : null;
})`

// presses clicks on what bears a name.
func (p *person) presses(name string) {
	p.t.Helper()
	if p.keys {
		p.reaches(name)
		p.strikes("Enter")
		return
	}
	var at []float64
	p.until("one can press "+name, func() bool {
		return p.ask(fmt.Sprintf(`%s(%q)`, place, name), &at) == nil && len(at) == 2
	})
	p.clicks(at[0], at[1])
}

func (p *person) clicks(x, y float64) {
	p.t.Helper()
	if p.fox != nil {
		expect.OK(p.t, p.fox.click(x, y))
		return
	}
	act(p.t, p.ctx, chromedp.MouseClickXY(x, y))
}

// strikes strikes one key: Tab, Enter, Space or ArrowDown.
func (p *person) strikes(key string) {
	p.t.Helper()
	if p.fox != nil {
		expect.OK(p.t, p.fox.strike(map[string]string{"Tab": "\uE004", "Enter": "\uE007", "Space": " ", "ArrowDown": "\uE015"}[key]))
		return
	}
	act(p.t, p.ctx, chromedp.KeyEvent(map[string]string{"Tab": kb.Tab, "Enter": kb.Enter, "Space": " ", "ArrowDown": kb.ArrowDown}[key]))
}

// rings reports whether the page shows the focus on an element, on its label, or on the button of a field of files.
const rings = `((e) => {
  const ringed = (e, part) => { const s = getComputedStyle(e, part); return s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2; };
  const face = e.type === 'file' && e.closest('label')?.querySelector('.new-face');
  return face ? ringed(face) : ringed(e) || ringed(e, '::after');
})`

// reaches goes from one control to the next by Tab until the one of that name has the focus, and one sees that.
func (p *person) reaches(name string) {
	p.t.Helper()
	p.until("there is "+name, func() bool {
		var at []float64
		return p.ask(fmt.Sprintf(`%s(%q)`, place, name), &at) == nil && len(at) == 2
	})
	p.tabs(name, fmt.Sprintf(`document.activeElement === %s(%q)`, bearer, name))
}

// tabs goes from one control to the next by Tab to the first of which a condition is true. No page of a walk has as many as it tries.
func (p *person) tabs(to, condition string) {
	p.t.Helper()
	for range 120 {
		var there, seen bool
		if expect.OK(p.t, p.ask(condition, &there)); there {
			if expect.OK(p.t, p.ask(rings+`(document.activeElement)`, &seen)); !seen {
				p.t.Errorf("one does not see that the focus is on %s", to)
			}
			return
		}
		p.strikes("Tab")
	}
	p.until("one reaches "+to+" by Tab", func() bool { return false })
}

// types writes into the field of that label, in place of what is there.
func (p *person) types(label, text string) {
	p.t.Helper()
	p.enters(label)
	act(p.t, p.ctx, chromedp.Evaluate[chromedp.Void](`document.activeElement.select()`))
	p.tells("Input.insertText", map[string]any{"text": text})
}

// enters puts the focus into the field of that label.
func (p *person) enters(label string) {
	p.t.Helper()
	if p.keys {
		p.reaches(label)
	} else {
		p.presses(label)
	}
	p.awaits(label+" has the focus", `document.activeElement.matches('input, textarea')`)
}
