package main

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"sandlot/examples"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

type step = chromedp.Action[chromedp.Void]

// TestSoakTheExamplesInARealBrowser opens both on their addresses, served by the real binary: they run, keep a high score over a reload, and
// the numbers of the project move. With SANDLOT_TEST_SHOTS=FOLDER it leaves a screenshot of each there.
func TestSoakTheExamplesInARealBrowser(t *testing.T) {
	t.Parallel()
	for _, game := range []struct {
		name, start, quarantine string
		publish                 func(t *testing.T, s *testenv.Server, key string) map[string]any
		play                    []step
	}{
		{name: "wick", start: " ", quarantine: "off", publish: publishWick},
		{name: "runnel", start: kb.Enter, quarantine: "on", publish: publishRunnel, play: []step{hold("ArrowDown"), hold(" ")}},
	} {
		t.Run(game.name, func(t *testing.T) {
			s := testenv.Start(t, testenv.Binary(t), "--quarantine", game.quarantine)
			key := signUp(t, s)
			project := game.publish(t, s, key)
			url := project["url"].(string)
			ctx := testenv.Engine(t)
			act(t, ctx, chromedp.EmulateViewport(1200, 800))
			visit(t, ctx, chromedp.Navigate(url))
			awaitStats(t, s, project["project_id"].(string), "players and plays", func(players, plays float64) bool { return players == 1 && plays == 1 })
			testenv.Eventually(t, 5*time.Minute, "a game ends with a score", func() bool { // not all that are played like this do
				act(t, ctx, append([]step{chromedp.KeyEvent(game.start)}, game.play...)...)
				// A game has ten seconds of its own time, which a busy machine lets pass more slowly.
				over := fmt.Sprintf("window.__game.best > 0 || window.__game.frames > %v", number(t, ctx, "window.__game.frames")+600)
				_, err := chromedp.Run(ctx, chromedp.Poll[bool](over, chromedp.WithPollingTimeout(2*time.Minute)))
				return err == nil && number(t, ctx, "window.__game.best") > 0
			})
			best := number(t, ctx, "window.__game.best")
			shoot(t, ctx, game.name)
			visit(t, ctx, chromedp.Reload())
			if again := number(t, ctx, "window.__game.best"); again < best {
				t.Errorf("the best score was %v, and is %v after a reload", best, again)
			}
			act(t, ctx, chromedp.Navigate("about:blank"))
			awaitStats(t, s, project["project_id"].(string), "a goodbye", func(players, plays float64) bool { return players == 0 && plays == 1 })
		})
	}
}

func publishWick(t *testing.T, s *testenv.Server, key string) map[string]any {
	return publishFS(t, s, key, examples.Wick)
}

func publishRunnel(t *testing.T, s *testenv.Server, key string) map[string]any {
	project := publishFS(t, s, key, examples.Runnel+"/index.html")
	err := fs.WalkDir(examples.Files(), examples.Runnel, func(path string, d fs.DirEntry, err error) error {
		name := strings.TrimPrefix(path, examples.Runnel+"/")
		if err != nil || d.IsDir() || name == "index.html" {
			return err
		}
		content, err := fs.ReadFile(examples.Files(), path)
		if status, answer := call(t, s, "POST", "/v1/update", key, map[string]any{"filename": name, "content": content}); status != http.StatusOK {
			t.Fatalf("update %s: %d %v", name, status, answer)
		}
		return err
	})
	expect.OK(t, err)
	return project
}

func publishFS(t *testing.T, s *testenv.Server, key, path string) map[string]any {
	t.Helper()
	content, err := fs.ReadFile(examples.Files(), path)
	expect.OK(t, err)
	status, answer := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": content})
	if status != http.StatusCreated {
		t.Fatalf("publish: %d %v", status, answer)
	}
	return answer
}

// visit navigates and waits until the game draws.
func visit(t *testing.T, ctx context.Context, open chromedp.Action[chromedp.Void]) {
	t.Helper()
	act(t, ctx, open, chromedp.WaitReady("canvas"))
	if _, err := chromedp.Run(ctx, chromedp.Poll[bool]("window.__game && window.__game.frames > 5", chromedp.WithPollingTimeout(time.Minute))); err != nil {
		t.Fatalf("the game does not draw: %v", err)
	}
}

// hold presses a key and does not let go.
func hold(key string) step {
	return chromedp.Evaluate[chromedp.Void](fmt.Sprintf("dispatchEvent(new KeyboardEvent('keydown', {key: %q, code: %q, bubbles: true}))", key, code(key)))
}

func code(key string) string {
	if key == " " {
		return "Space"
	}
	return key
}

func act(t *testing.T, ctx context.Context, actions ...step) {
	t.Helper()
	expect.OK(t, chromedp.Do(ctx, actions...))
}

func number(t *testing.T, ctx context.Context, expression string) float64 {
	t.Helper()
	n, err := chromedp.Run(ctx, chromedp.Evaluate[float64](expression))
	expect.OK(t, err)
	return n
}

// awaitStats waits until the numbers of the project are as they should be.
func awaitStats(t *testing.T, s *testenv.Server, id, what string, ok func(players, plays float64) bool) {
	t.Helper()
	var stats map[string]any
	if !testenv.Poll(30*time.Second, func() bool {
		_, stats = call(t, s, "GET", "/v1/project/"+id+"/stats", "", nil)
		return ok(stats["player_count"].(float64), stats["plays"].(float64))
	}) {
		t.Errorf("no %s: the numbers are %v", what, stats)
	}
}

// shoot leaves a screenshot where somebody wants to look at it.
func shoot(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	folder := os.Getenv("SANDLOT_TEST_SHOTS")
	if folder == "" {
		return
	}
	picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	expect.OK(t, err)
	expect.OK(t, os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o644))
}
