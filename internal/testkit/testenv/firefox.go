package testenv

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/websocket"
)

// bidiLimit is how long a command to Firefox may take: to open a page on a machine that is busy.
const bidiLimit = time.Minute

// A Bidi is a Firefox that is controlled by WebDriver BiDi. Its methods are for one goroutine.
type Bidi struct {
	tb     testing.TB
	socket *websocket.Conn
	calls  int
	heard  chan bidiAnswer
}

type bidiAnswer struct {
	Type    string          `json:"type"`
	ID      int             `json:"id"`
	Result  json.RawMessage `json:"result"`
	Error   string          `json:"error"`
	Message string          `json:"message"`
}

// alone keeps Firefox to this machine: what is not at a loopback address goes to a proxy that nobody runs.
const alone = `user_pref("network.proxy.type", 1);
user_pref("network.proxy.http", "127.0.0.1");
user_pref("network.proxy.http_port", 9);
user_pref("network.proxy.ssl", "127.0.0.1");
user_pref("network.proxy.ssl_port", 9);
user_pref("network.proxy.no_proxies_on", "localhost, .localhost, 127.0.0.1");
user_pref("app.update.disabledForTesting", true);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.startup.homepage_override.mstone", "ignore");
`

// Firefox starts Debian's with a profile of its own that has these preferences, as in user.js. It ends with the test.
func Firefox(tb testing.TB, preferences string) *Bidi {
	tb.Helper()
	Need(tb, "firefox-esr")
	home := tb.TempDir()
	if err := os.WriteFile(filepath.Join(home, "user.js"), []byte(alone+preferences), 0o600); err != nil {
		tb.Fatal(err)
	}
	const origin = "http://localhost"
	cmd := exec.Command("firefox-esr", "--headless", "--no-remote", "--profile", home, "--remote-debugging-port", "0",
		"--remote-allow-origins", origin)
	// It refuses a home that is somebody else's.
	cmd.Env = append(os.Environ(), "HOME="+home, "MOZ_CRASHREPORTER_DISABLE=1")
	said, err := cmd.StderrPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	socket, err := websocket.Dial(awaitFirefox(tb, said)+"/session", "", origin)
	if err != nil {
		tb.Fatal(err)
	}
	b := &Bidi{tb: tb, socket: socket, heard: make(chan bidiAnswer)}
	stopped := make(chan struct{})
	go b.listen(stopped)
	tb.Cleanup(func() {
		b.end()
		_ = socket.Close()
		<-stopped
	})
	b.must("session.new", map[string]any{"capabilities": map[string]any{}}, nil)
	return b
}

// awaitFirefox returns the address that the browser says it listens at. What it says later is read and dropped.
func awaitFirefox(tb testing.TB, said io.Reader) string {
	tb.Helper()
	found := make(chan string, 1)
	go func() {
		defer close(found)
		lines := bufio.NewScanner(said)
		for lines.Scan() {
			if _, address, ok := strings.Cut(lines.Text(), "WebDriver BiDi listening on "); ok {
				found <- address
				break
			}
		}
		_, _ = io.Copy(io.Discard, said)
	}()
	select {
	case address := <-found:
		if address != "" {
			return address
		}
		tb.Fatal("Firefox ended without listening")
	case <-time.After(startWait):
		tb.Fatal("Firefox does not listen")
	}
	return ""
}

// listen reads answers until the connection ends.
func (b *Bidi) listen(stopped chan<- struct{}) {
	defer close(stopped)
	defer close(b.heard)
	for {
		var m bidiAnswer
		if websocket.JSON.Receive(b.socket, &m) != nil {
			return
		}
		if m.Type != "event" {
			b.heard <- m
		}
	}
}

// Call sends a command and reads its result into a value, unless that is nil.
func (b *Bidi) Call(method string, params map[string]any, into any) error {
	b.calls++
	if err := websocket.JSON.Send(b.socket, map[string]any{"id": b.calls, "method": method, "params": params}); err != nil {
		return err
	}
	late := time.After(bidiLimit)
	for {
		select {
		case m, ok := <-b.heard:
			switch {
			case !ok:
				return fmt.Errorf("%s: Firefox has gone", method)
			case m.ID != b.calls: // to a call that was given up
				continue
			case m.Error != "":
				return fmt.Errorf("%s: %s: %s", method, m.Error, m.Message)
			case into == nil:
				return nil
			}
			return json.Unmarshal(m.Result, into)
		case <-late:
			return fmt.Errorf("%s: no answer in %v", method, bidiLimit)
		}
	}
}

func (b *Bidi) must(method string, params map[string]any, into any) {
	b.tb.Helper()
	if err := b.Call(method, params, into); err != nil {
		b.tb.Fatal(err)
	}
}

// end asks the browser to close, so that all its processes do.
func (b *Bidi) end() { _ = b.Call("browser.close", map[string]any{}, nil) }
