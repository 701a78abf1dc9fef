package main

import (
	"crypto/sha256"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"sandlot/internal/testkit/expect"
)

// programMost bounds the program as it is released, in bytes.
const programMost = 60_000_000

// TestSoakTheProgramIsSmallAndTheSameFromAnyFolder builds it as a release does, from two copies of the source.
func TestSoakTheProgramIsSmallAndTheSameFromAnyFolder(t *testing.T) {
	var sums [2][sha256.Size]byte
	for i := range sums {
		folder := filepath.Join(t.TempDir(), "source")
		expect.OK(t, os.CopyFS(folder, os.DirFS(repository)))
		build := exec.Command("go", "build", "-buildvcs=false", "-trimpath", "-ldflags", "-s -w", "-o", "program", "./cmd/sandlot")
		build.Dir, build.Env = folder, append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		program, err := os.ReadFile(filepath.Join(folder, "program"))
		expect.OK(t, err)
		if len(program) > programMost {
			t.Errorf("the program has %d bytes, more than %d", len(program), programMost)
		}
		sums[i] = sha256.Sum256(program)
	}
	expect.Equal(t, "the second program", sums[1], sums[0])
}
