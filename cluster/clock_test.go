package cluster

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// clockEnv is by how many seconds the clock of a program from movedProgram is ahead.
const clockEnv = "CLOCK_AHEAD"

// clocks are those of the nodes: minutes apart.
func clocks() [nodeCount]time.Duration {
	return [nodeCount]time.Duration{0, -3 * time.Minute, 4 * time.Minute}
}

// movedProgram builds the program with a clock that can be moved. What libfaketime does to others does nothing to a Go program, which asks
// the kernel's page for the time and not the C library: testdata/clock stands before that page. It is built meanwhile; the function waits
// for it.
func movedProgram(t *testing.T) (program func() string) {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	for _, name := range []string{"clock.go", "clock_amd64.s"} {
		source := filepath.Join(root, "cluster/testdata/clock", name)
		if _, err := os.Stat(source); err != nil { // Go would build without it
			t.Fatal(err)
		}
		replace[filepath.Join(root, "cmd/sandlot", "moved_"+name)] = source
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay, path := filepath.Join(t.TempDir(), "overlay.json"), filepath.Join(t.TempDir(), "sandlot")
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-buildvcs=false", "-overlay", overlay, "-ldflags=-checklinkname=0", "-o", path, "sandlot/cmd/sandlot")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	var out []byte
	built := make(chan struct{})
	go func() {
		defer close(built)
		out, err = cmd.CombinedOutput()
	}()
	t.Cleanup(func() { <-built })
	return func() string {
		if <-built; err != nil {
			t.Fatalf("build the program: %v\n%s", err, out)
		}
		return path
	}
}

// again starts a node again, with its own clock.
func (n *node) again(t *testing.T) {
	t.Helper()
	t.Setenv(clockEnv, seconds(n.ahead))
	n.reborn()
	n.Restart(t)
}

// compareClocks looks whether the clocks of the nodes are as far apart as they are to be.
func (r *run) compareClocks() {
	for i, n := range r.nodes {
		resp, err := n.http.Get(base + "/healthz")
		if err != nil {
			r.t.Errorf("node %d: %v", i+1, err)
			continue
		}
		resp.Body.Close()
		at, err := http.ParseTime(resp.Header.Get("Date"))
		if off := time.Until(at) - n.ahead; err != nil || off.Abs() > time.Minute {
			r.t.Errorf("the clock of node %d is off by %v, not by %v (%v)", i+1, off+n.ahead, n.ahead, err)
		}
	}
}

func seconds(d time.Duration) string { return strconv.Itoa(int(d / time.Second)) }
