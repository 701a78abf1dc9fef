package play

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"sandlot"
	"sandlot/internal/testkit/testenv"
	"sandlot/internal/testkit/testworld"
)

// frameLabel is the label of a frame of the game.
const frameLabel = string(gameID) + "--desk-0123456789"

// framesOf are the frames of the world's projects: those with the suffix of frameLabel.
type framesOf struct{ *world }

func (f framesOf) Framed(ctx context.Context, _ sandlot.Caller, label string) (sandlot.Project, error) {
	id, ok := strings.CutSuffix(label, "--desk-0123456789")
	if !ok {
		return sandlot.Project{}, sandlot.ErrNotFound
	}
	return f.DB.Publish().Project(ctx, sandlot.ProjectID(id))
}

func framing(w *world) func(*Config) {
	return func(c *Config) { c.Frames = framesOf{w} }
}

func atFrame(h *Handler, label, target string, headers ...string) *http.Response {
	w := httptest.NewRecorder()
	h.ServeOrigin(w, request("GET", target, headers...), label)
	return w.Result()
}

// TestAFrameOfTheDeskIsServedWithoutNetwork, whatever the project's own origin answers: also while it is suspended.
func TestAFrameOfTheDeskIsServedWithoutNetwork(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.put(gameID, s.file("index.html", page("game")), s.file("a.js", "let a"), s.file("404.html", "none"))
	h := newHandler(s, "example.net", framing(s))
	e := sandlot.LogEntry{At: s.Now(), Actor: sandlot.ActorOperator, Reason: "a report"}
	s.must(s.DB.Operate().Suspend(t.Context(), sandlot.Subject{Project: gameID}, e))
	if got := get(h, "/"); got.StatusCode != http.StatusUnavailableForLegalReasons {
		t.Fatalf("the project's own origin is %d", got.StatusCode)
	}
	for target, want := range map[string]int{"/": 200, "/a.js": 200, "/none": 404, "/.sandlot/sdk.js": 404, "/.sandlot/player.js": 404, "/.sandlot/heartbeat": 404} {
		got := atFrame(h, frameLabel, target, "Sec-Fetch-Dest: iframe")
		if got.StatusCode != want {
			t.Errorf("%s is %d", target, got.StatusCode)
		}
		for name, want := range map[string]string{
			"Content-Security-Policy": framed, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Dns-Prefetch-Control": "off",
			"Access-Control-Allow-Origin": "*", "Cross-Origin-Opener-Policy": "",
		} {
			if got := got.Header.Get(name); got != want {
				t.Errorf("%s has %s: %q", target, name, got)
			}
		}
	}
	if got := bodyOf(t, atFrame(h, frameLabel, "/", "Sec-Fetch-Dest: iframe")); got != page("game") || s.plays() > 0 {
		t.Errorf("%d plays of %q", s.plays(), got)
	}
}

func TestAFrameOfTheDeskIsForTheDeskAlone(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.put(gameID, s.file("index.html", page("game")))
	h := newHandler(s, "example.net", framing(s))
	for name, got := range map[string]*http.Response{
		"an unknown label":                atFrame(h, string(gameID)+"--desk-9876543210", "/"),
		"a label without a project":       atFrame(h, "none-abc234--desk-0123456789", "/"),
		"a top-level navigation":          atFrame(h, frameLabel, "/", "Sec-Fetch-Dest: document"),
		"a service worker":                atFrame(h, frameLabel, "/index.html", "Service-Worker: script"),
		"an instance that frames nothing": atFrame(newHandler(s, "example.net"), frameLabel, "/"),
	} {
		if got.StatusCode != http.StatusNotFound {
			t.Errorf("%s is %d", name, got.StatusCode)
		}
	}
}

// frameEscapes are more ways by which a page reaches another site.
var frameEscapes = map[string]string{
	"socket":    `new WebSocket(to('socket').replace('http', 'ws'))`,
	"events":    `new EventSource(to('events'))`,
	"module":    `import(to('module'))`,
	"import":    `add('style', {textContent: '@import "' + to('import') + '"'})`,
	"script":    `add('script', {src: to('script')})`,
	"film":      `add('video', {src: to('film')})`,
	"any-frame": `frame(to('any-frame'))`,
	"window":    `open(to('window'))`,
	"new-tab":   `add('a', {href: to('new-tab'), target: '_blank'}).click()`,
}

// frameAlone has the steps that end the page.
var frameAlone = map[string]string{
	"self":    `location = to('self')`,
	"link":    `add('a', {href: to('link')}).click()`,
	"send":    `add('form', {action: to('send')}).submit()`,
	"refresh": `document.head.append(Object.assign(document.createElement('meta'), {httpEquiv: 'refresh', content: '0;url=' + to('refresh')}))`,
	"top":     `top.location = to('top')`,
	"parent":  `add('a', {href: to('parent'), target: '_top'}).click()`,
}

// TestAFramedPageReachesNothing by any of the escapes, nor by leading its own frame or the tab elsewhere, nor by a service worker. The page around
// it has the policy of the desk. A page that frames the same files without policies opens each way that needs no click.
func TestAFramedPageReachesNothing(t *testing.T) {
	t.Parallel()
	open, away := newElsewhere(t), newElsewhere(t)
	ctx := testenv.Browser(t, chromedp.Flag("host-resolver-rules", "MAP *.elsewhere.test 127.0.0.1"), chromedp.Flag("disable-popup-blocking", true))
	s := newStage(t, false)
	ways := maps.Clone(frameEscapes)
	maps.Copy(ways, escapes)
	put := func(id sandlot.ProjectID, to *elsewhere) {
		head := strings.ReplaceAll(escapesHead, "PORT", to.port)
		all := head
		for _, way := range slices.Sorted(maps.Keys(ways)) {
			all += "try { " + ways[way] + " } catch {}\n"
		}
		all += `navigator.serviceWorker?.register('/sw.js').then(() => new Image().src = to('service-worker'), () => {})` + "\n"
		files := []testworld.File{s.file("index.html", all+`</script>`), s.file("sw.js", ""), s.file("worker.js", `fetch(self.name, {mode: 'no-cors'})`)}
		for way, try := range frameAlone {
			files = append(files, s.file(way+".html", head+try+`</script>`))
		}
		s.put(id, files...)
	}
	put("open-abc234", open)
	put(gameID, away)
	desk := newDeskPage(t, s)

	run(t, ctx, chromedp.Navigate(desk.url+"/desk?policy=1&label="+frameLabel))
	testenv.Eventually(t, 30*time.Second, "every frame had its time", func() bool {
		over, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`window.loaded > 0 && performance.now() > window.loaded + 500`))
		return err == nil && over && !slices.ContainsFunc(slices.Collect(maps.Keys(frameAlone)), func(way string) bool { return !desk.served("/" + way + ".html") })
	})
	if at := run(t, ctx, chromedp.Evaluate[string](`location.pathname`)); at != "/desk" {
		t.Errorf("the tab was led to %s", at)
	}
	if got := away.reached(); len(got) > 0 {
		t.Errorf("out of the frame by %v", got)
	}
	if desk.served("/sw.js") {
		t.Error("a service worker was asked for")
	}
	run(t, ctx, chromedp.Navigate(desk.url+"/desk?label=open-abc234"))
	clicks := 2 // to lead the tab
	testenv.Eventually(t, 30*time.Second, "every way is open", func() bool { return len(open.reached()) >= len(ways)+len(frameAlone)-clicks })
}

// A deskPage is a site with a page that frames files of the game, with the policy of the desk or without.
type deskPage struct {
	url string

	mu    sync.Mutex
	paths []string // asked for in the frames
}

func newDeskPage(t *testing.T, s *stage) *deskPage {
	t.Helper()
	d := &deskPage{}
	var h *Handler
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if label, ok := h.Label(r.Host); ok {
			d.mu.Lock()
			d.paths = append(d.paths, r.URL.Path)
			d.mu.Unlock()
			h.ServeOrigin(w, r, label)
			return
		}
		origin := "http://" + r.FormValue("label") + ".localhost" + d.url[strings.LastIndexByte(d.url, ':'):]
		if r.FormValue("policy") != "" {
			w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'unsafe-inline'; frame-src "+origin)
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<!doctype html><title>Desk</title><body onload="window.loaded = performance.now()">`)
		for _, file := range append(slices.Sorted(maps.Keys(frameAlone)), "index") {
			_, _ = fmt.Fprintf(w, `<iframe src="%s/%s.html"></iframe>`, origin, file)
		}
	}))
	t.Cleanup(srv.Close)
	_, port, _ := strings.Cut(strings.TrimPrefix(srv.URL, "http://"), ":")
	port = port[strings.LastIndexByte(port, ':')+1:]
	d.url = "http://localhost:" + port
	h = newHandler(s.world, "localhost:"+port, framing(s.world))
	return d
}

func (d *deskPage) served(path string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Contains(d.paths, path)
}
