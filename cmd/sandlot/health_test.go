package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

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
	t.Run("asks the listener of the metrics if there is one", func(t *testing.T) {
		for want, c := range map[string]healthCommand{
			"http://localhost:8080/readyz":    {Listen: ":8080"},
			"http://localhost:80/readyz":      {Listen: "0.0.0.0:80"},
			"http://localhost:81/readyz":      {Listen: "[::]:81"},
			"http://10.0.0.7:8080/readyz":     {Listen: "10.0.0.7:8080"},
			"http://[::1]:9090/readyz":        {Listen: ":8080", MetricsListen: "[::1]:9090"},
			"https://play.example.com/readyz": {URL: "https://play.example.com", Listen: ":8080"},
		} {
			got, err := c.address()
			expect.OK(t, err)
			expect.Equal(t, "address", got, want)
		}
	})
	t.Run("of settings without a port is a wrong call", func(t *testing.T) {
		for _, listen := range []string{"127.0.0.1:0", "nowhere"} {
			code, said := health(t, nil, "--listen="+listen)
			expect.Equal(t, "code", code, 2)
			expect.Equal(t, "sentence", said, "--listen "+listen+" names no port to ask: set --url")
		}
	})
}
