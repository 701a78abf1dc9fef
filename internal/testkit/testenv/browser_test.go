package testenv

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp"

	"sandlot/internal/testkit/expect"
)

func TestMain(m *testing.M) { Main(m) }

// TestTestsThatShareABrowserShareNothingInIt: a page finds neither the cookies nor the storage of another test's.
func TestTestsThatShareABrowserShareNothingInIt(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request,
	) {
		w.Header().Set("Content-Type", "text/html")
	}))
	defer page.Close()
	var tabs []context.Context
	for range 2 {
		ctx := Engine(t)
		tabs = append(tabs, ctx)
		expect.OK(t, chromedp.Do(ctx, chromedp.Navigate(page.URL)))
		found, err := chromedp.Run(ctx, chromedp.Evaluate[string](`document.cookie + (localStorage.kept ?? '')`))
		expect.OK(t, err)
		expect.Equal(t, "what it finds", found, "")
		expect.OK(t, chromedp.Do(ctx, chromedp.Evaluate[chromedp.Void](`document.cookie = 'a=1'; localStorage.kept = 'b'; undefined`)))
	}
	expect.Equal(t, "that it is one browser", chromedp.FromContext(tabs[0]).Browser, chromedp.FromContext(tabs[1]).Browser)
}
