package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// mounted mounts a file system until the test ends, where that is allowed.
func mounted(t *testing.T, args ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if out, err := exec.Command("mount", append(args, dir)...).CombinedOutput(); err != nil {
		t.Logf("mount: %v %s", err, out)
		testenv.Skip(t, "mounting a small file system (root)")
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v %s", err, out)
		}
	})
	return dir
}

// refusesWrites checks that every write is answered with one of these, that reads
// go on, and what the health checks say.
func refusesWrites(t *testing.T, s *testenv.Server, key, id string, want []byte, code int, sizes ...int) {
	t.Helper()
	for _, size := range sizes {
		for path, fields := range map[string]map[string]any{
			"/v1/publish": {"content": page(size)}, "/v1/update": {"project_id": id, "filename": "index.html", "content": page(size)},
		} {
			if got, answer := call(t, s, "POST", path, key, fields); got != code || answer["retry_after"] == nil {
				t.Errorf("%s of %d bytes: %d %v, want %d with the time to come back", path, size, got, answer, code)
			}
		}
	}
	serves(t, s, id, want)
	readiness := http.StatusServiceUnavailable
	if code == http.StatusInsufficientStorage {
		readiness = http.StatusOK // a balancer sends on who only reads
	}
	if ready, alive := status(t, s, "/readyz"), status(t, s, "/healthz"); ready != readiness || alive != 200 {
		t.Errorf("readiness %d, liveness %d, want %d and 200", ready, alive, readiness)
	}
}

// TestFault07Descriptors: without descriptors writes are 503 and connections wait, without a spin; with descriptors again all works.
func TestFault07Descriptors(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	key := signUp(t, s)
	_, first := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": page(2000)})
	id := first["project_id"].(string)
	served(t, s, id) // the reads below go over this connection: a new one would need a descriptor
	var old unix.Rlimit
	expect.OK(t, unix.Prlimit(s.PID(), unix.RLIMIT_NOFILE, nil, &old))
	limit := func(n uint64) {
		t.Helper()
		expect.OK(t, unix.Prlimit(s.PID(), unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: n, Max: old.Max}, nil))
	}
	limit(restingDescriptors(t, s))
	if code, answer := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": page(200_000)}); code != 503 || answer["retry_after"] == nil {
		t.Errorf("a publish without descriptors: %d %v", code, answer)
	}
	if body := served(t, s, id); len(body) < 2000 {
		t.Errorf("reads do not go on: %q", body)
	}
	begun := cpu(t, s)
	late := make(chan int)
	go func() {
		resp, _ := raw(t, s.Addr(), "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
		late <- resp.StatusCode
	}()
	testenv.Wait(t, time.Second, "what is measured is the work done in this time")
	if spent := cpu(t, s) - begun; spent > time.Second/4 {
		t.Errorf("with a connection that cannot be accepted it spent %v of 1 s", spent)
	}
	limit(old.Cur)
	expect.Equal(t, "the connection that waited", <-late, 200)
	if code, answer := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": page(200_000)}); code != 201 || status(t, s, "/readyz") != 200 {
		t.Errorf("with descriptors again: %d %v", code, answer)
	}
}

// restingDescriptors is the lowest free descriptor number once it has not changed for a second and a half: the variants are
// made by then. Under it as the limit nothing more can be opened, whatever gaps there are among the numbers above.
func restingDescriptors(t *testing.T, s *testenv.Server) uint64 {
	t.Helper()
	lowest := func() (n uint64) {
		for {
			if _, err := os.Lstat(fmt.Sprintf("/proc/%d/fd/%d", s.PID(), n)); err != nil {
				return n
			}
			n++
		}
	}
	last, since := lowest(), time.Now()
	testenv.Eventually(t, 30*time.Second, "the open descriptors to rest", func() bool {
		if now := lowest(); now != last {
			last, since = now, time.Now()
		}
		return time.Since(since) > 1500*time.Millisecond
	})
	return last
}

// served is what a project's address yields.
func served(t *testing.T, s *testenv.Server, id string) []byte {
	t.Helper()
	_, body := open(t, s, "http://"+id+".localhost/")
	return body
}

// cpu is how long a server has computed so far.
func cpu(t *testing.T, s *testenv.Server) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.PID()))
	expect.OK(t, err)
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	var user, system int64 // in hundredths of a second: proc(5), sysconf(_SC_CLK_TCK)
	if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &system); err != nil {
		t.Fatal(err)
	}
	return time.Duration(user+system) * 10 * time.Millisecond
}

// TestFault10ReadOnly: the kernel makes a file system read-only when its disk fails; reads go on.
func TestFault10ReadOnly(t *testing.T) {
	t.Parallel()
	disk := testenv.Ext4(t, "loop,errors=remount-ro")
	s := testenv.Start(t, testenv.Binary(t), "--data", filepath.Join(disk, "data"))
	t.Cleanup(func() { s.Kill(t) })
	key := signUp(t, s)
	want := page(100_000)
	_, first := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": want})
	if out, err := exec.Command("mount", "-o", "remount,abort", disk).CombinedOutput(); err != nil {
		t.Fatalf("abort: %v %s", err, out)
	}
	refusesWrites(t, s, key, first["project_id"].(string), want, 503, 1000, 200_000)
}

// TestFault10DataFolderDeleted: nothing is acknowledged that would be gone with the open files.
func TestFault10DataFolderDeleted(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	s := testenv.Start(t, testenv.Binary(t), "--data", data)
	key := signUp(t, s)
	want := page(2000)
	_, first := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": want})
	expect.OK(t, os.RemoveAll(data))
	refusesWrites(t, s, key, first["project_id"].(string), want, 503, 1000, 200_000)
	s.Restart(t) // it begins anew, in an empty folder
	if status(t, s, "/readyz") != 200 {
		t.Error("it does not start in the folder's place")
	}
}
