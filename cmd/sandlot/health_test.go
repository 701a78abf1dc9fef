package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestHealth(t *testing.T) {
	health := func(t *testing.T, env []string, args ...string) (code int, said string) {
		var out strings.Builder
		err := run(t.Context(), append([]string{"health"}, args...), env, &out, &out)
		if err == nil {
			return 0, out.String()
		}
		return exitCode(err), err.Error()
	}

	t.Run("of a service that is ready is 0, by its settings alone", func(t *testing.T) {
		s := testenv.Start(t, testenv.Binary(t), "--metrics-listen=127.0.0.1:0")
		code, said := health(t, []string{"SANDLOT_LISTEN=" + strings.Replace(s.Addr(), "127.0.0.1", "", 1)})
		expect.Equal(t, "code", code, 0)
		expect.Equal(t, "answer", said, "ok\n")
		s.Kill(t)
		code, said = health(t, nil, "--listen="+s.Addr())
		expect.Equal(t, "code when it is gone", code, 1)
		if !strings.Contains(said, "connection refused") {
			t.Error(said)
		}
	})
	t.Run("of one that is not ready is 1, with its reason", func(t *testing.T) {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			expect.Equal(t, "path", r.URL.Path, "/readyz")
			plain(w, http.StatusServiceUnavailable, "not ready\nmissing: blobs\n")
		}))
		defer s.Close()
		code, said := health(t, nil, "--url="+s.URL+"/")
		expect.Equal(t, "code", code, 1)
		if !strings.HasSuffix(said, ": 503 Service Unavailable: not ready; missing: blobs") {
			t.Error(said)
		}
	})
	t.Run("asks the listener of the metrics if there is one, else by the name of the certificate", func(t *testing.T) {
		for want, c := range map[string]healthCommand{
			"http://localhost/readyz at :8080":            {Listen: ":8080"},
			"http://localhost/readyz at /run/s":           {Listen: "unix:/run/s"},
			"http://localhost/readyz at [::1]:9090":       {Listen: ":443", MetricsListen: "[::1]:9090", TLS: "auto"},
			"https://play.example.com/readyz at :443":     {Listen: ":443", TLS: "files", BaseURL: "https://play.example.com/"},
			"https://play.example.com/readyz at no other": {URL: "https://play.example.com", Listen: ":8080"},
		} {
			url, at, err := c.address()
			expect.OK(t, err)
			text := "no other"
			if at != nil {
				text = at.String()
			}
			expect.Equal(t, "address", url+" at "+text, want)
		}
	})
	t.Run("through a Unix socket", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "s")
		l, err := net.Listen("unix", path)
		expect.OK(t, err)
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "ok\n") }))
		s.Listener = l
		s.Start()
		defer s.Close()
		code, said := health(t, nil, "--listen=unix:"+path)
		expect.Equal(t, "code", code, 0)
		expect.Equal(t, "answer", said, "ok\n")
	})
	t.Run("through TLS with a certificate that the system does not know", func(t *testing.T) {
		dir := t.TempDir()
		certificate, key := certificateFiles(time.Now().Add(time.Hour), "localhost", "*.localhost")
		files := []string{filepath.Join(dir, "c.pem"), filepath.Join(dir, "k.pem")}
		expect.OK(t, os.WriteFile(files[0], []byte(certificate), 0o600))
		expect.OK(t, os.WriteFile(files[1], []byte(key), 0o600))
		s := testenv.Start(t, testenv.Binary(t), "--base-url=https://localhost", "--http-listen=none", "--tls=files", "--tls-cert="+files[0], "--tls-key="+files[1])
		_, port, err := net.SplitHostPort(s.Addr())
		expect.OK(t, err)
		code, said := health(t, nil, "--listen=:"+port, "--tls=files", "--base-url=https://localhost")
		expect.Equal(t, "code: "+said, code, 0)
		expect.Equal(t, "answer", said, "ok\n")
		code, said = health(t, nil, "--url=https://localhost:"+port)
		expect.Equal(t, "code for a URL, whose certificate counts", code, 1)
		expect.Contains(t, "the error", said, "certificate")
	})
	t.Run("of settings without a port is a wrong call", func(t *testing.T) {
		for listen, want := range map[string]string{
			"127.0.0.1:0": "--listen 127.0.0.1:0 names no port to ask: set --url", "nowhere": `--listen "nowhere" is not HOST:PORT`,
		} {
			code, said := health(t, nil, "--listen="+listen)
			expect.Equal(t, "code", code, 2)
			expect.Contains(t, "sentence", said, want)
		}
	})
}
