package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestAUnixSocket: its peer is a proxy whose word is taken, and a program of this machine where it passes nothing on.
func TestAUnixSocket(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	testenv.Start(t, testenv.Binary(t), "--listen", "unix:"+path, "--base-url", "https://play.example.com", "--content-host", "example.net", "--limits", "strict")
	c := clientOf("unix", path)
	signup := func(forwarded string) int {
		r, err := http.NewRequest(http.MethodPost, "http://play.example.com/v1/signup", strings.NewReader("{}"))
		expect.OK(t, err)
		if forwarded != "" {
			r.Header.Set("X-Forwarded-For", forwarded)
		}
		resp, err := c.Do(r)
		expect.OK(t, err)
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		return resp.StatusCode
	}
	for range 5 {
		expect.Equal(t, "a signup of one visitor", signup("203.0.113.9"), 201)
	}
	expect.Equal(t, "one more of that visitor", signup("203.0.113.9"), 429)
	expect.Equal(t, "another visitor", signup("203.0.113.10"), 201)
	for range 7 {
		expect.Equal(t, "a program of this machine", signup(""), 201)
	}
}

// TestAUnixSocketThatCannotBeListenedOn is refused with a sentence that says what to set.
func TestAUnixSocketThatCannotBeListenedOn(t *testing.T) {
	t.Parallel()
	taken := filepath.Join(t.TempDir(), "file")
	expect.OK(t, os.WriteFile(taken, nil, 0o600))
	base, content := "--base-url=https://play.example.com", "--content-host=example.net"
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"without a base-url":            {[]string{"--listen=unix:/run/x.sock"}, 2, "--listen unix:/run/x.sock has no port for links: set --base-url"},
		"one that is too long":          {[]string{"--listen=unix:/" + strings.Repeat("x", 200), base, content}, 2, "choose a shorter one"},
		"one without a path":            {[]string{"--listen=unix:", base, content}, 2, "names no path, such as unix:/run/"},
		"the same for the metrics":      {[]string{"--listen=unix:/x", "--metrics-listen=unix:/x", base, content}, 2, "is taken by --listen"},
		"another file":                  {[]string{"--listen=unix:" + taken, base, content}, 1, "there is another file with that name (choose another address with --listen)"},
		"in a folder that is not there": {[]string{"--listen=unix:/nowhere/x", base, content}, 1, "cannot listen on /nowhere/x: "},
	} {
		t.Run(name, func(t *testing.T) {
			o := configuration{args: c.args}.try(t, "serve")
			if o.code != c.code || !strings.Contains(o.sentence, c.says) {
				t.Errorf("%d %s", o.code, o.sentence)
			}
		})
	}
}
