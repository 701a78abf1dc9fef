package testenv

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
)

// outcome runs f with a testing.TB that notes how f ends: "returned", "skipped: ..." or "failed: ...".
func outcome(tb testing.TB, name string, f func(testing.TB)) string {
	tb.Helper()
	n := &noting{TB: tb, name: name, how: "returned"}
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
	name, how string
}

func (n *noting) Name() string { return n.name }

func (n *noting) Skipf(format string, args ...any) { n.end("skipped: "+format, args...) }

func (n *noting) Fatalf(format string, args ...any) { n.end("failed: "+format, args...) }

func (n *noting) Fatal(args ...any) { n.end("failed: %s", fmt.Sprint(args...)) }

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
	need := func(t *testing.T, programs ...string) string {
		return outcome(t, t.Name(), func(tb testing.TB) { Need(tb, programs...) })
	}
	t.Run("returns if every program is found", func(t *testing.T) {
		t.Setenv(requireEnv, "all")
		expect.Equal(t, "Need(go)", need(t, "go"), "returned")
	})
	t.Run("a missing program skips and is recorded", func(t *testing.T) {
		left := filepath.Join(t.TempDir(), "left")
		t.Setenv(requireEnv, "")
		t.Setenv(leftOutEnv, left)
		if got, want := need(t, "go", "no-such-a", "no-such-b"), "skipped: left out: no-such-a, no-such-b"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		expect.Same(t, "recorded", lines(t, left), []string{"no-such-a, no-such-b"})
	})
	t.Run("a missing program fails where all is required", func(t *testing.T) {
		left := filepath.Join(t.TempDir(), "left")
		t.Setenv(requireEnv, "all")
		t.Setenv(leftOutEnv, left)
		if got := need(t, "no-such-a"); !strings.HasPrefix(got, "failed: no-such-a is not to be had") {
			t.Errorf("got %q", got)
		}
		expect.Same(t, "recorded", lines(t, left), []string{"no-such-a"})
	})
}

func TestSkip(t *testing.T) {
	t.Run("what is left out at once is recorded whole", func(t *testing.T) {
		left := filepath.Join(t.TempDir(), "left")
		t.Setenv(requireEnv, "")
		t.Setenv(leftOutEnv, left)
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() { outcome(t, t.Name(), func(tb testing.TB) { Skip(tb, "mounting\na disk") }) })
		}
		wg.Wait()
		got := lines(t, left)
		if len(got) != 20 {
			t.Fatalf("%d lines, want 20", len(got))
		}
		for _, line := range got {
			expect.Equal(t, "line", line, "mounting a disk")
		}
	})
	t.Run("a record that cannot be written fails the test", func(t *testing.T) {
		t.Setenv(requireEnv, "")
		t.Setenv(leftOutEnv, filepath.Join(t.TempDir(), "no", "left"))
		got := outcome(t, t.Name(), func(tb testing.TB) { Skip(tb, "root") })
		if !strings.HasPrefix(got, "failed: record") {
			t.Errorf("got %q", got)
		}
	})
}

func TestBinary(t *testing.T) {
	t.Run("is the one that SANDLOT_BIN names", func(t *testing.T) {
		self, err := os.Executable()
		expect.OK(t, err)
		t.Setenv(binaryEnv, self)
		if got := Binary(t); got != self {
			t.Errorf("got %s, want %s", got, self)
		}
	})
	t.Run("a SANDLOT_BIN that is not there fails the test", func(t *testing.T) {
		t.Setenv(binaryEnv, filepath.Join(t.TempDir(), "none"))
		if got := outcome(t, t.Name(), func(tb testing.TB) { Binary(tb) }); !strings.HasPrefix(got, "failed: SANDLOT_BIN") {
			t.Errorf("got %q", got)
		}
	})
	t.Run("old builds are removed, others stay", func(t *testing.T) {
		dir := t.TempDir()
		now := time.Now()
		for name, age := range map[string]time.Duration{
			"sandlot-test-bin-1": 48 * time.Hour, "sandlot-test-bin-2": time.Hour, "sandlot-else": 48 * time.Hour,
		} {
			path := filepath.Join(dir, name)
			expect.OK(t, os.Mkdir(path, 0o700))
			expect.OK(t, os.Chtimes(path, now.Add(-age), now.Add(-age)))
		}
		removeOldBuilds(dir, now.Add(-builtKept))
		left, err := filepath.Glob(filepath.Join(dir, "*"))
		expect.OK(t, err)
		want := []string{filepath.Join(dir, "sandlot-else"), filepath.Join(dir, "sandlot-test-bin-2")}
		expect.Same(t, "left", left, want)
	})
}
