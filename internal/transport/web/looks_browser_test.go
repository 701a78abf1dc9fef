package web

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"sandlot/internal/testkit/testenv"
)

// maxFirstVisit is how many bytes may come over the wire for a page that a browser
// has never seen, with all that it loads.
const maxFirstVisit = 80 << 10

// storageProbe is the page that reports whether a project's frame has storage.
const storageProbe = "/.sandlot/storage"

// versionHost is in the hosts of versions, from which their owner's pages load pictures.
const versionHost = "--v"

// TestSoakEveryPageIsFitToBeSeen opens every page on a desk, as a browser that has nothing of it, in German, whose words are the longest, and has
// it fit on phones, too. All of axe's rules look at every other page, at the rest its contrasts; the others by turns on a phone, where
// TestSoakRegression31AFingerHitsEveryControl looks. With SANDLOT_TEST_LOOKS=all, as in scripts/soak, all look at all in both themes. With
// SANDLOT_TEST_SHOTS=FOLDER it leaves a picture of each there.
func TestSoakEveryPageIsFitToBeSeen(t *testing.T) {
	t.Parallel()
	g := openGallery(t)
	g.takesAxe(t)
	for i, l := range looks() {
		t.Run(l.name, func(t *testing.T) {
			g.screen(t, true)
			g.seen(t, l, "de", i, true)
			g.measure(t, "on a desk", torn, bare, small)
			for _, size := range [][2]int64{{360, 740}, {320, 568}, {740, 360}} {
				run(t, g.ctx, chromedp.EmulateViewport(size[0], size[1], chromedp.EmulateMobile))
				if over := run(t, g.ctx, chromedp.Evaluate[int](tooWide)); over > 0 {
					t.Errorf("on a phone of %v it is %d pixels wider than the screen", size, over)
				}
				g.measure(t, fmt.Sprint("on a phone of ", size), torn, bare)
			}
		})
	}
}

// TestAProjectsPageIsFitToBeSeen looks at the page that most people see, with all of axe's rules, on a desk and on a phone. The soak looks at all.
func TestAProjectsPageIsFitToBeSeen(t *testing.T) {
	t.Parallel()
	g := openGallery(t)
	g.takesAxe(t)
	project := lookNamed(t, "project")
	for scheme, wide := range map[string]bool{"light": true, "dark": false} {
		g.screen(t, wide)
		g.prefer(t, scheme)
		g.visit(t, project, "de")
		g.look(t, project, scheme, wide, "")
	}
}

// tooWide is how many pixels of a page lie beside the screen.
const tooWide = `document.documentElement.scrollWidth - document.documentElement.clientWidth`

// takesAxe has every page bring axe.
func (g *showroom) takesAxe(t *testing.T) {
	t.Helper()
	axe, err := os.ReadFile(filepath.Join("testdata", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	g.tell(t, "Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": string(axe)})
}

// seen opens the i-th page in one theme or, where everything is looked at, in both, and looks at it: the whole of axe on a desk or on a phone.
func (g *showroom) seen(t *testing.T, l look, lang string, i int, wide bool) {
	t.Helper()
	all, rule := os.Getenv("SANDLOT_TEST_LOOKS") == "all", onlyContrast
	if all || wide == (i%2 == 0) {
		rule = ""
	}
	first, other := "light", "dark"
	if wide != (i/2%2 == 0) {
		first, other = other, first
	}
	g.prefer(t, first)
	g.visit(t, l, lang)
	g.look(t, l, first, wide, rule)
	if all {
		g.prefer(t, other)
		g.look(t, l, other, wide, onlyContrast)
	}
}

// onlyContrast is the one rule of axe that depends on the theme.
const onlyContrast = "color-contrast"

// A showroom is a hall on a real listener, and a browser in it that keeps nothing.
type showroom struct {
	*hall
	site string
	sent atomic.Int64 // bytes over the wire
	ctx  context.Context
	slow string // what paths begin with that take slowly
	late bool   // whether scripts, letters and pictures do

	mu       sync.Mutex
	status   int64
	policy   string
	offences []string // what the browser was asked to load from elsewhere, refused to do, or could not
}

// slowly is long enough for a browser to paint what it has.
const slowly = 300 * time.Millisecond

func openGallery(t *testing.T) *showroom {
	t.Helper()
	g := &showroom{ctx: testenv.Engine(t), slow: "nothing"}
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.Host, versionHost) {
			w.Header().Set("Content-Type", "image/gif")
			_, _ = w.Write([]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"))
			return
		}
		if r.URL.Path == storageProbe { // is served by the project's own origin
			w.Header().Set("Content-Type", "text/html")
			return
		}
		late := g.late && (strings.HasPrefix(r.URL.Path, "/static/") && path.Ext(r.URL.Path) != ".css" || strings.HasPrefix(r.URL.Path, "/i/"))
		if late || strings.HasPrefix(r.URL.Path, g.slow) {
			testenv.Wait(t, slowly, "the page comes slowly")
		}
		g.ServeHTTP(w, r)
	}))
	srv.Listener = countingListener{srv.Listener, &g.sent}
	g.hall = newHall(t, listens(srv))
	g.site = g.places.Base.String()
	srv.Start()
	t.Cleanup(srv.Close)
	run(t, g.ctx, chromedp.Navigate("about:blank"))
	if err := chromedp.Listen(g.ctx, g.note); err != nil {
		t.Fatal(err)
	}
	g.tell(t, "Log.enable", nil)
	g.tell(t, "Network.setCacheDisabled", map[string]any{"cacheDisabled": true})
	return g
}

// note looks at what happens in the browser.
func (g *showroom) note(event any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		picture := e.Type == network.ResourceTypeImage && strings.Contains(e.Request.URL, versionHost)
		if !strings.HasPrefix(e.Request.URL, g.site+"/") && !strings.Contains(e.Request.URL, storageProbe) && !picture {
			g.offences = append(g.offences, "asks for "+e.Request.URL)
		}
	case *network.EventResponseReceived:
		if strings.Contains(e.Response.URL, storageProbe) {
			break // a frame of the page, not the page
		}
		if e.Type == network.ResourceTypeDocument {
			g.status = e.Response.Status
			g.policy = fmt.Sprint(e.Response.Headers["Content-Security-Policy"])
		} else if e.Response.Status != http.StatusOK {
			g.offences = append(g.offences, fmt.Sprint(e.Response.URL, " is ", e.Response.Status))
		}
	case *log.EventEntryAdded:
		if e.Entry.Source == log.EntrySourceSecurity {
			g.offences = append(g.offences, e.Entry.Text)
		}
	case *runtime.EventExceptionThrown:
		g.offences = append(g.offences, fmt.Sprint(e.ExceptionDetails.Text, " ", e.ExceptionDetails.URL))
	}
}

func (g *showroom) tell(t *testing.T, method string, params any) {
	t.Helper()
	run(t, g.ctx, chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error { return tab.Call(ctx, method, params, nil) }))
}

func (g *showroom) prefer(t *testing.T, scheme string) {
	g.tell(t, "Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}})
}

func (g *showroom) screen(t *testing.T, wide bool) {
	if wide {
		run(t, g.ctx, chromedp.EmulateViewport(1440, 900))
		return
	}
	run(t, g.ctx, chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile))
}

// visit opens a page, or sends its form from the page before, and looks at what came.
func (g *showroom) visit(t *testing.T, l look, lang string) {
	t.Helper()
	l = g.open(t, l, lang)
	before := g.sent.Load()
	g.mu.Lock()
	g.offences = nil
	g.mu.Unlock()
	if l.form == nil {
		run(t, g.ctx, chromedp.Navigate(g.site+l.path))
	} else {
		g.send(t, l)
	}
	if l.open {
		run(t, g.ctx, chromedp.Evaluate[chromedp.Void](`document.querySelectorAll('details').forEach((d) => { d.open = true })`))
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if want := int64(cmp.Or(l.status, http.StatusOK)); g.status != want {
		t.Errorf("%s is %d, not %d", l.path, g.status, want)
	}
	if !strings.Contains(g.policy, "default-src 'none'") || strings.Contains(g.policy, "unsafe") {
		t.Errorf("its policy is %s", g.policy)
	}
	if n := g.sent.Load() - before; n > maxFirstVisit {
		t.Errorf("it takes %d bytes", n)
	}
	if len(g.offences) > 0 {
		t.Errorf("the browser says: %s", strings.Join(g.offences, "\n"))
	}
}

// send makes a form of the page that is open, and sends it.
func (g *showroom) send(t *testing.T, l look) {
	t.Helper()
	fields := ""
	for name := range l.form {
		fields += fmt.Sprintf("f.append(Object.assign(document.createElement('input'), {name: %q, value: %q}));", name, l.form.Get(name))
	}
	_, err := chromedp.RunResponse(g.ctx, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(
		`{const f = Object.assign(document.createElement('form'), {method: 'post', enctype: %q, action: %q}); %s document.body.append(f); f.submit()}`, map[bool]string{true: "multipart/form-data"}[l.multi], l.path, fields)))
	if err != nil {
		t.Fatal(err)
	}
}

// look asks axe, and the layout, what is wrong with the page as it is now.
func (g *showroom) look(t *testing.T, l look, scheme string, wide bool, rule string) {
	t.Helper()
	as := fmt.Sprintf("%s-%s-%s", l.name, map[bool]string{true: "1440", false: "360"}[wide], scheme)
	g.shoot(t, as)
	only := ""
	if rule != "" {
		only = fmt.Sprintf(", runOnly: [%q]", rule)
	}
	for _, found := range run(t, g.ctx, chromedp.Evaluate[[]string](`(async () => {
		const found = await axe.run(document, {iframes: false, preload: false, resultTypes: ['violations']`+only+`});
		const said = found.violations.flatMap((v) => v.nodes.map((n) => v.id + ': ' + v.help + ': ' + n.html));
		const over = `+tooWide+`;
		if (over > 0) said.push('it is ' + over + ' pixels wider than the screen');
		for (const e of document.querySelectorAll('*')) {
			if (e.matches('script:not([src])') || Array.from(e.attributes).some((a) => a.name === 'style' || a.name.startsWith('on'))) said.push('inline: ' + e.outerHTML);
		}
		return said;
	})()`, chromedp.EvalAwaitPromise)) {
		t.Errorf("%s: %s", as, found)
	}
}

// shoot leaves a picture of the whole page where somebody wants to look at it.
func (g *showroom) shoot(t *testing.T, name string) {
	t.Helper()
	folder := os.Getenv("SANDLOT_TEST_SHOTS")
	if folder == "" {
		return
	}
	picture := run(t, g.ctx, chromedp.FullScreenshot(100))
	if err := os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o644); err != nil {
		t.Fatal(err)
	}
}

// A countingListener adds up what its connections send.
type countingListener struct {
	net.Listener
	sent *atomic.Int64
}

func (l countingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return countingConn{c, l.sent}, err
}

type countingConn struct {
	net.Conn
	sent *atomic.Int64
}

func (c countingConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.sent.Add(int64(n))
	return n, err
}

func lookNamed(t *testing.T, name string) look {
	t.Helper()
	for _, l := range looks() {
		if l.name == name {
			return l
		}
	}
	t.Fatalf("there is no look %s", name)
	return look{}
}
