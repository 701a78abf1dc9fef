package main

import (
	"net/http"
	"net/url"
	"testing"

	"sandlot/internal/testkit/expect"

	"github.com/chromedp/chromedp"
)

// TestSoakThreadsInARealBrowser: a project whose owner allows threads shares memory with its worker, on its own address and in the frame of its
// page. In another site's page it is shown, and can see that there are none.
func TestSoakThreadsInARealBrowser(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	g, browser := newGround(t, modes[0], ca), hostileBrowser(t, ca)
	g.hostile = g.publish(t, g.victim, "threads.html")
	id := g.hostile["project_id"].(string)
	for _, c := range []struct{ threads, place, want string }{
		{"0", inTab, "not isolated"},
		{"0", inFrame, "not isolated"},
		{"1", inTab, "1000"},
		{"1", inFrame, "1000"},
		{"1", "embed", "not isolated"},
	} {
		g.allowThreads(t, id, c.threads == "1")
		r := g.start(t, c.place, nil, 0, nil)
		ctx, closeTab := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
		start := chromedp.Click(chromedp.CSS("button.start"))
		switch c.place {
		case inTab:
			act(t, ctx, chromedp.Navigate(g.hostile["url"].(string)))
		case inFrame:
			act(t, ctx, chromedp.Navigate(g.hostile["page_url"].(string)), start)
		default:
			act(t, ctx, chromedp.Navigate(g.base+"/embed/"+id), start)
		}
		g.await(t, ctx, r)
		if got := r.said["shared"]; got != c.want {
			t.Errorf("with threads %s in the %s: %s, want %s", c.threads, c.place, got, c.want)
		}
		closeTab()
	}
}

// allowThreads switches the threads of a project as its owner does, on the website.
func (g *ground) allowThreads(t *testing.T, id string, allow bool) {
	t.Helper()
	cookie, err := http.ParseSetCookie(g.cookies[0])
	expect.OK(t, err)
	fields := url.Values{"title": {"Threads"}, "description": {""}, "listed": {"1"}}
	if allow {
		fields.Set("threads", "1")
	}
	if resp := g.press(t, "/account/projects/"+id, fields, []*http.Cookie{cookie}); resp.StatusCode != http.StatusSeeOther {
		t.Fatalf("the switch: %d", resp.StatusCode)
	}
}
