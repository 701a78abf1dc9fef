package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// hostilePreview is a project that attacks the page of a preview before it is published, and reports the result to the page around it.
const hostilePreview = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Drop Zone</title>
<p>A game.</p><script src="js/game.js"></script><script>
(async () => {
  const got = [];
  const tries = (name, f) => { try { if (f()) got.push(name); } catch { } };
  tries('page', () => parent.document.body);
  tries('cookies', () => document.cookie);
  tries('top', () => { top.location = 'about:blank'; });
  tries('storage', () => parent.localStorage);
  parent.postMessage({ preview: 'ready' }, '*');
  try { await navigator.serviceWorker.register('/js/game.js', { scope: '/js/' }); got.push('worker'); } catch { }
  const status = async (path) => { try { return (await fetch(path)).status; } catch { return 0; } };
  const files = [await status('js/game.js'), await status('img/t%C3%A9a%20m.svg'), await status('nothing.txt'), await status('docs/')].join(' ');
  parent.postMessage({ said: { ran: window.ran, got, files, origin, type: (await fetch('js/game.js')).headers.get('Content-Type') } }, '*');
})();
</script></html>`

// TestAZIPIsPublishedInABrowser goes from the home page, on which a ZIP is dropped, through its preview to the link and the keys. Whatever it
// does in the preview, nothing comes of it; and the origin of a preview takes files from nobody but the website.
func TestAZIPIsPublishedInABrowser(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	site := strings.Replace(s.URL(), "127.0.0.1", "localhost", 1)
	browser := testenv.Engine(t)
	act(t, browser, chromedp.Navigate("about:blank"))
	p := newPerson(t, browser, site, desktop("light"))
	folder := t.TempDir()
	written(t, folder, "zone.zip", zipFile(t, map[string]string{
		"zone/index.html": hostilePreview, "zone/js/game.js": "window.ran = true", "zone/img/téa m.svg": "<svg/>", "zone/docs/index.html": "<p>", "zone/node_modules/x.js": "x",
	}))
	p.goes("/")
	act(t, p.ctx, chromedp.Evaluate[chromedp.Void](`addEventListener('message', ({ data }) => { if (data.said) window.said = data.said; })`))
	p.dropsOn("main", filepath.Join(folder, "zone.zip"))
	p.awaits("the preview runs", `window.said`)
	var said struct {
		Ran                 bool
		Got                 []string
		Files, Origin, Type string
	}
	expect.OK(t, p.ask(`window.said`, &said))
	if !said.Ran || len(said.Got) > 0 || said.Files != "200 200 404 200" || said.Type != "text/javascript; charset=utf-8" {
		t.Errorf("in the preview: %+v", said)
	}
	if !regexp.MustCompile(`^http://preview--[0-9a-z]{20}\.localhost:\d+$`).MatchString(said.Origin) {
		t.Errorf("it runs at %s", said.Origin)
	}
	p.awaits("the title is suggested", `location.pathname === '/new' && document.querySelector('[name=title]').value === 'Drop Zone' && document.querySelector('[data-part=left]').textContent.includes('node_modules/')`)
	expectNobodyElseIsServed(t, newPerson(t, browser, "http://127.0.0.1", desktop("light")), said.Origin)
	p.awaits("the check beside the preview has found something", `document.querySelector('[data-part=notes] li')`)
	act(t, p.ctx, chromedp.SendKeys(chromedp.CSS("[name=email]"), "zip@example.com"), chromedp.Click(chromedp.CSS("[name=send]")))
	p.awaits("it is published, and the keys can be saved", `document.querySelectorAll('#new-keys [data-key]').length === 2 && document.querySelector('[data-save][href^=blob]')`)
	var made struct{ Key, URL string }
	expect.OK(t, p.ask(`({ Key: document.querySelector('[data-key=api_key]').textContent, URL: document.querySelector('#new-url').href })`, &made))
	status, who := call(t, s, "GET", "/v1/whoami", made.Key, nil)
	list, _ := who["projects"].([]any)
	if status != http.StatusOK || len(list) != 1 || list[0].(map[string]any)["url"] != made.URL || list[0].(map[string]any)["file_count"] != float64(4) {
		t.Errorf("the key's account has %d %v, and the page says %s", status, who, made.URL)
	}
	p.awaits("the preview is forgotten", `!localStorage.getItem('previews')`)
}

// expectNobodyElseIsServed frames and opens the origin of a preview from another site, which gets neither an answer nor a frame.
func expectNobodyElseIsServed(t *testing.T, other *person, preview string) {
	t.Helper()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><title>elsewhere</title><iframe src="%[1]s/.sandlot/preview"></iframe><script>
window.heard = 0; addEventListener('message', () => heard++);
const files = { preview: 'files', page: 'index.html', files: [{ name: 'index.html', bytes: new Blob(['<script>opener.postMessage(1, "*")<\/script>']) }] };
const opened = open('%[1]s/.sandlot/preview');
let n = 0;
const timer = setInterval(() => {
  for (const w of [opened, frames[0]]) w.postMessage(files, '*');
  if (++n === 20) { clearInterval(timer); opened.close(); window.over = true; }
}, 50);</script>`, preview)
	}))
	defer elsewhere.Close()
	act(t, other.ctx, chromedp.Navigate(elsewhere.URL+"/"))
	other.awaits("it has tried", `window.over`)
	var heard float64
	if expect.OK(t, other.ask(`window.heard`, &heard)); heard != 0 {
		t.Errorf("another site hears %v messages from %s", heard, preview)
	}
}

// dropsOn lets a file fall on an element, as a hand would.
func (p *person) dropsOn(selector, path string) {
	p.t.Helper()
	var at [2]float64
	expect.OK(p.t, p.ask(fmt.Sprintf(`(() => { scrollTo(0, 0); const { x, y, width } = document.querySelector(%q).getBoundingClientRect(); return [x + width / 2, y + 40]; })()`, selector), &at))
	data := map[string]any{"items": []string{}, "files": []string{path}, "dragOperationsMask": 1}
	drags := func(kind string, x, y float64) {
		p.tells("Input.dispatchDragEvent", map[string]any{"type": kind, "x": x, "y": y, "data": data})
	}
	// It comes over the edge of the page, as one that a hand drags.
	drags("dragEnter", at[0], 2)
	drags("dragOver", at[0], 2)
	for _, kind := range []string{"dragOver", "drop"} {
		drags(kind, at[0], at[1])
	}
}

func zipFile(t *testing.T, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range files {
		w, err := z.Create(name)
		expect.OK(t, err)
		_, err = w.Write([]byte(text))
		expect.OK(t, err)
	}
	expect.OK(t, z.Close())
	return b.String()
}
