package main

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// serveUnit is the command of a unit that serves on passed sockets.
func serveUnit(t *testing.T, args ...string) []string {
	return append([]string{testenv.Binary(t), "serve", "--data", t.TempDir(), "--base-url", "http://localhost:8080"}, args...)
}

func getStatus(t *testing.T, c *http.Client, url string) int {
	t.Helper()
	resp, err := c.Get(url)
	expect.OK(t, err)
	resp.Body.Close()
	return resp.StatusCode
}

// TestPassedSocketsAreServedByTheirNames: systemd passes http and metrics, and connections that waited are answered.
func TestPassedSocketsAreServedByTheirNames(t *testing.T) {
	t.Parallel()
	u := testenv.Supervise(t, testenv.Unit{
		ExecStart: serveUnit(t, "--listen", "127.0.0.1:1"),
		Sockets:   map[string]string{"http": "127.0.0.1:0", "metrics": "127.0.0.1:0"},
	})
	early := make(chan int)
	go func() { early <- getStatus(t, clientOf("tcp", u.Addr("http")), "http://localhost/healthz") }()
	u.Start(t)
	expect.Equal(t, "a client that connected before the start", <-early, 200)
	expect.Equal(t, "metrics on the socket metrics", getStatus(t, clientOf("tcp", u.Addr("metrics")), "http://localhost/metrics"), 200)
	expect.Equal(t, "metrics on the socket http", getStatus(t, clientOf("tcp", u.Addr("http")), "http://localhost/metrics"), 404)
	if !strings.Contains(u.Logs(), "msg=listening addr="+u.Addr("http")) {
		t.Error("the log does not say where it listens")
	}
}

// TestPassedSocketsOfTLS: https is encrypted, and http redirects to it.
func TestPassedSocketsOfTLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	certificate, key := certificateFiles(time.Now().Add(time.Hour), "localhost", "*.localhost")
	expect.OK(t, os.WriteFile(filepath.Join(dir, "c.pem"), []byte(certificate), 0o600))
	expect.OK(t, os.WriteFile(filepath.Join(dir, "k.pem"), []byte(key), 0o600))
	u := testenv.Supervise(t, testenv.Unit{
		ExecStart: serveUnit(t, "--base-url", "https://localhost", "--tls", "files",
			"--tls-cert", filepath.Join(dir, "c.pem"), "--tls-key", filepath.Join(dir, "k.pem")),
		Sockets: map[string]string{"http": "127.0.0.1:0", "https": "127.0.0.1:0"},
	})
	u.Start(t)
	secure := clientOf("tcp", u.Addr("https"))
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(certificate))
	secure.Transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: roots}
	expect.Equal(t, "the socket https", getStatus(t, secure, "https://localhost/healthz"), 200)
	plain := clientOf("tcp", u.Addr("http"))
	plain.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	expect.Equal(t, "the socket http", getStatus(t, plain, "http://localhost/healthz"), 308)
}

// TestASingleSocketNeedsNoName: systemd calls it by its unit then.
func TestASingleSocketNeedsNoName(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	u := testenv.Supervise(t, testenv.Unit{ExecStart: serveUnit(t), Sockets: map[string]string{"sandlot.socket": path}})
	u.Start(t)
	expect.Equal(t, "through the Unix socket", getStatus(t, clientOf("unix", path), "http://localhost/healthz"), 200)
}

// TestWrongSocketsAreRefused with a sentence that says what to change, before anything is opened.
func TestWrongSocketsAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sockets map[string]string
		says    string
	}{
		"a name that nobody knows":  {map[string]string{"http": "127.0.0.1:0", "web": "127.0.0.1:0"}, "set FileDescriptorName=http, https or metrics"},
		"one that settings exclude": {map[string]string{"http": "127.0.0.1:0", "https": "127.0.0.1:0"}, "a socket named https that these settings have no use for"},
	} {
		t.Run(name, func(t *testing.T) {
			u := testenv.Supervise(t, testenv.Unit{ExecStart: serveUnit(t), Sockets: c.sockets})
			u.Run(t)
			expect.Equal(t, "exit code", u.Wait(t), 2)
			if !strings.Contains(u.Logs(), c.says) {
				t.Errorf("it says %s", u.Logs())
			}
		})
	}
	datagrams, err := net.ListenPacket("udp", "127.0.0.1:0")
	expect.OK(t, err)
	defer datagrams.Close()
	udp, err := datagrams.(*net.UDPConn).File()
	expect.OK(t, err)
	file, err := os.Open(os.DevNull)
	expect.OK(t, err)
	stream, err := net.Listen("tcp", "127.0.0.1:0")
	expect.OK(t, err)
	defer stream.Close()
	tcp, err := stream.(*net.TCPListener).File()
	expect.OK(t, err)
	for name, c := range map[string]struct {
		files []*os.File
		names string
		says  string
	}{
		"a socket for datagrams":   {[]*os.File{udp}, "http", "accepts no connections: use ListenStream="},
		"a file":                   {[]*os.File{file}, "http", "accepts no connections: use ListenStream="},
		"two of one name":          {[]*os.File{tcp, tcp}, "http:http", `two sockets named "http": keep one ListenStream=`},
		"fewer than LISTEN_FDS":    {[]*os.File{tcp}, "http:metrics", "accepts no connections"},
		"several, and none a name": {[]*os.File{tcp, tcp}, "", "set FileDescriptorName=http, https or metrics"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command("/bin/sh", append([]string{"-c", `LISTEN_PID=$$ exec "$@"`, "sh"}, serveUnit(t)...)...)
			cmd.ExtraFiles = c.files
			cmd.Env = append(os.Environ(), "LISTEN_FDNAMES="+c.names, "LISTEN_FDS="+map[bool]string{true: "2", false: "1"}[strings.Contains(c.names, ":") || len(c.files) > 1])
			out, _ := cmd.CombinedOutput()
			if cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), c.says) {
				t.Errorf("%v: %s", cmd.ProcessState, out)
			}
		})
	}
}
