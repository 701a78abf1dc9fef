package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestSoakRegression43ASmallMachineSurvives runs the real program in a control group
// that the kernel kills it in as soon as it takes too much.
func TestSoakRegression43ASmallMachineSurvives(t *testing.T) {
	testenv.Unraced(t)
	t.Parallel()
	t.Run("reads, large uploads and 5,000 watchers in 128 MB", func(t *testing.T) {
		t.Parallel()
		s, group := startIn(t, 128_000_000)
		ids := publishMany(t, s, 500, 300_000)
		readMany(t, s, ids, 32, 2000)
		t.Logf("most resident memory with reads: %d KiB", peak(t, s)>>10)
		key := signUp(t, s)
		var all sync.WaitGroup
		for i := range 16 {
			all.Go(func() { publishStream(t, s, key, io.LimitReader(&pattern{next: byte(i)}, 100_000_000)) })
		}
		all.Wait()
		t.Logf("and with uploads: %d KiB", peak(t, s)>>10)
		watchMany(t, s, ids[0], 5000)
		readMany(t, s, ids, 32, 500)
		t.Logf("and with watchers: %d KiB", peak(t, s)>>10)
		group.spared(t, s)
	})
	t.Run("reads in 96 MB, the least that is promised", func(t *testing.T) {
		t.Parallel()
		s, group := startIn(t, leastMemory)
		readMany(t, s, publishMany(t, s, 500, 300_000), 32, 2000)
		group.spared(t, s)
		if strings.Contains(s.Logs(), "level=WARN") {
			t.Errorf("it warns: %s", s.Logs())
		}
	})
}

func TestRegression43TheLogTellsWhatIsMadeOfTheMemory(t *testing.T) {
	t.Run("of a control group", func(t *testing.T) {
		s, _ := startIn(t, 80<<20)
		for _, want := range []string{"msg=memory ", "limit=80MiB", `from="control group"`, "cache=", "watchers=", "level=WARN", "promises"} {
			if !strings.Contains(s.Logs(), want) {
				t.Errorf("%q is not in the log:\n%s", want, s.Logs())
			}
		}
	})
	t.Run("of the operator", func(t *testing.T) {
		t.Setenv("GOMEMLIMIT", "300MiB")
		s := testenv.Start(t, testenv.Binary(t))
		expect.Contains(t, "the log", s.Logs(), "go_limit=300MiB")
	})
}

// memoryGroup is a control group with a limit on its memory.
type memoryGroup struct {
	folder  string
	unified bool
}

// startIn runs the program in a new group of so much memory, without swap.
func startIn(t *testing.T, bytes int64) (*testenv.Server, memoryGroup) {
	t.Helper()
	g := newMemoryGroup(t, bytes)
	return testenv.Start(t, after(t, fmt.Sprintf("echo $$ > %s/cgroup.procs", g.folder))), g
}

func newMemoryGroup(t *testing.T, bytes int64) memoryGroup {
	t.Helper()
	g := memoryGroup{folder: "/sys/fs/cgroup/memory"}
	if have, err := os.ReadFile("/sys/fs/cgroup/cgroup.subtree_control"); err == nil && strings.Contains(string(have), "memory") {
		g = memoryGroup{folder: "/sys/fs/cgroup", unified: true}
	}
	var err error
	if g.folder, err = os.MkdirTemp(g.folder, "sandlot-test-"); err != nil {
		testenv.Skip(t, "a control group with a limit on its memory (root)")
	}
	t.Cleanup(func() {
		if err := os.Remove(g.folder); err != nil {
			t.Error(err)
		}
	})
	expect.OK(t, os.WriteFile(g.limitFile(), []byte(strconv.FormatInt(bytes, 10)), 0))
	swap := map[bool]string{true: "memory.swap.max", false: "memory.swappiness"}[g.unified]
	_ = os.WriteFile(filepath.Join(g.folder, swap), []byte("0"), 0) // is not there without swap
	return g
}

func (g memoryGroup) limitFile() string {
	return filepath.Join(g.folder, map[bool]string{true: "memory.max", false: "memory.limit_in_bytes"}[g.unified])
}

// spared checks that the kernel has killed nothing, and the service answers.
func (g memoryGroup) spared(t *testing.T, s *testenv.Server) {
	t.Helper()
	name := map[bool]string{true: "memory.events", false: "memory.oom_control"}[g.unified]
	text, err := os.ReadFile(filepath.Join(g.folder, name))
	if err != nil || !strings.Contains(string(text), "oom_kill 0\n") {
		t.Errorf("%s (%v)", text, err)
	}
	expect.Equal(t, "readiness", status(t, s, "/readyz"), http.StatusOK)
}

// ownHost is how the service is called by its own name.
func ownHost(s *testenv.Server) string {
	_, port, _ := strings.Cut(s.Addr(), ":")
	return "localhost:" + port
}

// publishMany publishes pages of that many bytes, each another one.
func publishMany(t *testing.T, s *testenv.Server, n, size int) []string {
	t.Helper()
	key, ids := signUp(t, s), make([]string, n)
	page := bytes.Repeat([]byte("a line of a game that is not small\n"), size/35+1)[:size]
	for i := range ids {
		text := append(fmt.Appendf(nil, "<!doctype html><title>%d</title>", i), page...)
		code, answer := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": text})
		if code != http.StatusCreated {
			t.Fatalf("publish %d: %d %v", i, code, answer)
		}
		ids[i], _ = answer["project_id"].(string)
	}
	return ids
}

// readMany reads the projects in turns, so that no cache holds what is next.
func readMany(t *testing.T, s *testenv.Server, ids []string, readers, reads int) {
	t.Helper()
	var all sync.WaitGroup
	for r := range readers {
		all.Go(func() {
			for i := r; i < reads && !t.Failed(); i += readers {
				res, err := s.Client().Get("http://" + ownHost(s) + "/~/" + ids[i%len(ids)] + "/")
				if err != nil {
					t.Error(err)
					return
				}
				n, err := io.Copy(io.Discard, res.Body)
				res.Body.Close()
				if err != nil || n < 300_000 || res.StatusCode != http.StatusOK {
					t.Errorf("read %d: %d, %d bytes, %v", i, res.StatusCode, n, err)
				}
			}
		})
	}
	all.Wait()
}

// watchMany looks at a project's page with so many browsers, up to the end of the test.
func watchMany(t *testing.T, s *testenv.Server, id string, n int) {
	t.Helper()
	var all sync.WaitGroup
	turns := make(chan struct{}, 64)
	for range n {
		turns <- struct{}{}
		all.Go(func() {
			defer func() { <-turns }()
			conn, err := net.Dial("tcp", s.Addr())
			if err != nil {
				t.Error(err)
				return
			}
			t.Cleanup(func() { conn.Close() })
			_ = conn.SetDeadline(time.Now().Add(time.Minute))
			fmt.Fprintf(conn, "GET /p/%s/live HTTP/1.1\r\nHost: %s\r\n\r\n", id, ownHost(s))
			line, err := bufio.NewReaderSize(conn, 64).ReadString('\n')
			if err != nil || !strings.Contains(line, " 200 ") {
				t.Errorf("watch: %q %v", line, err)
			}
		})
	}
	all.Wait()
}
