package blob

import (
	"bytes"
	"errors"
	"syscall"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestFullDisk fills a real file system.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=8m"); err != nil {
		testenv.Skip(t, "mounting a small file system")
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	d := openAt(t, dir, Options{})
	kept := put(t, d, noise(4<<20))

	_, err := d.Put(t.Context(), d.Name(), bytes.NewReader(noise(16<<20)))
	if !errors.Is(err, sandlot.ErrFull) || !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("got %v, want ErrFull", err)
	}
	if got := files(t, dir); len(got) != 1 {
		t.Errorf("left: %v", got)
	}
	filler := fillUp(t, d)
	expect.Is(t, "Ping", d.Ping(t.Context()), sandlot.ErrFull)
	if got, err := read(d, kept); err != nil || !bytes.Equal(got, noise(4<<20)) {
		t.Errorf("reading while full: %d bytes, %v", len(got), err)
	}

	for _, b := range filler {
		expect.OK(t, d.Delete(t.Context(), b.Ref), "deleting while full")
	}
	d.now = func() time.Time { return time.Now().Add(pingFor) }
	expect.Is(t, "with room again", d.Ping(t.Context()), nil)
	put(t, d, noise(2<<20))
}

// fillUp puts blobs until there is no room for another page.
func fillUp(t *testing.T, d *Disk) []sandlot.Blob {
	t.Helper()
	var filler []sandlot.Blob
	for size := 1 << 20; size >= 4096; {
		b, err := d.Put(t.Context(), d.Name(), bytes.NewReader(noise(size)))
		switch {
		case err == nil:
			filler = append(filler, b)
		case errors.Is(err, sandlot.ErrFull):
			size /= 2
		default:
			t.Fatal(err)
		}
	}
	return filler
}
