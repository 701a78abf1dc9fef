package sqlstore

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestFullDisk fills a small file system.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, "size=96m")
	ballast := filepath.Join(dir, "ballast")
	expect.OK(t, os.WriteFile(ballast, make([]byte, 16<<20), 0o600))
	path := filepath.Join(dir, "sandlot.db")
	db, err := OpenSQLite(t.Context(), path, Options{})
	expect.OK(t, err)
	defer func() { db.Close() }()

	acknowledged, refused := uint64(0), error(nil)
	for n := uint64(0); n < 2000 && refused == nil; n++ {
		if refused = publishLarge(t, db, n); refused == nil {
			acknowledged++
		}
	}
	expect.Is(t, "the publish that finds the disk full", refused, sandlot.ErrFull)
	if acknowledged < 100 {
		t.Fatalf("only %d publishes went in", acknowledged)
	}
	for n := range uint64(5) {
		expect.Is(t, "a later publish", publishLarge(t, db, 10_000+n), sandlot.ErrFull)
	}
	np, na := benchProject(20_000, nil), benchAccount(20_000)
	np.New, np.Primary, np.Files = &na, "a/7", lettered("a")
	for i := range np.Files {
		np.Files[i].Blob = sandlot.Blob{Inline: bytes.Repeat([]byte{1}, 64<<10), Size: 64 << 10, SHA256: benchSum("large", uint64(i))}
	}
	_, err = db.Publish().CreateProject(t.Context(), np)
	expect.Is(t, "a publish that is larger than the disk", err, sandlot.ErrFull)
	expect.Is(t, "a publish that is larger than the disk", err, sandlot.ErrNoEffect)
	for range 3 {
		expect.Is(t, "ping", db.Ping(t.Context()), sandlot.ErrFull)
	}
	holds(t, db, acknowledged, 10_000)

	expect.OK(t, os.Remove(ballast))
	expect.Is(t, "ping once there is room", db.Ping(t.Context()), nil)
	expect.Is(t, "a publish once there is room", publishLarge(t, db, acknowledged), nil)
	holds(t, db, acknowledged+1, 10_000)
	expect.Is(t, "close", db.Close(), nil)
	if db, err = OpenSQLite(t.Context(), path, Options{}); err != nil {
		t.Fatal(err)
	}
	holds(t, db, acknowledged+1, 10_000)
}

// smallDisk mounts a file system that is taken away when the test ends.
func smallDisk(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		if errors.Is(err, syscall.EPERM) {
			testenv.Skip(t, "mounting a file system")
		}
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func publishLarge(t *testing.T, db *DB, n uint64) error {
	np, na := benchProject(n, bytes.Repeat([]byte{byte(n)}, 64<<10)), benchAccount(n)
	np.New = &na
	np.Files[0].Blob.SHA256 = sha256.Sum256(np.Files[0].Blob.Inline)
	_, err := db.Publish().CreateProject(t.Context(), np)
	return err
}

// holds fails the test unless the first n projects are there, whole, and the one
// that was refused is not.
func holds(t *testing.T, db *DB, n, refused uint64) {
	t.Helper()
	for i := range n {
		id := sandlot.ProjectID(benchName("project", i))
		files, err := db.Publish().Files(t.Context(), id, 1)
		expect.OK(t, err, "project", i)
		if _, err := db.Publish().Content(t.Context(), files[0].Blob.ID); err != nil {
			t.Fatalf("content of project %d: %v", i, err)
		}
	}
	_, err := db.Publish().Project(t.Context(), sandlot.ProjectID(benchName("project", refused)))
	expect.Is(t, "the refused project", err, sandlot.ErrNotFound)
}
