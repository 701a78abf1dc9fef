package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestABackupOnAFullDiskLeavesNothing(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(*testing.T) []string{"of a folder": func(*testing.T) []string { return nil }, "of nodes": fullSet} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fullDisk(t, set(t))
		})
	}
}

func fullDisk(t *testing.T, set []string) {
	s := testenv.Start(t, testenv.Binary(t), set...)
	key := signUp(t, s)
	withBig(t, s, key)
	for _, seed := range []string{"one", "two", "three"} {
		content := map[string]any{"filename": seed + ".bin", "content": append(bigFile(seed), make([]byte, 1<<20)...)}
		if status, answer := call(t, s, "POST", "/v1/update", key, content); status != http.StatusOK {
			t.Fatalf("update: %d %v", status, answer)
		}
	}
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=2m"); err != nil {
		testenv.Skip(t, "mounting a small file system")
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	out, err := backupTo(t, s.Data(), filepath.Join(disk, "backup"), set...)
	if err == nil || !strings.Contains(out, "full") {
		t.Errorf("%v\n%s", err, out)
	}
	if left, err := os.ReadDir(disk); err != nil || len(left) != 0 {
		t.Errorf("left is %v, %v", left, err)
	}
	// The mount itself cannot be replaced, which the command reports before it copies anything.
	if out, err := backupTo(t, s.Data(), disk, set...); err == nil || !strings.Contains(out, "name one inside of it") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestABackupThatIsStoppedLeavesNothing under the name of the backup, and the next run makes it. It stops at the first signal and removes what
// it has written; the second ends it at once.
func TestABackupThatIsStoppedLeavesNothing(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	key := signUp(t, s)
	id := withBig(t, s, key)
	expect.Equal(t, "exit code", s.Stop(t), 0)
	dir := filepath.Join(t.TempDir(), "backup")
	left := func() string {
		names, err := filepath.Glob(dir + "*")
		expect.OK(t, err)
		return strings.ReplaceAll(strings.Join(names, " "), dir, "backup")
	}
	t.Run("by one signal", func(t *testing.T) {
		cmd, free := heldBackup(t, s.Data(), dir)
		expect.OK(t, cmd.Process.Signal(syscall.SIGTERM))
		free()
		_ = cmd.Wait() // its exit code is next
		expect.Equal(t, "exit code", cmd.ProcessState.ExitCode(), 1)
		expect.Equal(t, "left", left(), "")
	})
	t.Run("by a second one", func(t *testing.T) {
		cmd, free := heldBackup(t, s.Data(), dir)
		defer free()
		ended := make(chan struct{})
		go func() {
			_ = cmd.Wait() // how it ends is next
			close(ended)
		}()
		testenv.Eventually(t, 10*time.Second, "the end of a backup that waits", func() bool {
			_ = cmd.Process.Signal(syscall.SIGTERM) // the only error is that it has ended
			select {
			case <-ended:
				return true
			default:
				return false
			}
		})
		expect.Equal(t, "the signal that ended it", cmd.ProcessState.Sys().(syscall.WaitStatus).Signal(), syscall.SIGTERM)
		expect.Equal(t, "left", left(), "backup.partial")
	})
	if out, err := backupTo(t, s.Data(), dir); err != nil {
		t.Fatalf("the next run: %v\n%s", err, out)
	}
	expect.Equal(t, "left", left(), "backup")
	whole(t, dir, id, key, bigFile("before"))
}

// heldBackup begins a backup and returns when it waits for the bytes of a file, until free is called.
func heldBackup(t *testing.T, data, dir string) (cmd *exec.Cmd, free func()) {
	t.Helper()
	file := blobOf(t, data, bigFile("before"))
	aside := filepath.Join(t.TempDir(), "aside")
	expect.OK(t, os.Rename(file, aside))
	expect.OK(t, syscall.Mkfifo(file, 0o600))
	cmd = exec.Command(testenv.Binary(t), "backup", dir, "--data", data, "--copy")
	expect.OK(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // the only error is that it has ended
	var writer *os.File
	testenv.Eventually(t, time.Minute, "the backup reads the file", func() (reads bool) {
		var err error
		writer, err = os.OpenFile(file, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		return err == nil
	})
	return cmd, func() {
		expect.OK(t, writer.Close())
		expect.OK(t, os.Rename(aside, file))
	}
}
