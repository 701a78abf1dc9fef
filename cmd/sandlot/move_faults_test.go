package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// A movedHouse is a server with some files whose clients go on while it moves.
type movedHouse struct {
	*testenv.Server
	kept    ledger
	refused chan error
}

// goesOn is what a move that was cut short says.
const goesOn = "Nothing is lost: run the same again to go on"

func newMovedHouse(t *testing.T) *movedHouse {
	t.Helper()
	h := &movedHouse{Server: testenv.Start(t, testenv.Binary(t)), kept: ledger{pages: map[string]string{}}, refused: make(chan error, 1)}
	key := signUp(t, h.Server)
	for i := range 20 {
		id := withBig(t, h.Server, key)
		big := bigFile(fmt.Sprint("the file ", i))
		status, _ := call(t, h.Server, "POST", "/v1/update", key, map[string]any{"project_id": id, "filename": "big.bin", "content": big})
		expect.Equal(t, "update", status, 200)
		h.kept.pages[id+"/big.bin"] = string(big)
	}
	go func() { h.refused <- h.kept.fill(t, apiOf(h.Server, key), "meanwhile") }()
	return h
}

// stays fails the test unless clients are served as before, although the move failed, which was told with these words.
func (h *movedHouse) stays(t *testing.T, out string, exit int, words ...string) {
	t.Helper()
	for _, word := range words {
		if exit != 1 || !strings.Contains(out, word) {
			t.Errorf("exit code %d, and not %q:\n%s", exit, word, out)
		}
	}
	select {
	case err := <-h.refused:
		t.Fatalf("a change was refused: %v", err)
	default:
	}
	h.kept.held(t, h.Server)
}

// moves runs the same again, and holds a server on the target to all that was acknowledged.
func (h *movedHouse) moves(t *testing.T, args []string, serve ...string) {
	t.Helper()
	out, exit := move(t, args...)
	if exit != 0 || !regexp.MustCompile(`changes were held up for \d+\.\d s`).MatchString(out) {
		t.Fatalf("exit code %d\n%s", exit, out)
	}
	if err := <-h.refused; !strings.Contains(fmt.Sprint(err), "moving to other storage") {
		t.Errorf("a change that came after the switch: %v", err)
	}
	h.Stop(t)
	h.kept.held(t, testenv.Start(t, testenv.Binary(t), serve...))
}

// TestSoakAMoveToAFullDiskGoesOnWhenThereIsRoom: and until then its source serves.
func TestSoakAMoveToAFullDiskGoesOnWhenThereIsRoom(t *testing.T) {
	t.Parallel()
	disk := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=200m", "tmpfs", disk).CombinedOutput(); err != nil {
		t.Logf("mount: %v %s", err, out)
		testenv.Skip(t, "mounting a small file system (root)")
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", disk).Run() })
	h := newMovedHouse(t)
	filler := filepath.Join(disk, "filler")
	fill(t, filler)
	info, err := os.Stat(filler)
	expect.OK(t, err)
	expect.OK(t, os.Truncate(filler, info.Size()-4<<20)) // there is room for the tables, and for some of its 6 MB
	args := []string{"--from", h.Data(), "--to", filepath.Join(disk, "moved")}
	out, exit := move(t, args...)
	h.stays(t, out, exit, "storage full", goesOn)
	out, exit = move(t, args...) // which may not even open what there is
	h.stays(t, out, exit, "storage full")
	expect.OK(t, os.Remove(filler))
	h.moves(t, args, "--data", filepath.Join(disk, "moved"))
	if found, exit := verify(t, filepath.Join(disk, "moved")); exit != 0 {
		t.Errorf("verify: exit code %d, %v", exit, found)
	}
}

// TestSoakAMoveWhoseDatabaseStopsGoesOnWhenItIsBack: and until then its source serves.
func TestSoakAMoveWhoseDatabaseStopsGoesOnWhenItIsBack(t *testing.T) {
	t.Parallel()
	database := testenv.StartPostgres(t)
	h := newMovedHouse(t)
	to := filepath.Join(t.TempDir(), "moved")
	args := []string{"--from", h.Data(), "--to", to, "--to-database-url", database.URL()}
	cmd := exec.Command(testenv.Binary(t), slices.Insert(args, 0, "move")...)
	out, err := cmd.StdoutPipe()
	expect.OK(t, err)
	var said strings.Builder
	cmd.Stderr = &said
	expect.OK(t, cmd.Start())
	stopped := false
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if !stopped && strings.HasPrefix(lines.Text(), "copied accounts") { // the second of three dozen tables
			database.Stop(t)
			stopped = true
		}
	}
	_ = cmd.Wait() // with what is looked at next
	h.stays(t, said.String(), cmd.ProcessState.ExitCode(), goesOn)
	database.Start(t)
	h.moves(t, args, "--data", to, "--database-url", database.URL())
}
