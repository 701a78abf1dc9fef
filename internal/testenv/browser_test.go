package testenv

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"syscall"
	"testing"
	"time"

	"sandlot/internal/expect"

	"github.com/chromedp/chromedp"
)

func TestBrowsers(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte("<title>dunes</title>"))
	}))
	defer page.Close()
	for name, start := range map[string]func(testing.TB, ...chromedp.ExecAllocatorOption) context.Context{"Browser": Browser, "Engine": Engine} {
		t.Run(name+" opens a page, and ends with its test", func(t *testing.T) {
			var program *os.Process
			t.Run("inner", func(t *testing.T) {
				ctx := start(t)
				expect.OK(t, chromedp.Do(ctx, chromedp.Navigate(page.URL)))
				if title, err := chromedp.Run(ctx, chromedp.Title()); err != nil || title != "dunes" {
					t.Errorf("it shows %q, %v", title, err)
				}
				program = chromedp.FromContext(ctx).Browser.Process()
			})
			if program == nil {
				t.Fatal("there was no program")
			}
			Eventually(t, time.Minute, "the end of the browser", func() bool { return errors.Is(program.Signal(syscall.Signal(0)), os.ErrProcessDone) })
		})
	}
}
