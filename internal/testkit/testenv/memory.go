package testenv

import (
	"os"
	"testing"
)

// memoryEnv names the folder in memory that scripts/test removes at its end, whatever the end is.
const memoryEnv = "SANDLOT_TEST_MEMORY"

// memory is where Linux has files in memory.
const memory = "/dev/shm"

// MemoryDir is a folder of the test's own, which goes with it. It lies in memory where the machine has a place for that: most tests are
// about answers, and would only wait for a disk to sync.
func MemoryDir(tb testing.TB) string {
	tb.Helper()
	for _, parent := range []string{unkeyed(memoryEnv), memory} {
		if parent == "" {
			continue
		}
		dir, err := os.MkdirTemp(parent, "sandlot-test-*")
		if err != nil {
			continue
		}
		tb.Cleanup(func() {
			if err := os.RemoveAll(dir); err != nil {
				tb.Error(err)
			}
		})
		return dir
	}
	return tb.TempDir()
}
