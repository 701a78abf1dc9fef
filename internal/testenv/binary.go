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

// builtPattern names the folders of binaries built by test processes that scripts/test did not start.
const builtPattern = "sandlot-test-bin-*"

// builtKept is how long such a folder is kept. A test process has no moment at which it could remove its own, so a later one does; a day
// is longer than any of them runs.
const builtKept = 24 * time.Hour

// Binary returns the path of the sandlot program, built without the race detector: the one that SANDLOT_BIN names, or else one built from
// the module's sources, once in each test process. It fails the test if there is none or it does not build.
func Binary(tb testing.TB) string {
	tb.Helper()
	if path := os.Getenv(binaryEnv); path != "" {
		if _, err := os.Stat(path); err != nil {
			tb.Fatalf("%s: %v", binaryEnv, err)
		}
		return path
	}
	path, err := buildOnce()
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

var buildOnce = sync.OnceValues(func() (string, error) {
	removeOldBuilds(os.TempDir(), time.Now().Add(-builtKept))
	dir, err := os.MkdirTemp("", builtPattern)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "sandlot")
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", path, "sandlot/cmd/sandlot")
	// As scripts/test builds it: without C, so that both are the same program.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the sandlot program: %w\n%s", err, out)
	}
	return path, nil
})

// removeOldBuilds removes the folders of binaries in dir that have not changed since before. What cannot be removed stays.
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
