package oauth

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// lend puts the cookies of a person into a browser with scripts.
func (p *person) lend(t *testing.T, browser context.Context) {
	t.Helper()
	for name, value := range p.cookies {
		expect.OK(t, chromedp.Do(browser, chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
			return tab.Call(ctx, "Network.setCookie", map[string]any{
				"name": name, "value": value, "url": p.s.base + "/", "path": "/", "secure": true, "httpOnly": true, "sameSite": "Lax",
			}, nil)
		})))
	}
}

// A reader sits at a browser with scripts, and finds controls by their labels.
type reader struct {
	t   *testing.T
	tab context.Context
}

// goes types an address.
func (r reader) goes(address string) {
	r.t.Helper()
	expect.OK(r.t, chromedp.Do(r.tab, chromedp.Navigate(address)))
}

// awaits waits until an expression is true of the page.
func (r reader) awaits(what, expression string) {
	r.t.Helper()
	if !testenv.Poll(limit, func() bool {
		is, err := chromedp.Run(r.tab, chromedp.Evaluate[bool](`document.readyState === 'complete' && !!(`+expression+`)`))
		return err == nil && is
	}) {
		at, _ := chromedp.Run(r.tab, chromedp.Evaluate[string](`location.href + '\n' + document.body.innerText`))
		r.t.Fatalf("it is not so that %s, but there is %s", what, at)
	}
}

// sees waits until a text is on the page.
func (r reader) sees(text string) {
	r.t.Helper()
	r.awaits("there is "+text, fmt.Sprintf(`document.body.innerText.includes(%q)`, text))
}

// fills writes into a field.
func (r reader) fills(selector, text string) {
	r.t.Helper()
	r.awaits("there is "+selector, fmt.Sprintf(`document.querySelector(%q)`, selector))
	expect.OK(r.t, chromedp.Do(r.tab, chromedp.SendKeys(selector, text)))
}

// presses clicks on an element with the mouse.
func (r reader) presses(selector string) {
	r.t.Helper()
	r.awaits("there is "+selector, fmt.Sprintf(`document.querySelector(%q)`, selector))
	expect.OK(r.t, chromedp.Do(r.tab, chromedp.Click(selector)))
}

// logsIn logs in with the link of the message that comes.
func (r reader) logsIn(p *person) {
	r.t.Helper()
	r.awaits("the login comes first", `location.pathname === '/login'`)
	before := p.s.mails.count(p.email)
	r.fills("#email", p.email)
	r.presses("main form button")
	p.s.mails.await(r.t, p.email, before+1)
	r.goes(p.s.base + "/login/link?token=" + strings.TrimSpace(p.s.mails.token(r.t, p.email, "/login/link?token=")))
	r.presses("main form button")
}
