package web

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestAnAnswerReachesEveryKindOfProgram in Chromium, which applies the policy for forms to redirects: a program on a port of this machine, which
// leads on to another page, and one with a scheme of its own.
func TestAnAnswerReachesEveryKindOfProgram(t *testing.T) {
	t.Parallel()
	ctx := testenv.Engine(t)
	h, site := newDesk(t)
	got := make(chan url.Values, 4)
	program := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/back" {
			fmt.Fprint(w, "<title>done</title>")
			return
		}
		expect.Equal(t, "the referrer", r.Referer(), "")
		got <- r.URL.Query()
		http.Redirect(w, r, "http://localhost:"+port(r.Host)+"/done", http.StatusSeeOther)
	}))
	t.Cleanup(program.Close)
	here := asks(h.program("Kite", "http://127.0.0.1/back"), "redirect_uri", program.URL+"/back")
	run(t, ctx, chromedp.Navigate(site+here))
	run(t, ctx, chromedp.Click("[value=allow]"))
	if !run(t, ctx, chromedp.Evaluate[bool](`location.pathname === '/oauth/authorize' && document.activeElement.name === 'reach' && !document.querySelector('#project').checkVisibility()`)) {
		t.Error("a press without a choice does something")
	}
	run(t, ctx, chromedp.Click("[value=project]"))
	run(t, ctx, chromedp.Evaluate[chromedp.Void](`document.querySelector('#project').value = 'game-abc123'`))
	run(t, ctx, chromedp.Click("[value=allow]"))
	await(t, ctx, `document.title === 'done'`)
	answer := <-got
	if answer.Get("code") == "" || answer.Get("iss") != site+"/oauth" || answer.Get("state") == "" {
		t.Errorf("the program gets %v", answer)
	}
	run(t, ctx, chromedp.Navigate(site+here))
	run(t, ctx, chromedp.Click("[value=deny]"))
	await(t, ctx, `document.title === 'done'`)
	expect.Equal(t, "a denial is", (<-got).Get("error"), "access_denied")

	call(t, ctx, "Log.enable", nil)
	opened := make(chan string, 4)
	expect.OK(t, chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			if strings.HasPrefix(e.Request.URL, "com.example.kite:") {
				opened <- e.Request.URL
			}
		case *log.EventEntryAdded:
			if e.Entry.Source == log.EntrySourceSecurity {
				opened <- e.Entry.Text
			}
		}
	}))
	run(t, ctx, chromedp.Navigate(site+asks(h.program("Kite", "com.example.kite:/back"))))
	run(t, ctx, chromedp.Click("[value=account]"))
	run(t, ctx, chromedp.Click("[value=allow]"))
	if to := <-opened; !strings.HasPrefix(to, "com.example.kite:/back?code=") {
		t.Errorf("a scheme of its own: %s", to)
	}
}

// call has the browser do something.
func call(t *testing.T, ctx context.Context, method string, params any) {
	t.Helper()
	run(t, ctx, chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error { return tab.Call(ctx, method, params, nil) }))
}

// port returns the port of a host.
func port(host string) string {
	_, port, _ := net.SplitHostPort(host)
	return port
}

// TestNoFragmentFillsInATerminalsCode as it fills in the code of a connect_url.
func TestNoFragmentFillsInATerminalsCode(t *testing.T) {
	t.Parallel()
	ctx := testenv.Engine(t)
	h, site := newDesk(t)
	run(t, ctx, chromedp.Navigate(site+connectPath+"#"+h.device("").UserCode))
	await(t, ctx, `document.readyState === 'complete'`)
	if !run(t, ctx, chromedp.Evaluate[bool](`location.pathname === '/connect' && document.querySelector('#code').value === ''`)) {
		t.Error("it is filled in")
	}
}
