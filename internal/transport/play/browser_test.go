package play

import (
	"context"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

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
}

// newStage serves a world on every host and on the path form, as main does.
func newStage(t *testing.T, alone bool, more ...func(*Config)) *stage {
	t.Helper()
	s := &stage{world: newWorld(t)}
	s.heard = make(chan string, 100)
	var h *Handler
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if label, ok := h.Label(r.Host); ok {
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
