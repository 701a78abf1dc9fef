package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

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
	// The mount itself cannot be replaced, which is told before anything is copied.
	if out, err := backupTo(t, s.Data(), disk, set...); err == nil || !strings.Contains(out, "name one inside of it") {
		t.Errorf("%v\n%s", err, out)
	}
}
