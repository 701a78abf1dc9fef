package browser

import (
	"context"
	"encoding/json"
	"fmt"
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

// targets are what a page has no business with: this machine under all its names, networks of other people, the service that clouds
// have, a name that somebody's DNS leads anywhere, another project, the website, and the browser itself.
var targets = []string{
	"127.0.0.1", "127.9.9.9", "localhost", "app.localhost", "[::1]", "[::ffff:127.0.0.1]", "[::]", "0.0.0.0", "2130706433", "0x7f000001", "0177.0.0.1", "127.1",
	"10.0.0.1", "172.16.0.1", "192.168.0.1", "169.254.169.254", "[fe80::1]", "[fd00::1]", "[ff02::fb]", "224.0.0.251", "8.8.8.8",
	"rebind.example", "metadata.google.internal", "other.localhost", "localhost.", "pong.localhost.",
}

// transports are the ways by which a page asks for an address: what is run with the address's host, the port of this way, and out, which
// reports a success that the page itself can see.
var transports = map[string]string{
	"fetch":                 "fetch(`http://${to}:${port}/`, { mode: 'no-cors' })",
	"fetch with TLS":        "fetch(`https://${to}:${port}/`, { mode: 'no-cors' })",
	"a request that reads":  "const r = await fetch(`http://${to}:${port}/`); out()",
	"XMLHttpRequest":        "const x = new XMLHttpRequest(); x.open('POST', `http://${to}:${port}/`); x.onload = out; x.send('x')",
	"WebSocket":             "new WebSocket(`ws://${to}:${port}/`).onopen = out",
	"WebSocket with TLS":    "new WebSocket(`wss://${to}:${port}/`).onopen = out",
	"EventSource":           "new EventSource(`http://${to}:${port}/`).onopen = out",
	"WebTransport":          "const w = new WebTransport(`https://${to}:${port}/`); w.ready.then(out, () => 0); w.closed.catch(() => 0)",
	"WebRTC with STUN":      "rtc({ urls: `stun:${to}:${port}` }, out)",
	"WebRTC with TURN":      "rtc({ urls: `turn:${to}:${port}?transport=tcp`, username: 'a', credential: 'b' }, out); rtc({ urls: `turn:${to}:${port}?transport=udp`, username: 'a', credential: 'b' }, out)",
	"WebRTC to a candidate": "candidate(to, port)",
	"sendBeacon":            "navigator.sendBeacon(`http://${to}:${port}/`, 'x')",
	"a picture":             "const i = new Image(); i.onload = out; i.src = `http://${to}:${port}/a.png`",
	"a script":              "add('script', { src: `http://${to}:${port}/a.js`, onload: out })",
	"a style sheet":         "add('link', { rel: 'stylesheet', href: `http://${to}:${port}/a.css`, onload: out })",
	"a frame":               "add('iframe', { src: `http://${to}:${port}/` })",
	"a form":                "const f = add('iframe', { name: 'f' + Math.random() }); const form = add('form', { method: 'post', action: `http://${to}:${port}/`, target: f.name }); form.submit()",
	"a ping":                "const a = add('a', { href: '#', ping: `http://${to}:${port}/` }); a.click()",
	"prefetch":              "add('link', { rel: 'prefetch', href: `http://${to}:${port}/` }); add('link', { rel: 'preload', as: 'fetch', href: `http://${to}:${port}/` })",
	"preconnect":            "add('link', { rel: 'preconnect', href: `http://${to}:${port}/` }); add('link', { rel: 'dns-prefetch', href: `http://${to}:${port}/` })",
	"prerender":             "add('script', { type: 'speculationrules', textContent: JSON.stringify({ prerender: [{ urls: [`http://${to}:${port}/`] }] }) })",
	"a worker":              "new Worker(URL.createObjectURL(new Blob([`fetch('http://${to}:${port}/', { mode: 'no-cors' }).catch(() => 0); new WebSocket('ws://${to}:${port}/')`])))",
	"a service worker":      "(await navigator.serviceWorker.ready).active.postMessage([to, port])",
	"a redirect":            "fetch(`/away?${encodeURIComponent(`http://${to}:${port}/`)}`, { mode: 'no-cors' })",
	"a redirected frame":    "add('iframe', { src: `/away?${encodeURIComponent(`http://${to}:${port}/`)}` })",
}

// ahead is what the ways have in common.
const ahead = `<!doctype html><title>away</title><body><h1>away</h1><script>
const add = (name, all) => document.body.appendChild(Object.assign(document.createElement(name), all))
const connections = []
function rtc(server, out) {
  const c = new RTCPeerConnection({ iceServers: [server] }); connections.push(c); c.createDataChannel('x')
  c.onicecandidate = e => { if (e.candidate && /typ (srflx|relay)/.test(e.candidate.candidate)) out() }
  c.createOffer().then(o => c.setLocalDescription(o))
}
async function candidate(to, port) {
  const a = new RTCPeerConnection(), b = new RTCPeerConnection(); connections.push(a, b); a.createDataChannel('x')
  await a.setLocalDescription(await a.createOffer()); await b.setRemoteDescription(a.localDescription)
  await b.setLocalDescription(await b.createAnswer()); await a.setRemoteDescription(b.localDescription)
  for (const kind of ['udp', 'tcp']) await a.addIceCandidate({ sdpMid: '0', candidate: 'candidate:1 1 ' + kind + ' 2130706431 ' + to.replace(/[\[\]]/g, '') + ' ' + port + ' typ host' + (kind === 'tcp' ? ' tcptype passive' : '') })
}
navigator.serviceWorker?.register('/sw.js').catch(() => 0)
const tell = (what, way) => fetch('/' + what + '?' + encodeURIComponent(way))
async function run(way, port, go) {
  for (const to of targets) { try { const p = go(to, port, () => tell('out', way + ' to ' + to)); p?.catch?.(() => 0); await Promise.race([p, new Promise(r => setTimeout(r, 5))]) } catch {} }
  tell('tried', way)
}
`

const relay = `onactivate = e => e.waitUntil(clients.claim())
oninstall = () => skipWaiting()
onmessage = e => { const [to, port] = e.data; fetch('http://' + to + ':' + port + '/', { mode: 'no-cors' }).catch(() => 0); try { new WebSocket('ws://' + to + ':' + port + '/') } catch {} }`

// TestNoAddressCanBeReached: whatever a page asks for, in whatever way, no connection and no packet leaves the browser but to its
// proxy, neither to listeners in the worker's own network, where each address leads to one, nor to those of the machine.
func TestNoAddressCanBeReached(t *testing.T) {
	testenv.Unraced(t)
	ports, came := outside(t, len(transports))
	ctx, end := context.WithCancel(t.Context())
	defer end()
	var mu sync.Mutex
	tried, got := map[string]bool{}, map[string]string{}
	page, port := written(ports)
	origin := answers(func(w http.ResponseWriter, r *http.Request) {
		what, err := url.QueryUnescape(r.URL.RawQuery)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(page))
		case "/sw.js":
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = w.Write([]byte(relay))
		case "/away":
			w.Header().Set("Location", what)
			w.WriteHeader(http.StatusFound)
		case "/tried":
			if tried[what] = true; len(tried) == len(transports) {
				time.AfterFunc(time.Second, end) // by then what was asked for last would be under way
			}
		case "/out":
			way, to, _ := strings.Cut(what, " to ")
			got[way] += " " + to
		}
	})
	c := catch(t)
	long := patient()
	long.Play, long.Most = 3*time.Minute, 3*time.Minute
	_, err := sees(ctx, t, origin, &Browser{times: long, stage: stageOf(ports)})
	expect.Is(t, "the end when all was tried", err, context.Canceled)
	c.end(t)
	mu.Lock()
	defer mu.Unlock()
	for way := range transports {
		t.Run(way, func(t *testing.T) {
			expect.Equal(t, "that it was tried", tried[way], true)
			expect.Equal(t, "what the page says it reached", got[way], "")
			expect.Equal(t, "who came to it in the worker's network", c.inside[port[way]], 0)
			expect.Equal(t, "who came to it on the machine", came(port[way]), 0)
		})
	}
	for _, port := range known {
		expect.Equal(t, fmt.Sprintf("who came to port %d", port), c.inside[port], 0)
	}
	expect.Equal(t, "packets that were sent, to DNS or to whomever", c.sent, 0)
	expect.Equal(t, "that the trial was watched", len(c.pids) > 3, true)
}

// written is a page that tries all ways, and the port of each.
func written(ports []int) (page string, port map[string]int) {
	port = map[string]int{}
	all, err := json.Marshal(targets)
	if err != nil {
		panic(err) // texts always encode
	}
	var out strings.Builder
	out.WriteString(ahead + "const targets = " + string(all) + "\n")
	for _, way := range slices.Sorted(maps.Keys(transports)) {
		port[way] = ports[len(port)]
		fmt.Fprintf(&out, "run(%q, %d, async (to, port, out) => { %s })\n", way, port[way], transports[way])
	}
	return out.String() + "</script>", port
}

// TestATrapSeesWhoComes: what is not asked of the proxy would be seen.
func TestATrapSeesWhoComes(t *testing.T) {
	testenv.Unraced(t)
	ports, _ := outside(t, 1)
	c := catch(t)
	ctx, cancel := context.WithCancel(t.Context())
	opened := make(chan error, 1)
	go func() {
		b := &Browser{User: unprivileged(), Origin: files{}, times: times{Wall: time.Minute}, stage: stageOf(ports) + " walk"}
		_, err := b.Open(ctx, trial.Due{Project: "pong"})
		opened <- err
	}()
	seen := testenv.Poll(30*time.Second, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.inside[ports[0]] > 0 && c.inside[53] > 0 && c.sent > 0
	})
	cancel()
	expect.Is(t, "one that was broken off", <-opened, context.Canceled)
	expect.Equal(t, "that a connection and a packet were seen", seen, true)
	c.end(t)
}
