package testenv

import (
	"context"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// browserLimit ends a test's stay in a browser that hangs; the longest test takes a fraction of it.
const browserLimit = 25 * time.Minute

// bareEngine is Debian's package chromium-headless-shell. It is the program itself: what the package has on the PATH is a shell that starts
// it
// and does not end it.
const bareEngine = "/usr/lib/chromium/chromium-headless-shell"

// Browser returns the context of a first tab, for chromedp, in a Chromium that the tests of this process share: the cookies, the storage
// and
// the permissions in it are the test's own, and go with it. It runs without its sandbox, as root must, so it may only open what the test
// itself serves. With options for its command line, such as whose certificates it believes, it is a Chromium of the test's own.
//
// Presses get lost beside a window that fills the screen: a test that has one takes a browser of its own.
//
// The package's TestMain ends the shared ones, by Main.
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

// Main runs the tests of a package and then ends the browsers that they shared. TestMain calls it.
func Main(m *testing.M) {
	shared.mu.Lock()
	shared.programs = map[string]*sharedBrowser{}
	shared.mu.Unlock()
	code := m.Run()
	for _, b := range shared.programs {
		b.end()
	}
	os.Exit(code)
}

// shared are the browsers that are running, by their programs. There are none without Main, which ends them.
var shared struct {
	mu       sync.Mutex
	programs map[string]*sharedBrowser
}

type sharedBrowser struct {
	ctx context.Context
	end func()
}

func startBrowser(tb testing.TB, program string, more []chromedp.ExecAllocatorOption) context.Context {
	tb.Helper()
	if len(more) > 0 {
		limited, cancel := context.WithTimeout(context.Background(), browserLimit)
		tb.Cleanup(cancel)
		ctx, end := launch(limited, program, append([]chromedp.ExecAllocatorOption{chromedp.UserDataDir(tb.TempDir())}, more...))
		tb.Cleanup(end)
		return ctx
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.programs == nil {
		tb.Fatal("TestMain must call testenv.Main, which ends the browser")
	}
	b := shared.programs[program]
	if b == nil || b.ctx.Err() != nil { // none yet, or it has crashed
		b = &sharedBrowser{}
		b.ctx, b.end = launch(context.Background(), program, nil)
		if err := chromedp.Do(b.ctx); err != nil {
			b.end()
			tb.Fatalf("start %s: %v", program, err)
		}
		shared.programs[program] = b
	}
	limited, cancel := context.WithTimeout(b.ctx, browserLimit)
	tb.Cleanup(cancel)
	ctx, leave := chromedp.NewContext(limited, chromedp.WithNewBrowserContext())
	tb.Cleanup(leave)
	// One window of a browser has the focus, and others' tests have windows, too.
	if err := chromedp.Do(ctx, chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		return tab.Call(ctx, "Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}, nil)
	})); err != nil {
		tb.Fatalf("open a tab of %s: %v", program, err)
	}
	return ctx
}

// launch returns the context of a browser, which starts when it is used first, and what ends it. Without a folder among the options its
// profile
// is a temporary one, which is removed at its end.
func launch(ctx context.Context, program string, more []chromedp.ExecAllocatorOption) (tab context.Context, end func()) {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true), chromedp.WSURLReadTimeout(time.Minute))
	ctx, stop := chromedp.NewExecAllocator(ctx, append(options, more...)...)
	ctx, closeTab := chromedp.NewContext(ctx)
	return ctx, func() { closeTab(); stop() }
}
