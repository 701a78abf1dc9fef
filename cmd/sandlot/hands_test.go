package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"sandlot/internal/expect"
)

// marks chooses one of several, or marks a box: by a press, or by the arrows or Space from where Tab leads.
func (p *person) marks(label string) {
	p.t.Helper()
	if !p.keys {
		p.presses(label)
		return
	}
	this := fmt.Sprintf(`document.activeElement === %s(%q)`, bearer, label)
	p.awaits("there is "+label, fmt.Sprintf(`%s(%q)`, bearer, label))
	p.tabs(label, fmt.Sprintf(`%[3]s || document.activeElement.type === 'radio' && document.activeElement.name === %[1]s(%[2]q).name`, bearer, label, this))
	for range 20 {
		var is, checked bool
		if expect.OK(p.t, p.ask(this, &is)); is {
			if expect.OK(p.t, p.ask(`document.activeElement.checked`, &checked)); !checked {
				p.strikes("Space")
			}
			return
		}
		p.strikes("ArrowDown")
	}
	p.t.Fatalf("the arrows do not lead to %s", label)
}

// picks takes what begins with those letters in the list of that label: a list that has the focus goes to what is typed.
func (p *person) picks(label, letters string) {
	p.t.Helper()
	if p.keys {
		p.reaches(label)
	} else { // a press would open a window of its own, which nobody sees here
		p.awaits("there is "+label, fmt.Sprintf(`((e) => e && (e.focus(), true))(%s(%q))`, bearer, label))
	}
	act(p.t, p.ctx, chromedp.KeyEvent(letters))
	p.awaits(letters+" is chosen", fmt.Sprintf(`document.activeElement.selectedOptions?.[0].text.startsWith(%q)`, letters))
}

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

// saves presses what leads to a download, and returns it.
func (p *person) saves(name string) []byte {
	p.t.Helper()
	folder := p.t.TempDir()
	p.tells("Browser.setDownloadBehavior", map[string]any{"behavior": "allow", "downloadPath": folder, "browserContextId": string(chromedp.FromContext(p.ctx).BrowserContextID)})
	p.presses(name)
	var content []byte
	p.until("it is saved", func() bool {
		found, _ := filepath.Glob(filepath.Join(folder, "*"))
		if len(found) != 1 || strings.HasSuffix(found[0], ".crdownload") {
			return false
		}
		var err error
		content, err = os.ReadFile(found[0])
		return err == nil && len(content) > 0
	})
	return content
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

// slow sets how many bytes a second go up; -1: as they come.
func (p *person) slow(up int) {
	p.t.Helper()
	p.tells("Network.emulateNetworkConditions", map[string]any{"offline": false, "latency": 0, "downloadThroughput": -1, "uploadThroughput": up})
}
