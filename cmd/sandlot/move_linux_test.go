package main

import (
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

// killedMove kills a move while it copies records: its output has room for the lines of a few tables alone.
func killedMove(t *testing.T, args ...string) {
	t.Helper()
	r, w, err := os.Pipe()
	expect.OK(t, err)
	defer r.Close()
	defer w.Close()
	size, err := unix.FcntlInt(w.Fd(), unix.F_SETPIPE_SZ, 4096)
	expect.OK(t, err)
	taken, err := w.Write(make([]byte, size-100))
	expect.OK(t, err)
	cmd := exec.CommandContext(t.Context(), testenv.Binary(t), append([]string{"move"}, args...)...)
	cmd.Stdout = w
	expect.OK(t, cmd.Start())
	testenv.Eventually(t, time.Minute, "the line of a table", func() bool {
		n, err := unix.IoctlGetInt(int(r.Fd()), unix.TIOCINQ)
		return err == nil && n > taken
	})
	expect.OK(t, cmd.Process.Kill())
	if cmd.Wait() == nil {
		t.Fatal("it ended before it was killed")
	}
}

// TestAMoveToADatabaseAndABucketAndBack: refused while a server runs, and killed in the middle on either way.
func TestAMoveToADatabaseAndABucketAndBack(t *testing.T) {
	t.Parallel()
	set := fullSet(t)
	s := testenv.Start(t, testenv.Binary(t))
	key := signUp(t, s)
	large := string(page(3 << 20))
	_, made := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": []byte(large)})
	id, _ := made["project_id"].(string)
	kept := ledger{pages: map[string]string{id + "/": large}}
	there := append([]string{"--from", s.Data()}, prefixed("to", set)...)
	refusedMove(t, "beside a server", 1, "another sandlot is using", there...)
	expect.Equal(t, "exit code", s.Stop(t), 0)
	killedMove(t, there...)
	moves(t, there...)
	moves(t, there...) // as after a kill at the very end
	node := testenv.Start(t, testenv.Binary(t), set...)
	kept.held(t, node)
	dir := filepath.Join(t.TempDir(), "back")
	back := append([]string{"--to", dir}, prefixed("from", set)...)
	refusedMove(t, "beside a node", 1, "is in use", back...)
	expect.Equal(t, "exit code", node.Stop(t), 0)
	refusedMove(t, "to what has changed since", 1, "it is not empty", there...)
	killedMove(t, back...)
	out, err := exec.Command(testenv.Binary(t), "serve", "--data", dir, "--listen", "127.0.0.1:0").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "is being filled from postgres://") {
		t.Errorf("a server on half of a move: %v\n%s", err, out)
	}
	moves(t, back...)
	if found, exit := verify(t, dir); exit != 0 {
		t.Errorf("exit code %d, %v", exit, found)
	}
	again := testenv.Start(t, testenv.Binary(t), "--data", dir)
	kept.held(t, again)
	if status, answer := call(t, again, "POST", "/v1/update", key, map[string]any{"project_id": id, "filename": "new.txt", "content": []byte("more")}); status != http.StatusOK {
		t.Errorf("an update: %d %v", status, answer)
	}
}
