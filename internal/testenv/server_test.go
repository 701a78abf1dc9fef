package testenv

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sandlot/internal/expect"
)

func startFake(t *testing.T, args ...string) *Server {
	t.Helper()
	self, err := os.Executable()
	expect.OK(t, err)
	return Start(t, self, args...)
}

func get(t *testing.T, c *http.Client, url string) string {
	t.Helper()
	resp, err := c.Get(url)
	expect.OK(t, err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	expect.OK(t, err)
	return string(b)
}

func TestStart(t *testing.T) {
	t.Run("reads the address from a text log", func(t *testing.T) {
		s := startFake(t)
		if got := get(t, http.DefaultClient, s.URL()+"/"); !strings.HasPrefix(got, s.Addr()) {
			t.Errorf("got %q from %s", got, s.URL())
		}
	})
	t.Run("reads the address from a JSON log", func(t *testing.T) {
		s := startFake(t, "--fake-json")
		if got := get(t, http.DefaultClient, s.URL()+"/"); !strings.HasPrefix(got, s.Addr()) {
			t.Errorf("got %q from %s", got, s.URL())
		}
	})
	t.Run("the client reaches the server by any host", func(t *testing.T) {
		s := startFake(t)
		if got, want := get(t, s.Client(), "http://maze-123abc.example.test/"), `maze-123abc.example.test ""`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
	t.Run("the program sees none of the caller's variables", func(t *testing.T) {
		t.Setenv("SANDLOT_BASE_URL", "http://elsewhere.test")
		if got, want := get(t, startFake(t).Client(), "http://a.test/"), `a.test ""`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
	t.Run("arguments that name the data folder replace the default", func(t *testing.T) {
		dir := t.TempDir()
		s := startFake(t, "--data", dir)
		lines(t, filepath.Join(dir, "starts"))
		expect.Equal(t, "Data is", s.Data(), "")
	})
	t.Run("a program that ends instead of listening fails the test", func(t *testing.T) {
		self, err := os.Executable()
		expect.OK(t, err)
		got := outcome(t, t.Name(), func(tb testing.TB) { Start(tb, self, "--fake-broken") })
		if want := "failed: the server ended instead of listening: exit status 1"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
	t.Run("a program that is not there fails the test", func(t *testing.T) {
		got := outcome(t, t.Name(), func(tb testing.TB) { Start(tb, filepath.Join(t.TempDir(), "none")) })
		if !strings.HasPrefix(got, "failed: start the server") {
			t.Errorf("got %q", got)
		}
	})
}

func TestStop(t *testing.T) {
	t.Run("returns the exit code, and the logs are complete", func(t *testing.T) {
		s := startFake(t, "--fake-status")
		expect.Equal(t, "exit code", s.Stop(t), 3)
		if !strings.Contains(s.Logs(), "msg=stopped") {
			t.Errorf("the logs lack the last line:\n%s", s.Logs())
		}
	})
	t.Run("a server that has ended fails the test", func(t *testing.T) {
		s := startFake(t)
		s.Kill(t)
		if got := outcome(t, t.Name(), func(tb testing.TB) { s.Stop(tb) }); !strings.HasPrefix(got, "failed: stop the server") {
			t.Errorf("got %q", got)
		}
	})
}

func TestKill(t *testing.T) {
	t.Run("leaves no time to stop, and may be repeated", func(t *testing.T) {
		s := startFake(t)
		s.Kill(t)
		s.Kill(t)
		if strings.Contains(s.Logs(), "msg=stopped") {
			t.Errorf("the server stopped by itself:\n%s", s.Logs())
		}
		if _, err := s.Client().Get(s.URL()); err == nil {
			t.Error("the server still answers")
		}
	})
}

func TestRestart(t *testing.T) {
	t.Run("runs again on the same data folder", func(t *testing.T) {
		s := startFake(t)
		s.Kill(t)
		s.Restart(t)
		s.Restart(t)
		expect.Equal(t, "starts", len(lines(t, filepath.Join(s.Data(), "starts"))), 3)
		if got, want := get(t, s.Client(), "http://a.test/"), `a.test ""`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

func TestLogs(t *testing.T) {
	t.Run("warnings are what is not usual", func(t *testing.T) {
		usual := "time=1 level=INFO msg=request path=/\n"
		expect.Equal(t, "warnings", warnings(usual+"time=2 level=WARN msg=late\n"+usual+"panic: no\n"+usual), "time=2 level=WARN msg=late\npanic: no\n")
	})
	t.Run("a listening line in pieces is found", func(t *testing.T) {
		l := newLogs()
		for _, piece := range []string{"time=1 msg=opening addr=x:1\ntime=2 msg=list", "ening addr=127.0.", "0.1:80\nmore"} {
			if n, err := l.Write([]byte(piece)); n != len(piece) || err != nil {
				t.Fatalf("Write: %d, %v", n, err)
			}
		}
		expect.Equal(t, "address", <-l.found, "127.0.0.1:80")
	})
	t.Run("output beyond the limit is dropped, not refused", func(t *testing.T) {
		l := newLogs()
		l.all.Write(make([]byte, maxLogs-3))
		if n, err := l.Write([]byte("abcdef")); n != 6 || err != nil {
			t.Fatalf("Write: %d, %v", n, err)
		}
		if got := l.String(); len(got) != maxLogs || !strings.HasSuffix(got, "\x00abc") {
			t.Errorf("%d bytes are kept", len(got))
		}
	})
}
