package browser

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"sandlot/internal/expect"
	"sandlot/internal/testenv"
	"sandlot/internal/trial"
)

// hostile tries all ways out at once, and says so under /out if one led anywhere.
const hostile = `<!doctype html><body><h1>hostile</h1><script>
const out = what => fetch('/out?' + what)
for (const to of ['http://127.0.0.1:%[1]d/', 'http://[::1]:%[1]d/', 'http://localhost:%[1]d/', 'http://0.0.0.0:%[1]d/', 'http://10.0.0.1/', 'http://192.168.0.1/', 'http://169.254.169.254/latest/meta-data/', 'https://example.com/', 'file:///etc/passwd', 'http://127.0.0.1:3128/'])
  fetch(to, { mode: 'no-cors' }).then(r => { if (r.type !== 'opaque') out(to) }, () => 0)
try { new WebSocket('ws://127.0.0.1:%[1]d/').onopen = () => out('websocket') } catch {}
try { const pc = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:%[1]d' }, { urls: 'turn:127.0.0.1:%[1]d?transport=tcp', username: 'a', credential: 'b' }] }); pc.createDataChannel('x'); pc.createOffer().then(o => pc.setLocalDescription(o)) } catch {}
navigator.serviceWorker?.register('/sw.js').catch(() => 0)
for (let i = 0; i < 200; i++) try { new Worker('/spin.js') } catch {}
setInterval(() => { open('http://127.0.0.1:%[1]d/'); open('about:blank') }, 50)
const a = document.createElement('a'); a.href = '/load.bin'; a.download = 'load.bin'; a.click()
const f = document.createElement('iframe'); f.src = 'file:///etc/passwd'; f.onload = () => { try { if (f.contentDocument.body.textContent.includes('root')) out('file') } catch {} }; document.body.append(f)
const d = document.createElement('img'); d.src = 'http://dns.example/x'; document.body.append(d)
setInterval(() => alert('again'), 10)
</script>`

// TestUnracedAHostilePageGetsNowhere: no way leads out of a trial, and its end is the end of all of it.
func TestUnracedAHostilePageGetsNowhere(t *testing.T) {
	testenv.Unraced(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	expect.OK(t, err)
	udp, err := net.ListenPacket("udp", l.Addr().String())
	expect.OK(t, err)
	var reached, told, ran atomic.Int64
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			reached.Add(1)
			_ = c.Close()
		}
	}()
	go func() {
		for {
			if _, _, err := udp.ReadFrom(make([]byte, 1500)); err != nil {
				return
			}
			reached.Add(1)
		}
	}()
	t.Cleanup(func() { _ = l.Close(); _ = udp.Close() })
	page := fmt.Sprintf(hostile, l.Addr().(*net.TCPAddr).Port)
	origin := answers(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/out":
			told.Add(1)
			t.Errorf("the page got out: %s", r.URL.RawQuery)
		case strings.HasSuffix(r.URL.Path, ".js"):
			ran.Add(1)
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = w.Write([]byte("setInterval(() => fetch('http://10.0.0.1/').catch(() => 0), 100)"))
		case r.URL.Path == "/":
			_, _ = w.Write([]byte(page))
		default:
			_, _ = w.Write(make([]byte, 1000))
		}
	})
	opens(t, origin, "http://pong.localhost:8080/", patient())
	expect.Equal(t, "connections and packets to a listener of the machine", reached.Load(), 0)
	expect.Equal(t, "the page ran", ran.Load() > 0, true)
	expect.Equal(t, "ways out", told.Load(), 0)
}

type answers http.HandlerFunc

func (a answers) ServeTrial(w http.ResponseWriter, r *http.Request, _ trial.Page) { a(w, r) }
