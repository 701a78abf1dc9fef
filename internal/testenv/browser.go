package testenv

import (
	"context"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// browserLimit ends a browser that hangs; the longest test takes a fraction of it, also beside the race detector's.
const browserLimit = 25 * time.Minute

// bareEngine is Debian's package chromium-headless-shell. It is the program itself: what the package has on the PATH is a shell that starts it
// and does not end it.
const bareEngine = "/usr/lib/chromium/chromium-headless-shell"

// Browser starts a Chromium with a profile of its own and returns the context of its first tab, for chromedp. It ends with the test. It
// runs without its sandbox, as root must, so it may only open what the test itself serves. More options, such as whose certificates it
// believes, go to its command line.
func Browser(tb testing.TB, more ...chromedp.ExecAllocatorOption) context.Context {
	tb.Helper()
	Need(tb, "chromium")
	return startBrowser(tb, "chromium", more)
}

// Engine is as Browser, but starts Chromium's engine without its windows where the machine has that program, of the same version: pages,
// scripts, cookies and what keeps origins apart are the same, and a tab takes a quarter of the processor time. What needs a window, such as
// full screen, downloads or the settings of a visitor, takes Browser.
func Engine(tb testing.TB, more ...chromedp.ExecAllocatorOption) context.Context {
	tb.Helper()
	if _, err := exec.LookPath(bareEngine); err != nil {
		return Browser(tb, more...)
	}
	return startBrowser(tb, bareEngine, more)
}

func startBrowser(tb testing.TB, program string, more []chromedp.ExecAllocatorOption) context.Context {
	tb.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU,
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
