package testenv

import (
	"io"
	"net/http"
	"os"
	"testing"

	"sandlot/internal/testkit/expect"
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

func TestAProgramSeesNoneOfTheCallersVariables(t *testing.T) {
	t.Setenv("SANDLOT_BASE_URL", "http://elsewhere.test")
	if got, want := get(t, startFake(t).Client(), "http://a.test/"), `a.test ""`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAProgramThatEndsByItselfFailsTheTest(t *testing.T) {
	self, err := os.Executable()
	expect.OK(t, err)
	got := outcome(t, t.Name(), func(tb testing.TB) { Start(tb, self, "--fake-broken") })
	expect.Equal(t, "one that does not listen", got, "failed: the server ended instead of listening: exit status 1")
	s := startFake(t)
	s.Kill(t)
	got = outcome(t, t.Name(), func(tb testing.TB) { s.Stop(tb) })
	expect.Contains(t, "one that has ended before it is stopped", got, "failed: stop the server")
}
