package main

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestRegressionM46EachBrowserIsAPlayerOfThePage: three profiles behind one address play in the page of a project, and count as three.
func TestRegressionM46EachBrowserIsAPlayerOfThePage(t *testing.T) {
	t.Parallel()
	browser := testenv.Engine(t)
	act(t, browser, chromedp.Navigate("about:blank"))
	s := testenv.Start(t, testenv.Binary(t), "--quarantine", "off")
	_, made := call(t, s, "POST", "/v1/publish", signUp(t, s), map[string]any{"content": page(1000)})
	players := func() any {
		_, stats := call(t, s, "GET", "/v1/project/"+made["project_id"].(string)+"/stats", "", nil)
		return stats["player_count"]
	}
	expect.Equal(t, "players at first", players(), any(float64(0)))
	for range 3 {
		ctx, closeTab := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
		defer closeTab()
		page := strings.Replace(made["page_url"].(string), "127.0.0.1", "localhost", 1)
		act(t, ctx, chromedp.Navigate(page), chromedp.Click(chromedp.CSS("button.start")))
	}
	testenv.Eventually(t, 30*time.Second, "three players", func() bool { return players() == any(float64(3)) })
}
