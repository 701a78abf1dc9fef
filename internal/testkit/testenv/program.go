package testenv

import (
	"os"
	"syscall"
	"testing"
)

// Program writes a file that everybody may run, at once: no process is begun while it is written, as that would hold it open for writing
// until it runs a program of its own, and a file that anybody writes cannot be run (ETXTBSY; https://go.dev/issue/22315).
func Program(tb testing.TB, path string, content []byte) {
	tb.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, content, 0o755); err != nil {
		tb.Fatal(err)
	}
}
