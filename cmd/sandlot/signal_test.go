package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/client/client"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
	"sandlot/internal/transport/play/front"
)

// TestFault31Hangup: the end of the terminal is a stop like any other, except under nohup.
func TestFault31Hangup(t *testing.T) {
	t.Parallel()
	t.Run("under nohup it goes on", func(t *testing.T) {
		p := startPiped(t, "nohup", testenv.Binary(t))
		expect.OK(t, p.cmd.Process.Signal(syscall.SIGHUP))
		p.answers(t)
	})
}

// TestFault31NobodyReadsTheLog: a log that nobody reads any more does not end the service.
func TestFault31NobodyReadsTheLog(t *testing.T) {
	t.Parallel()
	p := startPiped(t, testenv.Binary(t))
	p.log.Close()
	for end := time.Now().Add(5 * heldTime); time.Now().Before(end); {
		p.answers(t)
	}
}

// piped is a server whose log goes into a pipe.
type piped struct {
	cmd  *exec.Cmd
	log  io.Closer
	addr string
}

func startPiped(t *testing.T, command ...string) *piped {
	t.Helper()
	r, w, err := os.Pipe()
	expect.OK(t, err)
	t.Cleanup(func() { r.Close() })
	p := &piped{cmd: exec.Command(command[0], append(command[1:], "serve", "--listen", "127.0.0.1:0", "--data", t.TempDir())...), log: r}
	p.cmd.Stdout, p.cmd.Stderr = w, w
	expect.OK(t, p.cmd.Start())
	w.Close()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill() // the only error is that it has ended
		_ = p.cmd.Wait()
	})
	listening := regexp.MustCompile(`msg=listening addr=(\S+)`)
	for lines := bufio.NewScanner(r); lines.Scan(); {
		if m := listening.FindStringSubmatch(lines.Text()); m != nil {
			p.addr = m[1]
			return p
		}
	}
	t.Fatal("the server does not say where it listens")
	return nil
}

// answers makes a publish and fails the test if it is not acknowledged.
func (p *piped) answers(t *testing.T) {
	t.Helper()
	c := client.Client{Base: &url.URL{Scheme: "http", Host: p.addr}}
	if _, err := c.Signup(t.Context(), client.Fields{}); err != nil {
		t.Errorf("signup: %v", err)
	}
}

// TestFault31Panic: a fault of the program is a 500 of one request, counted; the others on the same connections do not notice.
func TestFault31Panic(t *testing.T) {
	t.Parallel()
	places := sandlot.Places{Base: &url.URL{Scheme: "http", Host: "localhost"}, Content: "localhost", PathForm: true}
	a, err := openApp(context.Background(), settings{storage: storage{Data: t.TempDir()}, CacheSize: 1 << 20}, places, slog.New(slog.DiscardHandler))
	expect.OK(t, err)
	t.Cleanup(func() {
		if err := a.close(); err != nil {
			t.Error(err)
		}
	})
	router := a.router(newMetrics(true))
	sound := router.api
	router.api = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/panic":
			panic("a fault")
		case "/v1/late":
			_, _ = io.WriteString(w, "half an ans")
			panic("a fault")
		}
		sound.ServeHTTP(w, r)
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	expect.OK(t, err)
	server := newServer(router, slog.New(slog.DiscardHandler))
	direct := front.NewListener(l, front.Config{Handler: router, Idle: time.Minute})
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(direct) }()
	t.Cleanup(func() {
		server.Close()
		<-ended
	})
	get := func(path string) (*http.Response, string) {
		return raw(t, l.Addr().String(), "GET "+path+" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
	}
	if resp, body := get("/v1/panic"); resp.StatusCode != 500 || !strings.Contains(body, `"error":"internal"`) || strings.Contains(body, "a fault") {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	conn, err := net.Dial("tcp", l.Addr().String())
	expect.OK(t, err)
	defer conn.Close()
	fmt.Fprint(conn, "GET /v1/late HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if whole, err := http.ReadResponse(bufio.NewReader(conn), nil); err == nil {
		if body, err := io.ReadAll(whole.Body); err == nil {
			t.Errorf("a broken answer looks whole: %q", body)
		}
	}
	if resp, _ := get("/healthz"); resp.StatusCode != 200 {
		t.Errorf("afterwards: %d", resp.StatusCode)
	}
	if _, metrics := get("/metrics"); !strings.Contains(metrics, "sandlot_panics_total 2") {
		t.Error("the panics are not counted")
	}
}
