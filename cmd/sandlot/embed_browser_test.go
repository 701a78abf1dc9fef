package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestWhoPlaysAnEmbeddedProjectIsCounted embeds a project in another site's page: nobody is counted before the gesture, one player after
// it, and nobody when the page is left.
func TestWhoPlaysAnEmbeddedProjectIsCounted(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	status, made := call(t, s, "POST", "/v1/publish", signUp(t, s), map[string]any{"content": []byte("<!doctype html><title>Marbles</title><h1>Marbles</h1>")})
	if status != http.StatusCreated {
		t.Fatalf("publish: %d %v", status, made)
	}
	id, site := made["project_id"].(string), strings.Replace(s.URL(), "127.0.0.1", "localhost", 1) // the base-url
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><style>body { margin: 0 } iframe { border: 0 }</style><iframe src="%s/embed/%s" width="600" height="400" onload="document.title = 'framed'"></iframe>`, site, id)
	}))
	defer elsewhere.Close()
	ctx := testenv.Engine(t)
	act(t, ctx, chromedp.EmulateViewport(800, 600), chromedp.Navigate(elsewhere.URL))
	_, err := chromedp.Run(ctx, chromedp.Poll[bool](`document.title === 'framed'`, chromedp.WithPollingTimeout(time.Minute)))
	expect.OK(t, err)
	if _, stats := call(t, s, "GET", "/v1/project/"+id+"/stats", "", nil); stats["player_count"] != 0.0 {
		t.Errorf("before the gesture: %v", stats)
	}
	eventually(t, "there is a player in the frame", func() bool {
		// The button is in the middle. A frame of another site is drawn, and can be pressed, some time after it has loaded.
		act(t, ctx, chromedp.MouseClickXY(300, 200))
		_, stats := call(t, s, "GET", "/v1/project/"+id+"/stats", "", nil)
		return stats["player_count"] == 1.0
	})
	act(t, ctx, chromedp.Navigate("about:blank"))
	awaitStats(t, s, id, "goodbye", func(players, plays float64) bool { return players == 0 })
}
