package main

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// quiet is a game without messages: it records in the keys of its storage whether it is alone there, and empties the storage.
const quiet = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Quiet</title><canvas></canvas>
<script>
let keys = [];
const look = () => { try { keys.push(...Object.keys(localStorage), ...Object.keys(sessionStorage)); localStorage.clear(); } catch {} };
look();
setInterval(look, 50);
window.__keys = () => keys.join();
</script></html>`

// inevitable is what Chromium says of a document whose policy has a sandbox in which it keeps its origin, as in quarantine: without the one a
// stranger's page may open windows, without the other no game keeps a score.
const inevitable = "warning An iframe which has both allow-scripts and allow-same-origin for its sandbox attribute"

// consoleOf gathers what a tab's console says from now on.
func consoleOf(t *testing.T, ctx context.Context) (lines func() []string) {
	var mu sync.Mutex
	var said []string
	add := func(line string) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, line)
	}
	act(t, ctx, chromedp.Navigate("about:blank"))
	err := chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *log.EventEntryAdded:
			add(string(e.Entry.Level) + " " + e.Entry.Text + " " + e.Entry.URL)
		case *runtime.EventConsoleAPICalled:
			add(string(e.Type) + " of the console")
		case *runtime.EventExceptionThrown:
			add(e.ExceptionDetails.Text)
		}
	})
	expect.OK(t, err)
	act(t, ctx, chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error { return tab.Call(ctx, "Log.enable", nil, nil) }))
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return said
	}
}

// TestRegression21AGamesConsoleIsItsOwn opens a game that says nothing, in every place: nothing is said, and nothing of ours is in its
// storage, while its players are counted.
func TestRegression21AGamesConsoleIsItsOwn(t *testing.T) {
	t.Parallel()
	// One process for the page and its frame, so that one console has what both say.
	browser := testenv.Engine(t, chromedp.Flag("disable-site-isolation-trials", true), chromedp.Flag("disable-features", "IsolateOrigins,site-per-process"))
	act(t, browser, chromedp.Navigate("about:blank"))
	for _, args := range [][]string{{"--quarantine", "off"}, {"--quarantine", "on"}} {
		s := testenv.Start(t, testenv.Binary(t), args...)
		status, made := call(t, s, "POST", "/v1/publish", signUp(t, s), map[string]any{"content": []byte(quiet)})
		if status != http.StatusCreated {
			t.Fatalf("publish: %d %v", status, made)
		}
		id := made["project_id"].(string)
		for _, at := range []string{"url", "page_url", "embed"} {
			t.Run(strings.Join(args, " ")+" "+at, func(t *testing.T) {
				ctx, closeTab := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
				defer closeTab()
				lines := consoleOf(t, ctx)
				address, _ := made[at].(string)
				if at == "embed" {
					address = strings.Replace(made["page_url"].(string), "/p/", "/embed/", 1)
				}
				act(t, ctx, chromedp.Navigate(address))
				if at != "url" {
					act(t, ctx, chromedp.Click(chromedp.CSS("button.start")))
				}
				awaitStats(t, s, id, "player", func(players, _ float64) bool { return players == 1 })
				if at == "url" {
					if keys, err := chromedp.Run(ctx, chromedp.Evaluate[string]("__keys()")); err != nil || keys != "" {
						t.Errorf("the game finds %q in its storage (%v)", keys, err)
					}
				}
				// What was said before this line is here when the line is.
				_, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`console.debug("end"), true`))
				expect.OK(t, err)
				eventually(t, "the end of the console", func() bool { return strings.Contains(strings.Join(lines(), "\n"), "debug of the console") })
				for _, line := range lines() {
					if line != "debug of the console" && !strings.HasPrefix(line, inevitable) {
						t.Errorf("the console says %q", line)
					}
				}
				act(t, ctx, chromedp.Navigate("about:blank"))
				awaitStats(t, s, id, "goodbye", func(players, _ float64) bool { return players == 0 })
			})
		}
	}
}
