package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"sandlot/internal/testenv"
)

// TestAxeFindsNothingOnThePages looks at every page that anybody may see, on a phone and on a desk, dark and light, as axe-core does. With
// SANDLOT_TEST_SHOTS=FOLDER it leaves a screenshot of each there.
func TestAxeFindsNothingOnThePages(t *testing.T) {
	axe, err := os.ReadFile(filepath.Join("..", "..", "internal", "web", "testdata", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	s := testenv.Start(t, testenv.Binary(t))
	status, made := call(t, s, "POST", "/v1/publish", "", map[string]any{"content": []byte("<!doctype html><title>Marbles</title><h1>Marbles</h1>"), "handle": "ada", "email": "ada@example.com"})
	if status != http.StatusCreated {
		t.Fatalf("publish: %d %v", status, made)
	}
	id, site := made["project_id"].(string), strings.Replace(s.URL(), "127.0.0.1", "localhost", 1) // the base-url
	_, token, _ := strings.Cut(awaitLink(t, s), "token=")
	verified, err := s.Client().PostForm(site+"/verify", url.Values{"token": {token}}) // what is not verified is not listed
	if err != nil || verified.StatusCode != http.StatusOK {
		t.Fatalf("verify: %v, %v", verified, err)
	}
	verified.Body.Close()
	ctx := testenv.Browser(t)
	for name, path := range map[string]string{
		"first": "/", "profile": "/@ada", "project": "/p/" + id, "embed": "/embed/" + id, "report": "/report?project=" + id, "login": "/login",
		"used-up": "/verify?token=bad", "missing": "/p/none-abc123",
	} {
		for _, width := range []int64{360, 1440} {
			for _, scheme := range []string{"light", "dark"} {
				shot := fmt.Sprintf("page-%s-%d-%s", name, width, scheme)
				t.Run(shot, func(t *testing.T) {
					act(t, ctx, chromedp.EmulateViewport(width, 900), prefer(scheme), chromedp.Navigate(site+path), chromedp.WaitReady("h1, main, body"))
					shoot(t, ctx, shot)
					if found := violations(t, ctx, string(axe)); found != "" {
						t.Errorf("axe finds on %s:\n%s", path, found)
					}
					if over := number(t, ctx, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); over > 0 {
						t.Errorf("%s is %v pixels wider than the screen", path, over)
					}
				})
			}
		}
	}
}

// prefer makes the browser prefer light or dark.
func prefer(scheme string) step {
	return chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		features := []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}
		return tab.Call(ctx, "Emulation.setEmulatedMedia", map[string]any{"features": features}, nil)
	})
}

// violations are what axe finds, one line each with where.
func violations(t *testing.T, ctx context.Context, axe string) string {
	t.Helper()
	act(t, ctx, chromedp.Evaluate[chromedp.Void](axe+";undefined"))
	found, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](
		`axe.run(document, {iframes: false}).then(r => r.violations.flatMap(v => v.nodes.map(n => v.id + ": " + v.help + ": " + n.html)))`, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(found, "\n")
}
