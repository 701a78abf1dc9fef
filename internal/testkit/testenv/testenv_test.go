package testenv

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

// outcome runs f with a testing.TB that notes how f ends: "returned", "skipped: ..." or "failed: ...".
func outcome(tb testing.TB, f func(testing.TB)) string {
	tb.Helper()
	n := &noting{TB: tb, how: "returned"}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(n)
	}()
	<-done
	return n.how
}

type noting struct {
	testing.TB
	how string
}

func (n *noting) Skipf(format string, args ...any) { n.end("skipped: "+format, args...) }

func (n *noting) Fatalf(format string, args ...any) { n.end("failed: "+format, args...) }

func (n *noting) end(format string, args ...any) {
	n.how = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func lines(tb testing.TB, name string) []string {
	tb.Helper()
	b, err := os.ReadFile(name)
	expect.OK(tb, err)
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}

func TestNeed(t *testing.T) {
	for _, c := range []struct{ require, program, want, recorded string }{
		{"all", "go", "returned", ""},
		{"", "no-such", "skipped: left out: no-such", "no-such"},
		{"all", "no-such", "failed: no-such is not to be had here, and SANDLOT_TEST_REQUIRE=all asks for it", "no-such"},
	} {
		left := filepath.Join(t.TempDir(), "left")
		expect.OK(t, os.WriteFile(left, nil, 0o600))
		t.Setenv(requireEnv, c.require)
		t.Setenv(leftOutEnv, left)
		expect.Equal(t, "Need", outcome(t, func(tb testing.TB) { Need(tb, "go", c.program) }), c.want)
		expect.Same(t, "recorded", lines(t, left), []string{c.recorded})
	}
}
