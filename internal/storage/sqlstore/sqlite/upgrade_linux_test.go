package sqlite

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestWithoutRoomForTheCopyNothingIsUpgraded(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=26m"); err != nil {
		t.Log(err)
		testenv.Skip(t, "mounting a small file system (root)")
	}
	t.Cleanup(func() { expect.OK(t, syscall.Unmount(disk, syscall.MNT_DETACH)) })
	path := filepath.Join(disk, "sandlot.db")
	db := openAs(t, path, later(t))
	mustExec(t, db, "INSERT INTO probe (one, bytes) VALUES (1, randomblob(8000000))")
	expect.OK(t, db.Close())
	filler := filepath.Join(disk, "filler")
	expect.OK(t, os.WriteFile(filler, make([]byte, 10<<20), 0o600))

	_, err := open(t.Context(), path, Options{}, later(t, expansion))
	expect.Is(t, "the start", err, sandlot.ErrFull)
	expect.Contains(t, "the error", err.Error(), "there is no room for the copy of "+path+" from before its upgrade, about 11 MiB; nothing was changed. "+
		"Free that much on its disk, or start the sandlot of before")
	expect.Equal(t, "copies", len(copies(path)), 0)
	expect.OK(t, openAs(t, path, later(t)).Close())

	expect.OK(t, os.Remove(filler))
	expect.OK(t, openAs(t, path, later(t, expansion)).Close())
	expect.Equal(t, "copies", len(copies(path)), 1)
}
