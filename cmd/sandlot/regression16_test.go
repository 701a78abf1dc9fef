package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// saver is a game that reads its storage first, as many do, and reports to the page around it that it runs.
const saver = `<!doctype html><meta charset="utf-8"><script>const best = localStorage.getItem('best');
document.title = 'runs'; parent.postMessage('runs', '*');</script><title>blank</title>`

// storageBrowser is a browser that keeps storage from the frames of some projects in other pages of the site, as private windows do, and
// from no others; a project may be a pattern of several. Chromium's switch for all third parties has no effect without a window, so it gets these.
func storageBrowser(t *testing.T, page string, projects ...string) context.Context {
	t.Helper()
	site, _, _ := strings.Cut(page, "/p/")
	blocked := map[string]any{site + "," + site: map[string]int{"setting": 1}}
	for _, project := range projects {
		blocked[strings.TrimSuffix(project, "/")+","+site] = map[string]int{"setting": 2}
	}
	exceptions := map[string]any{"exceptions": map[string]any{"cookies": blocked}}
	preferences, err := json.Marshal(map[string]any{"profile": map[string]any{"cookie_controls_mode": 0, "content_settings": exceptions}})
	expect.OK(t, err)
	profile := t.TempDir()
	expect.OK(t, os.Mkdir(filepath.Join(profile, "Default"), 0o700))
	expect.OK(t, os.WriteFile(filepath.Join(profile, "Default", "Preferences"), preferences, 0o600))
	ctx := testenv.Browser(t, chromedp.UserDataDir(profile))
	act(t, ctx, chromedp.Navigate("about:blank"))
	// However busy the machine is, the page waits for the answer here.
	patient := map[string]any{"source": `const soon = setTimeout; window.setTimeout = (f, ms, ...more) => ms === 1000 ? 0 : soon(f, ms, ...more)`}
	act(t, ctx, chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		return tab.Call(ctx, "Page.addScriptToEvaluateOnNewDocument", patient, nil)
	}))
	return ctx
}

// holds waits until an expression is true in a page.
func holds(t *testing.T, ctx context.Context, expression string) {
	t.Helper()
	if _, err := chromedp.Run(ctx, chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(time.Minute))); err != nil {
		t.Fatalf("it is not so that %s: %v", expression, err)
	}
}

// TestRegression16AGameIsNotBlankWhereStorageIsBlocked: on the project's page, in the browser, Play leads to the game's own tab where a frame
// has no storage, and says why; elsewhere it plays. All is in one browser, which keeps storage from some projects.
func TestRegression16AGameIsNotBlankWhereStorageIsBlocked(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	key := signUp(t, s)
	publish := func(content string) (address, page string) {
		status, made := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": []byte(content)})
		if status != http.StatusCreated {
			t.Fatalf("publish: %d %v", status, made)
		}
		return made["url"].(string), made["page_url"].(string)
	}
	_, page := publish(saver)
	address, blocked := publish(saver)
	canvas, looked := publish(gameOf(arabic))
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<iframe src="%s" width="800" height="600"></iframe>`, strings.Replace(page, "/p/", "/embed/", 1))
	}))
	defer elsewhere.Close()

	ctx := storageBrowser(t, page, address, canvas)
	t.Run("blocked", func(t *testing.T) {
		for _, at := range []string{blocked, strings.Replace(blocked, "/p/", "/embed/", 1)} {
			act(t, ctx, chromedp.Navigate(at))
			holds(t, ctx, `!document.querySelector('.apart').hidden && document.querySelector('button.start').hidden`)
			link := `(({href, target, rel}) => [href, target, rel].join(' '))(document.querySelector('.apart a'))`
			got, err := chromedp.Run(ctx, chromedp.Evaluate[string](link))
			if want := address + " _blank noopener"; got != want || err != nil {
				t.Errorf("the link is %q, want %q (%v)", got, want, err)
			}
			holds(t, ctx, `document.querySelector('#apart').textContent.includes('It works in a new tab') && !document.querySelector('.stage iframe')`)
			act(t, ctx, chromedp.Click(chromedp.CSS("button.anyway")))
			holds(t, ctx, `!!document.querySelector('.stage iframe') && !document.querySelector('.apart').checkVisibility()`)
		}
		act(t, ctx, chromedp.Navigate(address))
		holds(t, ctx, `document.title === 'runs'`)
	})
	t.Run("allowed", func(t *testing.T) {
		act(t, ctx, chromedp.Navigate(page))
		holds(t, ctx, `!document.querySelector('button.start').hidden && (addEventListener('message', (e) => { window.said = e.data }), true)`)
		act(t, ctx, chromedp.Click(chromedp.CSS("button.start")))
		holds(t, ctx, `window.said === 'runs' && !!document.querySelector('.stage iframe') && !document.querySelector('.apart').checkVisibility()`)
	})
	t.Run("in somebody else's page", func(t *testing.T) {
		before := strings.Count(s.Logs(), "path=/.sandlot/storage status=200")
		act(t, ctx, chromedp.Navigate(elsewhere.URL))
		eventually(t, "the embedded page asks for the storage", func() bool {
			return strings.Count(s.Logs(), "path=/.sandlot/storage status=200") > before
		})
	})
	t.Run("on two screens", func(t *testing.T) {
		for _, l := range []look{phone("dark"), desktop("light")} {
			(&person{t: t, ctx: ctx, look: l}).leadsOut(looked, canvas)
		}
	})
}
