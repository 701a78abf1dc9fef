package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sandlot/internal/client/client"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func signUp(t *testing.T, s *testenv.Server) string {
	t.Helper()
	made, err := apiOf(s, "").Signup(t.Context(), client.Fields{})
	expect.OK(t, err)
	return made.APIKey
}

// publishStream publishes what r yields, in constant memory.
func publishStream(t *testing.T, s *testenv.Server, key string, r io.Reader) {
	if _, err := apiOf(s, key).Publish(t.Context(), client.Fields{}, r); err != nil {
		t.Errorf("publish: %v", err)
	}
}

// pattern yields bytes without end that are no text, beginning with next.
type pattern struct{ next byte }

// patternBytes are what a pattern repeats, twice: each byte value follows another one. The tests read gigabytes of it.
var patternBytes = func() (b [512]byte) {
	for i := range len(b) - 1 {
		b[i+1] = b[i]*5 + 131
	}
	return b
}()

func (p *pattern) Read(b []byte) (int, error) {
	from := bytes.IndexByte(patternBytes[:], p.next)
	for n := 0; n < len(b); n += 256 {
		copy(b[n:], patternBytes[from:from+256])
	}
	p.next = patternBytes[from+len(b)%256]
	return len(b), nil
}

// after returns a program that runs the line of shell, and then is sandlot, in the same process; if the line fails it ends.
func after(t *testing.T, line string) string {
	t.Helper()
	script := filepath.Join(t.TempDir(), "sandlot")
	testenv.Program(t, script, fmt.Appendf(nil, "#!/bin/sh\n%s || exit 1\nexec '%s' \"$@\"\n", line, testenv.Binary(t)))
	return script
}

// peak returns the most memory that the process has had resident, in bytes.
func peak(t *testing.T, s *testenv.Server) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.PID()))
	if err != nil {
		testenv.Skip(t, "the memory of a process in /proc")
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kib int64
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		t.Fatalf("VmHWM: %v", err)
	}
	return kib << 10
}

// packedFiles are how many files the functions below pack.
const packedFiles = 10_000
