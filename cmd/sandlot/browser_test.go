package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

type step = chromedp.Action[chromedp.Void]

func act(t *testing.T, ctx context.Context, actions ...step) {
	t.Helper()
	expect.OK(t, chromedp.Do(ctx, actions...))
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
