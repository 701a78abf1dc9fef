package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"sandlot/internal/testenv"
)

// TestPlainMemoryOfPublishes: 16 publishes of 100 MB at once stay under 64 MiB over idle, while variants are being made.
func TestPlainMemoryOfPublishes(t *testing.T) {
	testenv.Plain(t)
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
	resp, err := s.Client().Post(s.URL()+"/v1/signup", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(body, []byte("sla_"))
	if at < 0 {
		t.Fatalf("no key in %s", body)
	}
	return string(body[at : at+40])
}

// publishStream publishes what r yields, as JSON with base64, in constant memory.
func publishStream(t *testing.T, s *testenv.Server, key string, r io.Reader) {
	body, w := io.Pipe()
	go func() {
		io.WriteString(w, `{"content":"`)
		enc := base64.NewEncoder(base64.StdEncoding, w)
		io.Copy(enc, r)
		enc.Close()
		io.WriteString(w, `"}`)
		w.Close()
	}()
	req, err := http.NewRequest(http.MethodPost, s.URL()+"/v1/publish", body)
	if err != nil {
		t.Error(err)
		return
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+key)
	resp, err := s.Client().Do(req)
	if err != nil {
		t.Error(err)
		return
	}
	defer resp.Body.Close()
	if answer, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusCreated {
		t.Errorf("publish: %d %s", resp.StatusCode, answer)
	}
}

// pattern yields bytes without end that are no text.
type pattern struct{ next byte }

func (p *pattern) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = p.next
		p.next = p.next*5 + 131
	}
	return len(b), nil
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
