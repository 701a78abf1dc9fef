package testenv

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func startFake(t *testing.T, args ...string) *Server {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Start(t, self, args...)
}

func get(t *testing.T, c *http.Client, url string) string {
	t.Helper()
	resp, err := c.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
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
		if s.Data() != "" {
			t.Errorf("Data is %q", s.Data())
		}
	})
	t.Run("a program that ends instead of listening fails the test", func(t *testing.T) {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
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
		if got := s.Stop(t); got != 3 {
			t.Errorf("exit code %d, want 3", got)
		}
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
		if got := len(lines(t, filepath.Join(s.Data(), "starts"))); got != 3 {
			t.Errorf("%d starts, want 3", got)
		}
		if got, want := get(t, s.Client(), "http://a.test/"), `a.test ""`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

func TestLogs(t *testing.T) {
	t.Run("a listening line in pieces is found", func(t *testing.T) {
		l := newLogs()
		for _, piece := range []string{"time=1 msg=opening addr=x:1\ntime=2 msg=list", "ening addr=127.0.", "0.1:80\nmore"} {
			if n, err := l.Write([]byte(piece)); n != len(piece) || err != nil {
				t.Fatalf("Write: %d, %v", n, err)
			}
		}
		if got := <-l.found; got != "127.0.0.1:80" {
			t.Errorf("address %q", got)
		}
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
