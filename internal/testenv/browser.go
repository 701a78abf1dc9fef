package testenv

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// browserLimit ends a browser that hangs; the longest test takes a fraction of it, also beside the race detector's.
const browserLimit = 10 * time.Minute

// Browser starts a Chromium with a profile of its own and returns the context of its first tab, for chromedp. It ends with the test. It
// runs without its sandbox, as root must, so it may only open what the test itself serves. More options, such as whose certificates it
// believes, go to its command line.
func Browser(tb testing.TB, more ...chromedp.ExecAllocatorOption) context.Context {
	tb.Helper()
	Need(tb, "chromium")
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("chromium"), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.WSURLReadTimeout(time.Minute), chromedp.UserDataDir(tb.TempDir()))
	ctx, cancel := context.WithTimeout(context.Background(), browserLimit)
	tb.Cleanup(cancel)
	ctx, stop := chromedp.NewExecAllocator(ctx, append(options, more...)...)
	tb.Cleanup(stop)
	ctx, closeTab := chromedp.NewContext(ctx)
	tb.Cleanup(closeTab)
	return ctx
}
