package testenv

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
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

// frozenFor is how long Freeze leaves a file system frozen at most.
const frozenFor = 20 * time.Second

// Freeze freezes the file system that is mounted at dir, as a snapshot does, until thaw is called, or 20 s are over. thaw may be called
// again.
func Freeze(tb testing.TB, dir string) (thaw func()) {
	tb.Helper()
	Need(tb, "fsfreeze")
	fsfreeze := func(how string) {
		if out, err := exec.Command("fsfreeze", how, dir).CombinedOutput(); err != nil {
			tb.Errorf("fsfreeze %s: %v %s", how, err, out)
		}
	}
	fsfreeze("--freeze")
	late := time.AfterFunc(frozenFor, func() { fsfreeze("--unfreeze") })
	thaw = func() {
		if late.Stop() {
			fsfreeze("--unfreeze")
		}
	}
	tb.Cleanup(thaw)
	return thaw
}
