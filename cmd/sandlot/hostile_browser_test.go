package main

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"sandlot/internal/testkit/testenv"
)

// modes are the ways to keep projects apart.
var modes = []mode{
	{name: "local", base: "http://localhost", isolated: "local"},
	{name: "A", base: "https://site.test", content: "toys.test", isolated: "A"},
	{name: "quarantine", base: "https://site.test", content: "toys.test", args: []string{"--quarantine", "on"}, isolated: "A"},
	{name: "B", base: "https://site.test", isolated: "B"},
	{name: "C", base: "http://127.0.0.1", isolated: "C"},
}

// everyAttempt is what the hostile project tries. Those that can end its page come last.
var everyAttempt = []string{
	"forges play messages", "reads the page", "reads the cookies", "sets a cookie", "reaches another's storage", "registers a service worker",
	"likes", "renames the account", "reads the account", "loads the account as a resource", "frames the account", "holds a window of the account",
	"reaches the opener", "opens a dialog of the page", "runs a text as a script", "sends the window back", "navigates the window",
}

// Where a browser meets the project: in the frame of its page, in a tab of its own, in the path form framed by itself, in a tab that its
// page has opened, and in the page itself, as if somebody had found a way to write HTML into it.
const (
	inFrame = "frame"
	inTab   = "tab"
	inPath  = "path"
	fromTab = "opened"
	inPage  = "page"
)

// TestAHostileProject does its worst where projects have a domain of their own, as the documentation advises: in the frame of its page and in
// a tab. Nothing succeeds.
func TestAHostileProject(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	m := modes[slices.IndexFunc(modes, func(m mode) bool { return m.name == "A" })]
	browser := hostileBrowser(t, ca)
	for place, attempts := range m.places() {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			newGround(t, m, ca).expectNothing(t, browser, place, attempts)
		})
	}
	t.Run("cookies", func(t *testing.T) {
		t.Parallel()
		newGround(t, m, ca).expectHostCookies(t, browser)
	})
}

// TestSoakAHostileProjectInEveryMode does its worst everywhere that it can be met. Nothing succeeds, until a defence is taken away: then what
// it kept out does.
func TestSoakAHostileProjectInEveryMode(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	browser := hostileBrowser(t, ca)
	for _, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t, m, ca)
			for place, attempts := range m.places() {
				t.Run(place, func(t *testing.T) { g.expectNothing(t, browser, place, attempts) })
			}
			if strings.HasPrefix(m.base, "https:") {
				t.Run("cookies", func(t *testing.T) { g.expectHostCookies(t, browser) })
			}
			for _, d := range defences {
				if d.mode == m.name {
					t.Run("without "+d.name, func(t *testing.T) { g.expectDefence(t, browser, d) })
				}
			}
		})
	}
}

// places returns the addresses of the project in a mode, with its attempts at each.
func (m mode) places() map[string][]string {
	tampered := []string{"loads its script into a page", "leads its frame elsewhere"}
	opened := []string{"reads the page", "reads the cookies", "reaches the opener"}
	switch m.name {
	case "local":
		return map[string][]string{inFrame: everyAttempt, inTab: everyAttempt, inPath: everyAttempt, fromTab: opened, inPage: tampered}
	case "A": // as local, but for TLS and names
		return map[string][]string{inFrame: everyAttempt, inTab: everyAttempt}
	case "quarantine": // which is A and more
		return map[string][]string{inFrame: {"reads the page", "sends something elsewhere"}, inTab: {"sends something elsewhere", "sets a cookie"}}
	case "B":
		return map[string][]string{inFrame: everyAttempt, inTab: everyAttempt, inPath: everyAttempt}
	}
	return map[string][]string{inFrame: everyAttempt, inTab: everyAttempt, inPage: tampered} // where the path form is the only one
}

// expectNothing meets a project that gets hold of nothing.
func (g *ground) expectNothing(t *testing.T, browser context.Context, place string, attempts []string, faults ...fault) {
	t.Helper()
	r := g.meet(t, browser, place, attempts, 500*time.Millisecond, faults)
	for _, name := range attempts {
		if got, tried := r.said[name]; !tried || got != "" {
			t.Errorf("it %s: tried %v, got %q", name, tried, got)
		}
	}
	// Where all is one site browsers send the login along, and the service refuses.
	if along := r.seen.along; len(along) > 0 && g.name != "B" && len(faults) == 0 {
		t.Errorf("the login goes along with %q", along)
	}
}

func hostileBrowser(t *testing.T, ca authority) context.Context {
	t.Helper()
	ctx := testenv.Engine(t, chromedp.Flag("ignore-certificate-errors-spki-list", ca.pin),
		chromedp.Flag("host-resolver-rules", "MAP site.test 127.0.0.1, MAP *.site.test 127.0.0.1, MAP *.toys.test 127.0.0.1"))
	act(t, ctx, chromedp.Navigate("about:blank"))
	return ctx
}

// expectHostCookies looks at what a browser keeps of a visitor who has a login and likes a project: cookies that this host alone has set,
// that go to this host alone, over TLS, and that no script sees.
func (g *ground) expectHostCookies(t *testing.T, browser context.Context) {
	t.Helper()
	g.start(t, inPage, nil, 0, nil)
	ctx, closeTab := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	defer closeTab()
	act(t, ctx, chromedp.Navigate(g.base+"/__login"), chromedp.Navigate(g.sibling["page_url"].(string)), chromedp.Click(chromedp.CSS("form.like button")))
	if _, err := chromedp.Run(ctx, chromedp.Poll[bool]("!!document.querySelector('form.like [aria-pressed=true]')", chromedp.WithPollingTimeout(time.Minute))); err != nil {
		t.Fatal(err)
	}
	names, host := []string{}, strings.TrimPrefix(g.mode.base, "https://")
	for _, c := range g.keeps(t, ctx) {
		names = append(names, c.Name)
		if !c.Secure || !c.HTTPOnly || c.SameSite != "Lax" || c.Domain != host || c.Path != "/" {
			t.Errorf("%+v", c)
		}
	}
	slices.Sort(names)
	if want := []string{sessionCookie, "__Host-visitor"}; !slices.Equal(names, want) {
		t.Errorf("cookies %q, want %q", names, want)
	}
}

// A crumb is a cookie as a browser keeps it.
type crumb struct {
	Name     string `json:"name"`
	Value    string `json:"value"`
	Domain   string `json:"domain"`
	Path     string `json:"path"`
	Secure   bool   `json:"secure"`
	HTTPOnly bool   `json:"httpOnly"`
	SameSite string `json:"sameSite"`
}

// keeps are the cookies that the browser would send to the site.
func (g *ground) keeps(t *testing.T, ctx context.Context) []crumb {
	t.Helper()
	var kept struct {
		Cookies []crumb `json:"cookies"`
	}
	act(t, ctx, chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		return tab.Call(ctx, "Network.getCookies", map[string]any{"urls": []string{g.base + "/account"}}, &kept)
	}))
	return kept.Cookies
}

// meet lets a visitor with a login, in a fresh profile, meet a new hostile project. Patience is how long it waits to see whether an
// attempt has worked.
func (g *ground) meet(t *testing.T, browser context.Context, place string, attempts []string, patience time.Duration, faults []fault) *meeting {
	t.Helper()
	r := g.start(t, place, attempts, patience, faults)
	ctx, closeTab := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	defer closeTab()
	act(t, ctx, chromedp.EmulateViewport(900, 700), agree(), chromedp.Navigate(g.base+"/__login"))
	own, page := r.plan["own"].(string), r.project["page_url"].(string)
	switch place {
	case inFrame:
		act(t, ctx, chromedp.Navigate(own+"?back"), chromedp.Navigate(page), chromedp.Click(chromedp.CSS("button.start")))
	case fromTab:
		act(t, ctx, chromedp.Navigate(page), chromedp.Click(chromedp.CSS(".apart-tab a")))
	case inPage:
		act(t, ctx, chromedp.Navigate(page))
		r.said["loads its script into a page"] = g.loaded(t, ctx, r)
		r.said["leads its frame elsewhere"] = g.led(t, ctx)
		return r
	default:
		act(t, ctx, chromedp.Navigate(own))
	}
	g.await(t, ctx, r)
	g.mu.Lock()
	defer g.mu.Unlock()
	if slices.Contains(attempts, "sets a cookie") {
		r.said["sets a cookie"] = g.tossed(t, ctx, r)
	}
	return r
}

// await waits until the project has tried everything, and clicks into it when it asks for that.
func (g *ground) await(t *testing.T, ctx context.Context, r *meeting) {
	t.Helper()
	deadline := time.After(90 * time.Second)
	for {
		g.mu.Lock()
		click := r.click
		g.mu.Unlock()
		select {
		case <-r.done:
			return
		case <-deadline:
			g.mu.Lock()
			defer g.mu.Unlock()
			t.Fatalf("the project does not come to an end; so far: %v", r.said)
		case <-time.After(100 * time.Millisecond):
		}
		if click {
			_ = chromedp.Do(ctx, chromedp.MouseClickXY(450, 250)) // the page may have gone meanwhile
		}
	}
}

// loaded returns which addresses of its script a page of the site runs.
func (g *ground) loaded(t *testing.T, ctx context.Context, r *meeting) string {
	t.Helper()
	path, code := r.plan["path"].(string), "document.documentElement.dataset.owned='yes'"
	within := strings.TrimPrefix(path, g.base+"/")
	sources, err := json.Marshal([]string{
		"inline", path + "owned.js", r.plan["own"].(string) + "owned.js", "data:text/javascript," + code, g.base + "/static/../" + within + "owned.js",
		g.base + "/static/..%2f" + within + "owned.js", g.base + "/static/%2e%2e%2f" + strings.ReplaceAll(within, "/", "%2f") + "owned.js", g.base + "/static//" + within + "owned.js",
	})
	if err != nil {
		t.Fatal(err)
	}
	ran, err := chromedp.Run(ctx, chromedp.Evaluate[string](`(async () => {
		const ran = [];
		for (const source of `+string(sources)+`) {
			const script = document.createElement('script');
			const over = source === 'inline' || new Promise((done) => { script.onload = script.onerror = done; });
			if (source === 'inline') script.textContent = "`+code+`"; else script.src = source;
			document.head.append(script);
			await over;
			if (document.documentElement.dataset.owned) ran.push(source);
			delete document.documentElement.dataset.owned;
		}
		return ran.join(' ');
	})()`, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	return ran
}

// led returns to which addresses the frame of the project's page may go, of those that are no project's: a page of the site itself, and of
// another one, which could look as if the site had said it. The frame is led by the page here, to which the same policy applies.
func (g *ground) led(t *testing.T, ctx context.Context) string {
	t.Helper()
	elsewhere := "http://[::1]:9/"
	went, err := chromedp.Run(ctx, chromedp.Evaluate[string](`(async () => {
		const went = [];
		for (const address of ['`+g.base+`/login', '`+g.base+`/embed/`+g.sibling["project_id"].(string)+`', '`+elsewhere+`']) {
			let refused = false;
			const refuse = (event) => { refused = refused || event.effectiveDirective === 'frame-src'; };
			document.addEventListener('securitypolicyviolation', refuse);
			const frame = document.createElement('iframe');
			const over = new Promise((done) => { frame.onload = done; });
			frame.src = address;
			document.body.append(frame);
			await over;
			await new Promise((done) => setTimeout(done, 100));
			document.removeEventListener('securitypolicyviolation', refuse);
			if (!refused) went.push(address);
		}
		return went.join(' ');
	})()`, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	return went
}

// tossed returns a cookie of the project's that the browser would send to the site. Where both are one site it may set some, but none of
// which the service takes notice.
func (g *ground) tossed(t *testing.T, ctx context.Context, r *meeting) string {
	t.Helper()
	for _, c := range g.keeps(t, ctx) {
		sent := strings.TrimPrefix(c.Name+"="+c.Value, "=") // as it would be sent, for a cookie may have no name
		read, _ := http.ParseCookie(sent)                   // as the service reads it: a name that begins with a strange blank is none
		if strings.HasSuffix(sent, "=evil") && (g.name != "B" || len(read) == 1 && strings.EqualFold(read[0].Name, r.sessionName())) {
			return sent
		}
	}
	return ""
}

// agree says yes to every dialog that a page opens.
func agree() step {
	return chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		opening, end := tab.Subscribe("Page.javascriptDialogOpening")
		context.AfterFunc(ctx, end)
		go func() {
			for range opening {
				_ = tab.Call(ctx, "Page.handleJavaScriptDialog", map[string]any{"accept": true}, nil)
			}
		}()
		return nil
	})
}
