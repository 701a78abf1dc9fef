package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"sandlot/internal/client/client"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestSoakMemoryOfPublishes: 16 publishes of 100 MB at once stay under 64 MiB over idle, while variants are being made.
func TestSoakMemoryOfPublishes(t *testing.T) {
	testenv.Unraced(t)
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

// TestSoakMemoryOfManyFiles: what calls of 10,000 files take, at every moment, is bounded however they bring them, and where several come
// at once; a ZIP alone is among TestSoakMemoryOfArchives. Where names are long they are in memory, some 200 bytes each here.
func TestSoakMemoryOfManyFiles(t *testing.T) {
	testenv.Unraced(t)
	flat := func(i int) string { return fmt.Sprintf("assets/%d/file-%d.txt", i%100, i) }
	deep := func(i int) string { return strings.Repeat(fmt.Sprintf("folder-%d/", i), 15) + "file.txt" }
	for _, c := range []struct {
		what   string
		pack   func(io.Writer, func(int) string) (string, error)
		name   func(int) string
		atOnce int
		limit  int64
	}{
		{"a list in JSON", packJSON, flat, 1, 32 << 20},
		{"parts of a form", packForm, flat, 1, 32 << 20},
		{"a tar.gz", packTarGzip, flat, 1, 32 << 20},
		{"a ZIP of files in folders of their own", packZIP, deep, 1, 48 << 20},
		{"four ZIPs at once", packZIP, flat, 4, 56 << 20},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel() // each has a server of its own
			s := testenv.Start(t, testenv.Binary(t))
			key := signUp(t, s)
			var packed bytes.Buffer
			typed, err := c.pack(&packed, func(i int) string {
				if i == 0 {
					return "index.html"
				}
				return c.name(i)
			})
			expect.OK(t, err)
			idle := peak(t, s)
			var all sync.WaitGroup
			for range c.atOnce {
				all.Go(func() {
					sendArchive(t, s.URL()+"/v1/publish", key, typed, func(w io.Writer) error { _, err := w.Write(packed.Bytes()); return err })
				})
			}
			all.Wait()
			over := peak(t, s) - idle
			t.Logf("peak memory over idle: %d KiB (idle %d KiB)", over>>10, idle>>10)
			if over > c.limit {
				t.Errorf("peak memory is %d bytes over idle, more than %d", over, c.limit)
			}
		})
	}
}

// packedFiles are how many files the functions below pack.
const packedFiles = 10_000

func packedText(i int) string {
	return fmt.Sprintf("<!doctype html><title>%d</title>%s", i, strings.Repeat("some text ", 30))
}

func packZIP(to io.Writer, name func(int) string) (string, error) {
	w := zip.NewWriter(to)
	for i := range packedFiles {
		part, err := w.Create(name(i))
		if err != nil {
			return "", err
		}
		if _, err := io.WriteString(part, packedText(i)); err != nil {
			return "", err
		}
	}
	return "application/zip", w.Close()
}

func packTarGzip(to io.Writer, name func(int) string) (string, error) {
	packed := gzip.NewWriter(to)
	w := tar.NewWriter(packed)
	for i := range packedFiles {
		text := packedText(i)
		if err := w.WriteHeader(&tar.Header{Name: name(i), Mode: 0o644, Size: int64(len(text))}); err != nil {
			return "", err
		}
		if _, err := io.WriteString(w, text); err != nil {
			return "", err
		}
	}
	return "application/gzip", cmp.Or(w.Close(), packed.Close())
}

func packJSON(to io.Writer, name func(int) string) (string, error) {
	type file struct {
		Filename string `json:"filename"`
		Text     string `json:"text"`
	}
	var files []file
	for i := range packedFiles {
		files = append(files, file{name(i), packedText(i)})
	}
	return "application/json", json.NewEncoder(to).Encode(map[string]any{"files": files})
}

func packForm(to io.Writer, name func(int) string) (string, error) {
	w := multipart.NewWriter(to)
	for i := range packedFiles {
		part, err := w.CreateFormFile("file", name(i))
		if err != nil {
			return "", err
		}
		if _, err := io.WriteString(part, packedText(i)); err != nil {
			return "", err
		}
	}
	return w.FormDataContentType(), w.Close()
}
