package web

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"sandlot/internal/publish"
	"sandlot/internal/testenv"
)

// A playground is the pages and one project on a real listener, with how often
// the project was loaded.
type playground struct {
	port   string
	loaded atomic.Int32
}

func newPlayground(t *testing.T) *playground {
	t.Helper()
	g := &playground{}
	var h *Pages
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.Host, "game-abc123.localhost:") {
			h.ServeHTTP(w, r)
			return
		}
		if r.URL.Path == "/" {
			g.loaded.Add(1)
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<script>let seen = 'kept out'; try { seen = parent.document.title } catch {} parent.postMessage(origin + ' ' + seen, '*')</script>`)
	}))
	t.Cleanup(srv.Close)
	g.port = srv.URL[strings.LastIndexByte(srv.URL, ':')+1:]
	at := publish.Places{Base: &url.URL{Scheme: "http", Host: "localhost:" + g.port}, Content: "localhost:" + g.port}
	h = New(Config{Service: published{&service{}, chess}, Places: at, Log: slog.New(slog.DiscardHandler), RequestID: func(context.Context) string { return "" }, VisitorID: byAddress})
	return g
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
	ctx := testenv.Browser(t)
	for _, path := range []string{"/p/game-abc123", "/embed/game-abc123"} {
		t.Run(path, func(t *testing.T) {
			g := newPlayground(t)
			run(t, ctx, chromedp.EmulateViewport(360, 700))
			run(t, ctx, chromedp.Navigate("http://localhost:"+g.port+path))
			run(t, ctx, chromedp.Poll[bool](`!document.querySelector('button.start').hidden`))
			if n := run(t, ctx, chromedp.Evaluate[int](`document.querySelectorAll('iframe').length`)); n != 0 || g.loaded.Load() != 0 {
				t.Errorf("before the gesture: %d frames, loaded %d times", n, g.loaded.Load())
			}
			run(t, ctx, chromedp.Evaluate[bool](`addEventListener('message', (e) => { window.said = e.data }), true`))
			run(t, ctx, chromedp.Click("button.start"))
			run(t, ctx, chromedp.Poll[bool](`!!window.said`))
			if said := run(t, ctx, chromedp.Evaluate[string](`window.said`)); said != "http://game-abc123.localhost:"+g.port+" kept out" || g.loaded.Load() != 1 {
				t.Errorf("the frame says %q, loaded %d times", said, g.loaded.Load())
			}
			if size := run(t, ctx, chromedp.Evaluate[string](`(({width, height}) => width + 'x' + height)(document.querySelector('iframe').getBoundingClientRect())`)); size != "360x700" {
				t.Errorf("on a phone the frame is %s", size)
			}
		})
	}
}

func TestTheFrameLeavesTheWindowAgain(t *testing.T) {
	ctx, g := testenv.Browser(t), newPlayground(t)
	run(t, ctx, chromedp.EmulateViewport(360, 700))
	run(t, ctx, chromedp.Navigate("http://localhost:"+g.port+"/p/game-abc123"))
	run(t, ctx, chromedp.Poll[bool](`!document.querySelector('button.start').hidden`))
	run(t, ctx, chromedp.Click("button.start"))
	if inert := run(t, ctx, chromedp.Evaluate[bool](`document.querySelector('.about').inert`)); !inert {
		t.Error("what the frame covers can be reached")
	}
	run(t, ctx, chromedp.Click(".exit"))
	if left := run(t, ctx, chromedp.Evaluate[bool](`!document.querySelector('.filled') && !document.querySelector('.about').inert && document.activeElement.matches('.full')`)); !left {
		t.Error("the window is still filled")
	}
}
