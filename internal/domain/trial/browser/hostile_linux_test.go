package browser

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sandlot/internal/domain/trial"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// rude are ways to bother a visitor, to get data from the browser, or to leave the page. A page that has tried one says
// so, and it says what it got.
var rude = map[string]string{
	"dialogs":               "onbeforeunload = e => { e.preventDefault(); return 'stay' }; setInterval(() => { alert('again'); if (confirm('sure?')) out(); if (prompt('name?', 'x')) out() }, 10)",
	"windows":               "setInterval(() => { for (let i = 0; i < 20; i++) { const w = open('about:blank', '_blank', 'popup'); if (w && i === 19) try { w.document.write('<script>for(;;);<\\/script>') } catch {} } }, 50)",
	"windows of a click":    "onmousemove = onclick = onkeydown = () => { for (let i = 0; i < 10; i++) open('/?' + Math.random(), '_blank') }",
	"downloads":             "for (const href of ['/load.bin', '/disposed', URL.createObjectURL(new Blob(['x'.repeat(1e6)])), 'data:application/octet-stream,load']) { const a = add('a', { href, download: 'load.bin' }); a.click() }; add('iframe', { src: '/disposed' }); onclick = () => { location = '/disposed' }",
	"file pickers":          "onclick = () => { showSaveFilePicker?.().then(out, () => 0); showDirectoryPicker?.().then(out, () => 0); add('input', { type: 'file', onchange: out }).click() }",
	"files of the machine":  "for (const src of ['file:///etc/passwd', 'file:///proc/self/environ', 'view-source:file:///etc/passwd', 'filesystem:http://pong.localhost/temporary/x']) { const f = add('iframe', { src }); setTimeout(() => { try { if (f.contentDocument.body.textContent.includes(':')) out() } catch {} }, 500); fetch(src).then(out, () => 0); try { new Worker(src).onmessage = out } catch {}; try { importScripts(src) } catch {}; add('link', { rel: 'stylesheet', href: src, onload: out }); add('object', { data: src }) }; const a = add('a', { href: 'file:///etc/passwd' }); a.click(); location = 'file:///etc/passwd'; open('file:///etc/passwd')",
	"pages of the browser":  "for (const to of ['chrome://version', 'chrome://settings', 'chrome://crash', 'chrome://kill', 'chrome-untrusted://terminal', 'devtools://devtools/bundled/inspector.html', 'view-source:' + location, 'about:memory', 'chrome-extension://a/b', 'javascript:out()//', 'isolated-app://a/']) { add('iframe', { src: to }); open(to); if (!to.startsWith('java')) location = to; fetch(to).then(r => r.type !== 'basic' && out(), () => 0) }",
	"navigation to data":    "location = 'data:text/html,<h1>elsewhere<script>for(;;);<\\/script>'",
	"external programs":     "for (const to of ['mailto:a@example.org', 'tel:1', 'sms:1', 'ssh://a', 'intent://x#Intent;scheme=http;end', 'ms-settings:x', 'itms:x', 'steam://run', 'vnc://127.0.0.1', 'ftp://127.0.0.1/']) { add('iframe', { src: to }); location = to; open(to) }; try { navigator.registerProtocolHandler('web+x', location.origin + '/?%s') } catch {}",
	"permissions":           "Notification.requestPermission().then(p => p === 'granted' && out(), () => 0); navigator.geolocation.getCurrentPosition(out, () => 0); navigator.mediaDevices?.getUserMedia({ audio: true, video: true }).then(out, () => 0); navigator.mediaDevices?.getDisplayMedia().then(out, () => 0); navigator.requestMIDIAccess?.({ sysex: true }).then(out, () => 0); onclick = () => { navigator.clipboard?.readText().then(t => t && out(), () => 0); navigator.usb?.requestDevice({ filters: [] }).then(out, () => 0); navigator.bluetooth?.requestDevice({ acceptAllDevices: true }).then(out, () => 0); navigator.serial?.requestPort().then(out, () => 0); navigator.hid?.requestDevice({ filters: [] }).then(out, () => 0); getScreenDetails?.().then(out, () => 0); queryLocalFonts?.().then(f => f.length && out(), () => 0); new EyeDropper().open().then(out, () => 0); navigator.contacts?.select(['name']).then(out, () => 0); navigator.credentials.get({ publicKey: { challenge: new Uint8Array(8) } }).then(out, () => 0) }",
	"traps":                 "onclick = onkeydown = () => { document.documentElement.requestFullscreen({ navigationUI: 'hide' }).catch(() => 0); document.body.requestPointerLock()?.catch?.(() => 0); navigator.keyboard?.lock?.().catch(() => 0); navigator.wakeLock?.request().catch(() => 0) }; onkeyup = e => e.preventDefault(); oncontextmenu = e => e.preventDefault(); for (let i = 0; i < 500; i++) history.pushState(0, '', '#' + i); onpopstate = () => history.forward()",
	"print":                 "setInterval(print, 200)",
	"reloads":               "setTimeout(() => location.reload(), 300)",
	"debugger":              "setInterval(() => { debugger }, 50)",
	"a service worker":      "navigator.serviceWorker?.register('/sw.js').then(() => 0, () => 0); caches?.open('x').then(c => c.put('/', new Response('mine')))",
	"closing itself":        "close(); onclick = () => close(); setTimeout(close, 1000); try { top.close(); open('', '_self').close() } catch {}",
	"a flood of errors":     "let n = 0; setInterval(() => { for (let i = 0; i < 50; i++) { console.error('\\u202e\\x1b[31m' + n++ + 'x'.repeat(1e5)); Promise.reject(new Error(n + 'y'.repeat(1e5))) } throw new Error('z' + n) }, 20)",
	"a flood of requests":   "let n = 0; setInterval(() => { for (let i = 0; i < 50; i++) { fetch('/no-' + n++ + '%0a%1b%e2%80%ae' + 'x'.repeat(2000)).catch(() => 0); fetch('http://no-' + n + '.example/').catch(() => 0) } }, 20)",
	"a huge title":          "setInterval(() => { document.title = '\\u202e' + Math.random() + 't'.repeat(1e6) }, 50); history.replaceState(0, '', '#' + 'u'.repeat(1e6)); name = 'n'.repeat(1e6)",
	"requests that hang":    "for (let i = 0; i < 300; i++) fetch('/hang?' + i).catch(() => 0); add('script', { src: '/hang' }); add('img', { src: '/drip' })",
	"endless redirects":     "for (let i = 0; i < 20; i++) { fetch('/again?' + i).catch(() => 0); add('iframe', { src: '/again?f' + i }) }",
	"waiting for the end":   "const late = () => { navigator.sendBeacon('http://127.0.0.1:' + port + '/'); fetch('http://127.0.0.1:' + port + '/', { keepalive: true, mode: 'no-cors' }).catch(() => 0) }; if (navigator.webdriver) { setTimeout(late, 8500); onpagehide = onbeforeunload = onunload = late; document.onvisibilitychange = late }",
	"a socket for the end":  "new SharedWorker(URL.createObjectURL(new Blob(['setInterval(() => fetch(\"http://127.0.0.1:\" + ' + port + ').catch(() => 0), 100)']))); navigator.locks?.request('x', () => new Promise(() => 0))",
	"a frame of all others": "for (let i = 0; i < 20; i++) add('iframe', { srcdoc: '<script>setInterval(() => { try { top.location = \"http://other.localhost/\" } catch {} }, 50)<\\/script>', sandbox: 'allow-scripts' })",
}

// heavy are ways to have a page take all that there is, and to crash or to hang. Each is a page of its own.
var heavy = map[string]string{
	"a loop":                         "setTimeout(() => { for (;;); }, 500)",
	"a loop at once":                 "for (;;);",
	"a loop of promises":             "const f = () => Promise.resolve().then(f); f()",
	"a loop of worlds":               "setTimeout(() => { for (;;) document.body.append(document.createElement('iframe')) }, 300)",
	"a loop of history":              "for (;;) history.pushState(0, '', '#' + Math.random())",
	"a loop of layout":               "const d = add('div', {}); for (let i = 0; i < 3e4; i++) d.append(Object.assign(document.createElement('p'), { textContent: 'x'.repeat(20) })); setInterval(() => { for (let i = 0; ; i++) { d.style.width = i % 500 + 'px'; d.offsetHeight } }, 10)",
	"a loop in WebAssembly":          "setTimeout(() => new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array([0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,7,5,1,1,102,0,0,10,9,1,7,0,3,64,12,0,11,11]))).exports.f(), 500)",
	"a loop in a regular expression": "setTimeout(() => /^(([a-z])+.)+[A-Z]([a-z])+$/.test('a'.repeat(60)), 500)",
	"a loop in a style sheet":        "add('style', { textContent: '@keyframes a { to { filter: blur(99px) hue-rotate(360deg); transform: rotate(1turn) scale(9) } } div { position: fixed; inset: 0; backdrop-filter: blur(60px); animation: a 1s infinite; box-shadow: 0 0 999px 999px red }' }); for (let i = 0; i < 500; i++) add('div', {})",
	"a request that waits":           "setTimeout(() => { for (;;) { const x = new XMLHttpRequest(); x.open('GET', '/hang', false); try { x.send() } catch {} } }, 500)",
	"loops in workers":               "for (let i = 0; i < 200; i++) new Worker(URL.createObjectURL(new Blob(['for(;;);'])))",
	"workers that make workers":      "const text = 'const u = URL.createObjectURL(new Blob([' + '`' + 'onmessage = e => { for (let i = 0; i < 4; i++) new Worker(URL.createObjectURL(new Blob([e.data]))).postMessage(e.data) }' + '`' + ']))\\nonmessage = e => { for (let i = 0; i < 4; i++) { const w = new Worker(u); w.postMessage(e.data) } }'; for (let i = 0; i < 8; i++) new Worker(URL.createObjectURL(new Blob([text]))).postMessage(text)",
	"frames":                         "for (let i = 0; i < 10000; i++) add('iframe', { srcdoc: '<p>x' })",
	"frames of other origins":        "let n = 0; setInterval(() => { for (let i = 0; i < 50; i++) add('iframe', { src: 'http://o' + n++ + '.example/' }) }, 50)",
	"frames in frames":               "add('iframe', { src: '/?' + Math.random() }); add('iframe', { src: '/?' + Math.random() })",
	"sandboxed frames":               "for (let i = 0; i < 300; i++) add('iframe', { sandbox: 'allow-scripts', src: 'data:text/html,<script>for(;;);<' + '/script>' })",
	"memory of a script":             "const all = []; setInterval(() => { for (let i = 0; i < 100; i++) all.push(new Array(1e5).fill(i)) }, 10)",
	"memory of buffers":              "const all = []; setInterval(() => { try { all.push(new Uint8Array(64 << 20).fill(1)) } catch {} }, 20)",
	"memory of workers":              "for (let i = 0; i < 16; i++) new Worker(URL.createObjectURL(new Blob(['const all = []; for (;;) try { all.push(new Uint8Array(16 << 20).fill(1)) } catch {}'])))",
	"memory of blobs":                "const all = []; setInterval(() => all.push(new Blob([new Uint8Array(32 << 20).fill(Math.random() * 256)])), 20)",
	"memory of canvases":             "const all = []; setInterval(() => { const c = document.createElement('canvas'); c.width = c.height = 4096; const x = c.getContext('2d'); x.fillRect(0, 0, 4096, 4096); x.getImageData(0, 0, 1, 1); all.push(c) }, 20)",
	"memory of textures":             "const g = document.createElement('canvas').getContext('webgl2'); const all = []; const px = new Uint8Array(4096 * 4096 * 4).fill(7); setInterval(() => { if (!g) return; const t = g.createTexture(); g.bindTexture(g.TEXTURE_2D, t); g.texImage2D(g.TEXTURE_2D, 0, g.RGBA, 4096, 4096, 0, g.RGBA, g.UNSIGNED_BYTE, px); g.finish(); all.push(t) }, 50)",
	"memory of pictures":             "let n = 0; setInterval(() => { const c = new OffscreenCanvas(8000, 8000); c.getContext('2d').fillRect(0, 0, 8000, 8000); c.convertToBlob().then(createImageBitmap).then(b => (self.all ??= []).push(b)) }, 100)",
	"memory of texts":                "let s = 'x'; setInterval(() => { s += s; document.title = s.slice(0, 10); (self.all ??= []).push((s + Math.random()).split('')) }, 20)",
	"memory of WebAssembly":          "const all = []; setInterval(() => { try { const m = new WebAssembly.Memory({ initial: 1024, maximum: 65536 }); new Uint8Array(m.buffer).fill(1); m.grow(2048); new Uint8Array(m.buffer).fill(1); all.push(m) } catch {} }, 30)",
	"a full disk":                    "navigator.storage?.getDirectory?.().then(async d => { for (let i = 0; ; i++) { const f = await d.getFileHandle('f' + i, { create: true }); const w = await f.createWritable(); await w.write(new Uint8Array(16 << 20).fill(1)); await w.close() } }).catch(() => 0); caches?.open('x').then(async c => { for (let i = 0; ; i++) await c.put('/' + i, new Response(new Uint8Array(8 << 20))) }).catch(() => 0); try { for (let i = 0; ; i++) localStorage['k' + i] = 'x'.repeat(1e6) } catch {}",
	"a shader without end":           "const c = add('canvas', { width: 1280, height: 720 }), g = c.getContext('webgl'); if (g) { const p = g.createProgram(); for (const [k, s] of [[g.VERTEX_SHADER, 'attribute vec2 a; void main() { gl_Position = vec4(a, 0, 1); }'], [g.FRAGMENT_SHADER, 'precision highp float; void main() { float x = gl_FragCoord.x; for (int i = 0; i < 100000000; i++) x = sin(x) + 1.; gl_FragColor = vec4(x); }']]) { const h = g.createShader(k); g.shaderSource(h, s); g.compileShader(h); g.attachShader(p, h) } g.linkProgram(p); g.useProgram(p); g.bindBuffer(g.ARRAY_BUFFER, g.createBuffer()); g.bufferData(g.ARRAY_BUFFER, new Float32Array([-1, -1, 3, -1, -1, 3]), g.STATIC_DRAW); g.enableVertexAttribArray(0); g.vertexAttribPointer(0, 2, g.FLOAT, false, 0, 0); setInterval(() => g.drawArrays(g.TRIANGLES, 0, 3), 16) }",
	"a deep document":                "let e = document.body; for (let i = 0; i < 1e5; i++) e = e.appendChild(document.createElement('div')); e.textContent = 'deep'; document.body.innerText; structuredClone((() => { let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; return o })())",
	"a large picture":                "add('canvas', { width: 16000, height: 16000 }).getContext('2d').fillRect(0, 0, 16000, 16000); document.body.style.zoom = 100; add('div', { style: 'width: 1e9px; height: 1e9px; background: linear-gradient(red, blue)' })",
	"sound":                          "for (let i = 0; i < 64; i++) try { const a = new AudioContext(); for (let j = 0; j < 200; j++) { const o = a.createOscillator(); o.connect(a.destination); o.start() } } catch {}",
}

// before is what pages of these have in common.
const before = `<!doctype html><title>rude</title><body><h1>rude</h1><script>
const add = (name, all) => document.body.appendChild(Object.assign(document.createElement(name), all)), port = %d
const way = (name, go) => { fetch('/tried?' + encodeURIComponent(name), { keepalive: true }); try { go(() => fetch('/out?' + encodeURIComponent(name))) } catch {} }
`

func rudePage(port int, name string) string {
	return fmt.Sprintf(before, port) + fmt.Sprintf("way(%q, out => { %s })\n</script>", name, rude[name])
}

// A host is the origin of a page that is rude. It answers all that comes, and some of it never.
type host struct {
	page  string
	mu    sync.Mutex
	tried map[string]bool
	got   []string
	asked int // of /
}

func (h *host) ServeTrial(w http.ResponseWriter, r *http.Request, _ trial.Due) {
	what, _ := url.QueryUnescape(r.URL.RawQuery)
	h.mu.Lock()
	h.asked++
	h.mu.Unlock()
	switch r.URL.Path {
	case "/":
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, h.page)
	case "/tried", "/out":
		h.mu.Lock()
		defer h.mu.Unlock()
		if r.URL.Path == "/out" {
			h.got = append(h.got, what)
		}
		h.tried[what] = true
	case "/hang":
		<-r.Context().Done()
	case "/drip":
		w.Header().Set("Content-Type", "image/png")
		for r.Context().Err() == nil {
			if _, err := w.Write([]byte("x")); err != nil || http.NewResponseController(w).Flush() != nil {
				return
			}
			select {
			case <-time.After(100 * time.Millisecond):
			case <-r.Context().Done():
			}
		}
	case "/again":
		w.Header().Set("Location", r.URL.RequestURI()+"x")
		w.WriteHeader(http.StatusTemporaryRedirect)
	case "/sw.js":
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = io.WriteString(w, "oninstall = e => { skipWaiting() }; onactivate = e => e.waitUntil(new Promise(() => 0)); onfetch = e => { if (e.request.mode === 'navigate') e.respondWith(new Response('mine')) }; setInterval(() => fetch('http://127.0.0.1:9222/').catch(() => 0), 100)")
	case "/disposed", "/load.bin":
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Disposition", `attachment; filename="load.bin"`)
		_, _ = w.Write(make([]byte, 1<<20))
	default:
		http.NotFound(w, r)
	}
}

// suffers opens a hostile page in the trap, and holds what always holds: it ends in time, reaches nobody, leaves no process and no file,
// and the report about it is bounded.
func suffers(t *testing.T, page func(port int) string, long times) (*host, error) {
	t.Helper()
	ports, came := outside(t, 1)
	h := &host{page: page(ports[0]), tried: map[string]bool{}}
	c := catch(t)
	begun := time.Now()
	seen, err := sees(t.Context(), t, h, &Browser{times: long, stage: stageOf(ports)})
	took := time.Since(begun)
	c.end(t)
	if busy := 30 * time.Second; took > long.Wall+busy { // of a machine that is
		t.Errorf("it took %v", took)
	}
	if err != nil && !errors.Is(err, context.DeadlineExceeded) && !strings.Contains(err.Error(), "the page does not answer") {
		t.Errorf("nothing could be said of it: %v", err)
	}
	expect.Equal(t, "who came to it in the worker's network", c.inside[ports[0]]+c.inside[9222]+c.inside[80]+c.inside[443], 0)
	expect.Equal(t, "who came to it on the machine", came(ports[0]), 0)
	expect.Equal(t, "packets that were sent", c.sent, 0)
	expect.Same(t, "programs that were started", c.strange, nil)
	expect.Same(t, "files that were loaded", c.loaded, nil)
	h.mu.Lock()
	defer h.mu.Unlock()
	expect.Same(t, "what it got", h.got, nil)
	bounded(t, seen)
	t.Logf("%-32s %5.1f s, error %v, hangs %v, memory %v, blank %v, moved %v, %d errors %.80q, %d asked, threads %d", t.Name()[strings.LastIndex(t.Name(), "/")+1:], took.Seconds(), err, seen.Hangs, seen.Memory, seen.Blank, seen.Moved, len(seen.Errors), strings.Join(seen.Errors, "|"), h.asked, c.threads)
	return h, err
}

func bounded(t *testing.T, s trial.Seen) {
	t.Helper()
	if len(s.Errors) > trial.MostEntries || len(s.Failed) > trial.MostEntries || len(s.Elsewhere) > trial.MostEntries || len(s.Shot) > mostShot {
		t.Errorf("%d errors, %d requests, %d hosts, a picture of %d bytes", len(s.Errors), len(s.Failed), len(s.Elsewhere), len(s.Shot))
	}
	texts := slices.Concat(s.Errors, s.Elsewhere)
	for _, f := range s.Failed {
		texts = append(texts, f.Path)
	}
	for _, text := range texts {
		if len(text) > trial.MostText || text != plainText(text, trial.MostText) {
			t.Errorf("it is told that %.100q", text)
		}
	}
}

// TestSoakARudePageGetsNothing by any of the ways, each in an opening of its own.
func TestSoakARudePageGetsNothing(t *testing.T) {
	testenv.Unraced(t)
	for _, name := range slices.Sorted(maps.Keys(rude)) {
		t.Run(name, func(t *testing.T) {
			h, err := suffers(t, func(port int) string { return rudePage(port, name) }, usual())
			if err == nil && name != "closing itself" {
				expect.Equal(t, "that it was tried", h.tried[name], true)
			}
		})
	}
}

// TestAHeavyPageEnds in its time and without a trace.
func TestAHeavyPageEnds(t *testing.T) {
	testenv.Unraced(t)
	endsHeavy(t, "memory of buffers")
}

func TestSoakEveryHeavyPageEnds(t *testing.T) {
	testenv.Unraced(t)
	for _, name := range slices.Sorted(maps.Keys(heavy)) {
		t.Run(name, func(t *testing.T) { endsHeavy(t, name) })
	}
}

func endsHeavy(t *testing.T, name string) {
	t.Helper()
	suffers(t, func(port int) string { return fmt.Sprintf(before, port) + heavy[name] + "\n</script>" }, usual())
}

type answers http.HandlerFunc

func (a answers) ServeTrial(w http.ResponseWriter, r *http.Request, _ trial.Due) { a(w, r) }
