package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestRegressionM39ABlankPreviewSaysWhatTheConsoleSaid, and what publishing would warn of, before anything is published, typed or pressed. The
// texts are a stranger's: they are text, few and short, and shown once.
func TestRegressionM39ABlankPreviewSaysWhatTheConsoleSaid(t *testing.T) {
	t.Parallel()
	line := map[bool]string{true: "2", false: `\d`} // in a page that is written, Chromium counts from each script on
	for name, more := range map[string][]string{"on an origin of its own": nil, "in the path form": {"--content-host", "none"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := testenv.Start(t, testenv.Binary(t), more...)
			browser := testenv.Engine(t)
			act(t, browser, chromedp.Navigate("about:blank"))
			p := newPerson(t, browser, strings.Replace(s.URL(), "127.0.0.1", "localhost", 1), phone("dark"))
			folder := t.TempDir()
			written(t, folder, "blank.html", `<!doctype html><html lang="en"><title>Blank</title><script src="gone.js"></script>
<script>nowhere.begin();</script></html>`)
			written(t, folder, "lies.html", `<!doctype html><title>Lies</title><p>Hello<script>
if (document.compatMode !== 'CSS1Compat' || document.scripts.length !== 1) throw new Error('the page is another one');
for (const errors of ['x', [{}, null, '<img src=x onerror=alert(1)>' + 'x'.repeat(999), 'b', 'c', 'd'], ['twice']]) parent.postMessage({ preview: 'errors', blank: 'x', errors }, '*');</script>`)
			p.goes("/new")
			p.dropsOn("#new-form", filepath.Join(folder, "blank.html"))
			p.awaits("it says what is missing", `document.querySelector('[data-part=notes] li')?.textContent.includes('gone.js')`)
			p.awaits("it says that nothing is to be seen, and why", `document.querySelector('[data-part=console] h2')?.textContent === 'The page stayed blank' && /nowhere is not defined \(index.html:`+line[more == nil]+`\)/.test(document.querySelector('[data-part=console] ul').textContent)`)
			p.dropsOn("#new-form", filepath.Join(folder, "lies.html"))
			p.awaits("the next one has its say", `document.querySelector('[data-part=console] h2')?.textContent === 'Errors on the page'`)
			var said []string
			expect.OK(t, p.ask(`Array.from(document.querySelectorAll('[data-part=console] li'), (li) => li.children.length + li.textContent)`, &said))
			if len(said) != 1 || !strings.HasPrefix(said[0], "1<img src=x") || len(said[0]) != 301 {
				t.Errorf("it says %q", said)
			}
		})
	}
}
