package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"sandlot/internal/client"
	"sandlot/internal/expect"
	"sandlot/internal/testenv"
)

// TestPlainMemoryOfPublishes: 16 publishes of 100 MB at once stay under 64 MiB over idle, while variants are being made.
func TestPlainMemoryOfPublishes(t *testing.T) {
	testenv.Plain(t)
	t.Parallel()
	const files, size, limit = 16, 100_000_000, 64 << 20
	s := testenv.Start(t, testenv.Binary(t))
	key := signUp(t, s)
	idle := peak(t, s)
	for i := range 4 { // work for the variants: text of 8 MB each
		text := []byte("<!doctype html><title>" + strconv.Itoa(i) + "</title>" + strings.Repeat("some text that is worth squeezing "+strconv.Itoa(i)+"\n", 220_000))
		publishStream(t, s, key, bytes.NewReader(text))
	}
	var all sync.WaitGroup
	for i := range files {
		all.Go(func() { publishStream(t, s, key, io.LimitReader(&pattern{next: byte(i)}, size)) })
	}
	all.Wait()
	over := peak(t, s) - idle
	t.Logf("peak memory over idle: %d KiB (idle %d KiB)", over>>10, idle>>10)
	if over > limit {
		t.Errorf("peak memory is %d bytes over idle, more than %d", over, limit)
	}
}

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
	expect.OK(t, os.WriteFile(script, fmt.Appendf(nil, "#!/bin/sh\n%s || exit 1\nexec '%s' \"$@\"\n", line, testenv.Binary(t)), 0o700))
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

// TestPlainMemoryOfManyFiles: what one call of 10,000 files takes, at every moment, is under 44 MiB over idle; it was 48.
// What of it is Go's, some 10 MiB in use and twice as much garbage, and what the database caches of what it wrote do not grow with the bytes.
func TestPlainMemoryOfManyFiles(t *testing.T) {
	testenv.Plain(t)
	const files, limit = 10_000, 44 << 20
	s := testenv.Start(t, testenv.Binary(t))
	key := signUp(t, s)
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	for i := range files {
		name := fmt.Sprintf("assets/%d/file-%d.txt", i%100, i)
		if i == 0 {
			name = "index.html"
		}
		part, err := w.Create(name)
		expect.OK(t, err)
		fmt.Fprintf(part, "<!doctype html><title>%d</title>%s", i, strings.Repeat("some text ", 30))
	}
	expect.OK(t, w.Close())
	idle := peak(t, s)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+"/v1/publish", &packed)
	expect.OK(t, err)
	req.Header = http.Header{"Authorization": {"Bearer " + key}, "Content-Type": {"application/zip"}}
	res, err := http.DefaultClient.Do(req)
	expect.OK(t, err)
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	expect.OK(t, err)
	expect.Equal(t, "status", res.StatusCode, http.StatusCreated)
	over := peak(t, s) - idle
	t.Logf("peak memory over idle: %d KiB (idle %d KiB)", over>>10, idle>>10)
	if over > limit {
		t.Errorf("peak memory is %d bytes over idle, more than %d", over, limit)
	}
}
