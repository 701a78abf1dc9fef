package testenv

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Ext4 mounts a file system of 64 MiB of its own until the test ends, with "loop" and what else options say.
func Ext4(tb testing.TB, options string) (dir string) {
	tb.Helper()
	Need(tb, "mkfs.ext4")
	image := filepath.Join(tb.TempDir(), "image")
	f, err := os.Create(image)
	if err != nil {
		tb.Fatal(err)
	}
	if err := f.Truncate(64 << 20); err != nil {
		tb.Fatal(err)
	}
	f.Close()
	if out, err := exec.Command("mkfs.ext4", "-q", image).CombinedOutput(); err != nil {
		tb.Fatalf("mkfs.ext4: %v %s", err, out)
	}
	dir = tb.TempDir()
	if out, err := exec.Command("mount", "-o", options, image, dir).CombinedOutput(); err != nil {
		tb.Logf("mount: %v %s", err, out)
		Skip(tb, "mounting a small file system (root)")
	}
	tb.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", dir).CombinedOutput(); err != nil {
			tb.Errorf("umount: %v %s", err, out)
		}
	})
	return dir
}
