package testenv

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// builtPattern names the folders of programs built by test processes that scripts/test did not start.
const builtPattern = "sandlot-test-bin-*"

// builtKept is how long such a folder is kept. A test process cannot remove its own at its end, so a later process removes it; no test
// process runs for a day.
const builtKept = 24 * time.Hour

// Binary returns the path of the sandlot program, built without the race detector: the value of SANDLOT_BIN, or a program built from the
// module's sources once in each test process. It fails the test if the program is missing or does not build.
func Binary(tb testing.TB) string {
	tb.Helper()
	return program(tb, binaryEnv, buildPlain)
}

// Instrumented returns the path of the sandlot program with failpoints and a movable clock (package failpoint), as Binary does: the value
// of
// SANDLOT_TEST_INSTRUMENTED, or a program built for this test process.
func Instrumented(tb testing.TB) string {
	tb.Helper()
	return program(tb, instrumentedEnv, buildInstrumented)
}

func program(tb testing.TB, env string, build func() (string, error)) string {
	tb.Helper()
	path := os.Getenv(env)
	if path == "" {
		var err error
		if path, err = build(); err != nil {
			tb.Fatal(err)
		}
		return path
	}
	if _, err := os.Stat(path); err != nil {
		tb.Fatalf("%s: %v", env, err)
	}
	return path
}

var (
	buildPlain        = sync.OnceValues(func() (string, error) { return build() })
	buildInstrumented = sync.OnceValues(func() (string, error) { return build("-tags=failpoints", "-ldflags=-checklinkname=0") })
)

func build(flags ...string) (string, error) {
	removeOldBuilds(os.TempDir(), time.Now().Add(-builtKept))
	dir, err := os.MkdirTemp("", builtPattern)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "sandlot")
	cmd := exec.Command("go", append([]string{"build", "-buildvcs=false", "-o", path}, append(flags, "sandlot/cmd/sandlot")...)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as scripts/test builds it
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the sandlot program: %w\n%s", err, out)
	}
	return path, nil
}

// removeOldBuilds removes the folders of programs in dir that have not changed since before. A folder that cannot be removed stays.
func removeOldBuilds(dir string, before time.Time) {
	found, err := filepath.Glob(filepath.Join(dir, builtPattern))
	if err != nil {
		return
	}
	for _, path := range found {
		if info, err := os.Stat(path); err == nil && info.ModTime().Before(before) {
			os.RemoveAll(path)
		}
	}
}
