package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/chromedp/chromedp"

	"sandlot/internal/domain/trial"
)

// Size of the window.
const (
	width  = trial.ViewWidth
	height = trial.ViewHeight
)

// answer reads an order, carries it out, and sends the report.
func answer(ctx context.Context, conn io.ReadWriter) error {
	var todo order
	if err := json.NewDecoder(conn).Decode(&todo); err != nil {
		return fmt.Errorf("no order: %w", err)
	}
	go endWith(conn)
	r, err := open(ctx, todo)
	if err != nil {
		r = report{Failed: clip(err.Error(), mostReason)}
	}
	return send(conn, r)
}

// endWith ends this process when the server's process has closed its end, for any reason: without it nothing watches
// time and memory. All processes in the namespace end with it.
func endWith(conn io.Reader) {
	_, _ = conn.Read(make([]byte, 1)) // the server sends nothing after the order
	os.Exit(1)
}

// open starts the browser, and plays with the page.
func open(ctx context.Context, todo order) (r report, err error) {
	said := &tail{}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // the browser ends with its namespaces in any case: nobody waits for one that hangs
	ctx, _ = chromedp.NewExecAllocator(ctx, options(todo, said)...)
	ctx, _ = chromedp.NewContext(ctx)
	if err := chromedp.Do(ctx); err != nil {
		return r, fmt.Errorf("start %s: %w: %s", todo.Browser, err, said)
	}
	if todo.URL == "" {
		return r, nil
	}
	s := newSession(ctx, todo.Times)
	s.fields.home, _, _ = strings.Cut(strings.TrimPrefix(todo.URL, "http://"), ".")
	if err := s.prepare(); err != nil {
		return r, err
	}
	play := s.play
	if todo.Script != nil {
		play = s.perform
	}
	if err := play(todo); err != nil {
		return r, err
	}
	return s.report(), nil
}

// options returns the browser's command line. Its own sandbox stays on: there is no --no-sandbox here, and the browser
// would not be root in any case.
func options(todo order, said io.Writer) []chromedp.ExecAllocatorOption {
	flags := map[string]any{
		"proxy-server": fmt.Sprintf("http://127.0.0.1:%d", proxyPort), "proxy-bypass-list": "<-loopback>", // loopback as well
		"host-resolver-rules":             "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", // names are for the proxy
		"force-webrtc-ip-handling-policy": "disable_non_proxied_udp",
		"webrtc-ip-handling-policy":       "disable_non_proxied_udp",
		"disable-features": "Translate,MediaRouter,OptimizationHints,AutofillServerCommunication,DialMediaRouteProvider," +
			"CertificateTransparencyComponentUpdater,WebRtcHideLocalIpsWithMdns,WebUSB,WebBluetooth,PaymentRequest",
		"autoplay-policy": "no-user-gesture-required",
		"use-gl":          "angle", "use-angle": "swiftshader", // games draw with WebGL, and there is no graphics card
		"disable-gpu-compositing": true, // pages and flat canvases are drawn faster without it, and its process hoards their frames
		"disk-cache-size":         "1", "js-flags": "--max-old-space-size=256", "renderer-process-limit": "4",
		"force-device-scale-factor": "1", "window-size": fmt.Sprintf("%d,%d", width, height), "user-data-dir": "/tmp/profile",
	}
	const off = "no-sandbox disable-popup-blocking disable-ipc-flooding-protection disable-dev-shm-usage disable-hang-monitor"
	const on = "block-new-web-contents deny-permission-prompts disable-background-networking disable-breakpad " +
		"disable-client-side-phishing-detection disable-component-update disable-crash-reporter disable-domain-reliability " +
		"disable-notifications disable-print-preview disable-quic disable-speech-api enable-unsafe-swiftshader " +
		"hide-scrollbars mute-audio"
	for _, name := range strings.Fields(off) {
		flags[name] = false
	}
	for _, name := range strings.Fields(on) {
		flags[name] = true
	}
	all := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(todo.Browser), chromedp.CombinedOutput(said))
	for name, value := range flags {
		all = append(all, chromedp.Flag(name, value))
	}
	return all
}
