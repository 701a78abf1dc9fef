package main

import (
	"context"
	"time"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// chooses gives a field of files what one chooses in the window that the browser opens for it.
func (p *person) chooses(label string, paths ...string) {
	p.t.Helper()
	p.tells("Page.setInterceptFileChooserDialog", map[string]any{"enabled": true})
	ctx, end := context.WithTimeout(p.ctx, time.Minute)
	defer end()
	opened, err := chromedp.Run(ctx, chromedp.WaitEvent(cdppage.FileChooserOpened, nil, chromedp.Func(func(context.Context, *chromedp.Target) error {
		p.presses(label)
		return nil
	})))
	if err != nil {
		p.t.Fatalf("%s opens no window to choose files in: %v", label, err)
	}
	p.tells("Page.setInterceptFileChooserDialog", map[string]any{"enabled": false})
	p.tells("DOM.setFileInputFiles", map[string]any{"files": paths, "backendNodeId": opened.BackendNodeID})
}

// copies presses the button that copies the key. The phone's browser refuses scripts the clipboard, as older ones and pages without TLS do.
func (p *person) copies(key string) {
	p.t.Helper()
	permissions := []string{"clipboardReadWrite"} // those that are not named are refused
	if !p.look.phone {
		permissions = append(permissions, "clipboardSanitizedWrite")
	}
	p.tells("Browser.grantPermissions", map[string]any{"origin": p.site, "permissions": permissions, "browserContextId": string(chromedp.FromContext(p.ctx).BrowserContextID)})
	p.tells("Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true})
	// What is said goes away again by itself.
	act(p.t, p.ctx, chromedp.Evaluate[chromedp.Void](`new MutationObserver(() => { window.said ||= document.querySelector('.secret output').innerText })
  .observe(document.querySelector('.secret'), { subtree: true, childList: true, characterData: true })`))
	p.presses("Copy")
	p.awaits("it says that it has copied", `window.said === 'Copied'`)
	if copied, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](`navigator.clipboard.readText()`, chromedp.EvalAwaitPromise)); err != nil || copied != key {
		p.t.Errorf("%q was copied (%v)", copied, err)
	}
}
