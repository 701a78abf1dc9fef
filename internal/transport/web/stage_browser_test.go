package web

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/testenv"
	"sandlot/internal/testkit/testworld"
)

// A playground is the pages and one project on a real listener, with how often
// the project was loaded.
type playground struct {
	*world
	port   string
	loaded atomic.Int32

	storage string        // what the project's own page says of its storage; empty: nothing
	game    string        // the content of the project; empty: a page that reports its events
	holds   chan struct{} // that page waits until it is closed; nil: it does not
}

func newPlayground(t *testing.T) *playground { t.Helper(); return newPlaygroundOf(t, chess) }

// newPlaygroundOf is one whose project is this one.
func newPlaygroundOf(t *testing.T, np publish.NewProject) *playground {
	t.Helper()
	g := &playground{storage: "true"}
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.Host, "game-abc123.localhost:") {
			g.ServeHTTP(w, r)
			return
		}
		if r.URL.Path == "/" {
			g.loaded.Add(1)
		}
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/.sandlot/storage" {
			if g.holds != nil {
				<-g.holds
			}
			if g.storage != "" {
				_, _ = io.WriteString(w, `<script>parent.postMessage({ storage: `+g.storage+` }, '*')</script>`)
			}
			return
		}
		if g.game != "" {
			_, _ = io.WriteString(w, g.game)
			return
		}
		_, _ = io.WriteString(w, `<script>let drawn = 0; (function draw() { drawn++; requestAnimationFrame(draw) })();
let seen = 'kept out'; try { seen = parent.document.title } catch {} parent.postMessage(origin + ' ' + seen, '*');
addEventListener('message', (e) => { if (e.data.sandlot) return; if (e.data === 'small') document.exitFullscreen(); if (e.data === 'step' && document.readyState === 'complete') location.hash = 'step'; // before, it is no step of the history
 parent.postMessage(e.data === 'drawn' ? { drawn } : (e.data === 'step' ? '' : 'at ') + location.hash, '*') })
addEventListener('keydown', (e) => parent.postMessage('key ' + e.key, '*'))
addEventListener('click', () => document.documentElement.requestFullscreen(), { once: true }) // and a press that was to go to the page takes nothing back</script>`)
	}))
	g.world = board(t, np, listens(srv))
	g.port = g.places.Base.Port()
	srv.Start()
	t.Cleanup(srv.Close)
	return g
}

// listens places a world at a server's address, under localhost.
func listens(srv *httptest.Server) testworld.Option {
	host := "localhost:" + fmt.Sprint(srv.Listener.Addr().(*net.TCPAddr).Port)
	return testworld.With(func(c *publish.Config) {
		c.Places = sandlot.Places{Base: &url.URL{Scheme: "http", Host: host}, Content: host}
	})
}

func run[T any](t *testing.T, ctx context.Context, action chromedp.Action[T]) T {
	t.Helper()
	v, err := chromedp.Run(ctx, action)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestTheFrameInABrowser(t *testing.T) {
	t.Parallel()
	ctx := testenv.Browser(t)
	for _, path := range []string{"/p/game-abc123", "/embed/game-abc123"} {
		t.Run(path, func(t *testing.T) {
			g := newPlayground(t)
			run(t, ctx, chromedp.EmulateViewport(360, 700))
			run(t, ctx, chromedp.Navigate("http://localhost:"+g.port+path))
			run(t, ctx, chromedp.Poll[bool](`!document.querySelector('button.start').hidden`))
			if n := run(t, ctx, chromedp.Evaluate[int](`document.querySelectorAll('.stage iframe').length`)); n != 0 || g.loaded.Load() != 0 {
				t.Errorf("before the gesture: %d frames, loaded %d times", n, g.loaded.Load())
			}
			run(t, ctx, chromedp.Evaluate[bool](`addEventListener('message', (e) => { if (typeof e.data === 'string') window.said = e.data }), true`))
			run(t, ctx, chromedp.Click("button.start"))
			run(t, ctx, chromedp.Poll[bool](`!!window.said`))
			if said := run(t, ctx, chromedp.Evaluate[string](`window.said`)); said != "http://game-abc123.localhost:"+g.port+" kept out" || g.loaded.Load() != 1 {
				t.Errorf("the frame says %q, loaded %d times", said, g.loaded.Load())
			}
			if size := run(t, ctx, chromedp.Evaluate[string](`(({width, height}) => width + 'x' + height)(document.querySelector('.stage iframe').getBoundingClientRect())`)); size != map[bool]string{true: "360x700", false: "360x656"}[path[1] == 'e'] { // all but the bar
				t.Errorf("on a phone the frame is %s", size)
			}
		})
	}
}

// await waits until an expression is true. An error may be that the page is just being replaced.
func await(t *testing.T, ctx context.Context, expression string) {
	t.Helper()
	var is bool
	var err error
	if !testenv.Poll(time.Minute, func() bool { is, err = chromedp.Run(ctx, chromedp.Evaluate[bool](expression)); return is && err == nil }) {
		t.Fatalf("it is not so that %s (%v)", expression, err)
	}
}

// TestTheBackGesture: on a phone the frame fills the window, and going back is how people leave what fills it.
func TestTheBackGesture(t *testing.T) {
	t.Parallel()
	ctx, g := testenv.Browser(t), newPlayground(t)
	start, page := "http://localhost:"+g.port+"/", "http://localhost:"+g.port+"/p/game-abc123"
	run(t, ctx, chromedp.EmulateViewport(360, 700))
	at := func(t *testing.T, address, expression string) {
		t.Helper()
		await(t, ctx, `location.href === '`+address+`' && document.readyState === 'complete' && `+expression)
	}
	filled := func(t *testing.T) {
		t.Helper()
		run(t, ctx, chromedp.Navigate("about:blank"))
		run(t, ctx, chromedp.Navigate(start))
		run(t, ctx, chromedp.Navigate(page))
		at(t, page, `!document.querySelector('button.start').hidden`)
		run(t, ctx, chromedp.Click("button.start"))
		at(t, page, `!!document.querySelector('.filled iframe')`)
	}
	step := func(t *testing.T, by string) {
		t.Helper()
		run(t, ctx, chromedp.Evaluate[bool](`setTimeout(() => history.`+by+`()), true`)) // after the answer
	}
	const small = `!!document.querySelector('.stage:not(.filled) iframe') && !document.querySelector('.about').inert && !history.state`
	t.Run("returns to the page, where the game goes on", func(t *testing.T) {
		filled(t)
		step(t, "back")
		at(t, page, small)
		if g.loaded.Load() != 1 {
			t.Errorf("the game was loaded %d times", g.loaded.Load())
		}
		step(t, "forward")
		at(t, page, `!!document.querySelector('.filled iframe')`)
		step(t, "back")
		at(t, page, small)
		step(t, "back")
		at(t, start, `true`)
	})
	t.Run("leaves the page after the button was used", func(t *testing.T) {
		filled(t)
		run(t, ctx, chromedp.Click(".exit"))
		at(t, page, small)
		step(t, "back")
		at(t, start, `true`)
	})
	t.Run("the button takes no step from a game that made steps of its own", func(t *testing.T) {
		filled(t)
		run(t, ctx, chromedp.Evaluate[bool](`addEventListener('message', (e) => { if (typeof e.data === 'string') window.said = e.data }), true`))
		await(t, ctx, `(document.querySelector('.stage iframe').contentWindow.postMessage('step', '*'), window.said === '#step')`)
		run(t, ctx, chromedp.Click(".exit"))
		at(t, page, small)
		await(t, ctx, `(document.querySelector('.stage iframe').contentWindow.postMessage('where', '*'), window.said === 'at #step')`)
	})
}

func TestNobodyPlaysWhatIsGone(t *testing.T) {
	t.Parallel()
	ctx, g := testenv.Engine(t), newPlayground(t)
	for status, want := range map[string]int{"404": 1, "451": 1, "503": 2} {
		run(t, ctx, chromedp.Navigate("http://localhost:"+g.port+"/p/game-abc123"))
		await(t, ctx, `document.readyState === 'complete' && !document.querySelector('button.start').hidden`)
		run(t, ctx, chromedp.Evaluate[bool](`window.beats = 0; window.fetch = async () => { window.beats++; return new Response(null, { status: `+status+` }) }; true`))
		run(t, ctx, chromedp.Click("button.start"))
		await(t, ctx, `window.beats === 1`)
		if beats := run(t, ctx, chromedp.Evaluate[int](`document.dispatchEvent(new Event('visibilitychange')); window.beats`)); beats != want {
			t.Errorf("after the answer %s there are %d heartbeats in all, want %d", status, beats, want)
		}
	}
}

// TestRegression16PlayWaitsForTheAnswer: a press that comes before the answer is not lost, also where the project's origin takes long, and no
// answer is a yes.
func TestRegression16PlayWaitsForTheAnswer(t *testing.T) {
	t.Parallel()
	ctx, g := testenv.Engine(t), newPlayground(t)
	run(t, ctx, chromedp.Navigate("about:blank"))
	patient := map[string]any{"source": `const soon = setTimeout; window.setTimeout = (f, ms, ...more) => ms === 5000 ? 0 : soon(f, ms, ...more)`}
	run(t, ctx, chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		return tab.Call(ctx, "Page.addScriptToEvaluateOnNewDocument", patient, nil)
	}))
	for answer, query := range map[string]string{"true": "?patient=1", "false": "?patient=2", "": "?patient=3"} { // each at an address of its own: one sees when it is there
		g.holds, g.storage = make(chan struct{}), answer
		// A page whose frame has not answered has not loaded.
		address := "http://localhost:" + g.port + "/p/game-abc123" + query
		run(t, ctx, chromedp.Evaluate[bool](`location.assign('`+address+`'), true`))
		await(t, ctx, `location.href === '`+address+`' && !document.querySelector('button.start').hidden`)
		run(t, ctx, chromedp.Evaluate[bool](`document.querySelector('button.start').click(), new Promise((later) => { requestAnimationFrame(() => requestAnimationFrame(() => later(true))) })`, chromedp.EvalAwaitPromise))
		if begun := run(t, ctx, chromedp.Evaluate[bool](`!!document.querySelector('.stage iframe')`)); begun {
			t.Errorf("with %q it does not wait", query)
		}
		close(g.holds)
		if answer == "false" {
			await(t, ctx, `document.activeElement.matches('.apart a, body') && !document.querySelector('.apart').hidden && !document.querySelector('.stage iframe')`)
		} else {
			await(t, ctx, `!!document.querySelector('.stage iframe')`)
		}
	}
}

// TestRegression28WhatTellsOfBlockedStorageIsWhole: on a phone the poster cut the box off, and with it its buttons; in a low frame of
// another site's, too. French needs the most lines.
func TestRegression28WhatTellsOfBlockedStorageIsWhole(t *testing.T) {
	t.Parallel()
	g := newPlaygroundOf(t, publish.NewProject{Title: chess.Title, Described: publish.Described{Lang: "fr"}})
	g.storage = "false"
	ctx := testenv.Engine(t)
	for _, c := range []struct {
		path          string
		width, height int64
	}{{"/p/", 360, 740}, {"/p/", 740, 360}, {"/embed/", 300, 200}, {"/embed/", 800, 600}} {
		run(t, ctx, chromedp.EmulateViewport(c.width, c.height, chromedp.EmulateMobile))
		run(t, ctx, chromedp.Navigate("http://localhost:"+g.port+c.path+"game-abc123"))
		await(t, ctx, `!document.querySelector('.apart').hidden`)
		if cut := run(t, ctx, chromedp.Evaluate[string](`(() => {
  const stage = document.querySelector('.stage').getBoundingClientRect();
  const within = ({ top, bottom }) => top >= stage.top && bottom <= stage.bottom && top + scrollY >= 0;
  return [...document.querySelectorAll('.apart, .apart > *')].filter((e) => !within(e.getBoundingClientRect())).map((e) => e.className + ' ' + e.innerText).join('; ');
})()`)); cut != "" {
			t.Errorf("%s at %d by %d cuts %s", c.path, c.width, c.height, cut)
		}
	}
}

// TestRegression31AFileDroppedBesideTheBoxChangesNothing lets a real file fall on the heading, which leads away from a page that does not
// mind, with a title half typed; and text into a field, which takes it.
func TestRegression31AFileDroppedBesideTheBoxChangesNothing(t *testing.T) {
	t.Parallel()
	g := openGallery(t)
	g.screen(t, true)
	g.visit(t, look{path: "/account/projects/harbor-k3x9p2", as: "ada"}, "en")
	path := filepath.Join(t.TempDir(), "dropped.html")
	if err := os.WriteFile(path, []byte("<title>dropped</title>"), 0o644); err != nil {
		t.Fatal(err)
	}
	drag := func(selector string, data map[string]any, kinds ...string) {
		t.Helper()
		at := run(t, g.ctx, chromedp.Evaluate[[]float64](`(() => {
  const e = document.querySelector('`+selector+`');
  e.scrollIntoView({ block: 'center', behavior: 'instant' });
  const { x, y, width, height } = e.getBoundingClientRect();
  return [x + width / 2, y + height / 2];
})()`))
		data["dragOperationsMask"] = 1
		for _, kind := range kinds {
			g.tell(t, "Input.dispatchDragEvent", map[string]any{"type": kind, "x": at[0], "y": at[1], "data": data})
		}
	}
	file := func() map[string]any { return map[string]any{"items": []string{}, "files": []string{path}} }
	run(t, g.ctx, chromedp.Evaluate[bool](`document.querySelector('[name=title]').value = 'half typed', true`))
	drag("h1", file(), "dragEnter", "dragOver")
	await(t, g.ctx, `document.querySelector('.own-upload').matches('.wanted:not(.over)')`)
	drag("h1", file(), "drop")
	await(t, g.ctx, `document.title.startsWith('Harbor Lights') && document.querySelector('[name=title]').value === 'half typed' &&
document.querySelector('.own-upload:not(.wanted) output').innerText.startsWith('You dropped that beside the box')`)
	text := map[string]any{"items": []map[string]string{{"mimeType": "text/plain", "data": "a folder"}}}
	drag("[name=folder]", text, "dragEnter", "dragOver", "drop")
	await(t, g.ctx, `document.title.startsWith('Harbor Lights') && !document.querySelector('.own-upload').matches('.wanted')`)
}

// TestRegressionM45KeysOfAGameDoNotScrollThePage: arrows and the space bar that a game does not take for itself leave the page where it is, and once
// the pointer is on the page it scrolls.
func TestRegressionM45KeysOfAGameDoNotScrollThePage(t *testing.T) {
	t.Parallel()
	p := sits(t, testenv.Browser(t), 1280, 500)
	run(t, p.ctx, chromedp.Evaluate[bool](`document.querySelector('main').style.paddingBottom = '200vh', true`))
	p.goesOn()
	p.awaits(`document.activeElement.matches('iframe') && beats.join() === 'plays'`)
	for _, key := range []string{kb.ArrowDown, kb.ArrowDown, kb.ArrowDown, " ", " "} {
		run(t, p.ctx, chromedp.Evaluate[bool](`window.said = '', true`))
		p.until(`window.said.startsWith('key ')`, func() { run(t, p.game(), chromedp.KeyEvent(key)) })
	}
	run(t, p.ctx, chromedp.Evaluate[bool](`window.pressed = performance.now(), true`))
	p.awaits(`performance.now() - window.pressed > 500`)
	if y := run(t, p.ctx, chromedp.Evaluate[float64](`scrollY`)); y != 0 {
		t.Errorf("the page scrolled by %v", y)
	}
	run(t, p.ctx, chromedp.Evaluate[bool](`document.querySelector('main').dispatchEvent(new PointerEvent('pointerover', { bubbles: true })), true`))
	p.awaits(`(scrollTo(0, 9), getComputedStyle(document.documentElement).overflowY === 'visible')`)
}

// game returns the context of the frame: a browser whose windows nobody sees hands no key from a page to a frame of another site.
func (p *player) game() context.Context {
	p.Helper()
	if p.frame != nil {
		return p.frame
	}
	testenv.Eventually(p, 30*time.Second, "the frame is a target of its own", func() bool {
		targets, err := chromedp.Targets(p.ctx)
		i := slices.IndexFunc(targets, func(at *target.Info) bool { return at.Type == "iframe" && strings.Contains(at.URL, "game-abc123") })
		if err == nil && i >= 0 {
			ctx, leave := chromedp.NewContext(p.ctx, chromedp.WithTargetID(targets[i].TargetID))
			p.Cleanup(leave)
			p.frame = ctx
		}
		return p.frame != nil
	})
	return p.frame
}
