package sqlite

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestRegression46ASyncEndsAfterTheThaw: what a commit writes into the mapped index after its sync would stop the whole process.
func TestRegression46ASyncEndsAfterTheThaw(t *testing.T) {
	disk := testenv.Ext4(t, "loop")
	expect.Is(t, "register", registered(), nil)
	tls := libc.NewTLS()
	defer tls.Close()
	// SQLite gives a log the mode of the database that its name begins with.
	expect.OK(t, os.WriteFile(filepath.Join(disk, "db"), nil, 0o600))
	file, fd := openedFile(t, tls, filepath.Join(disk, "db-wal"))
	sync := as[func(*libc.TLS, uintptr, int32) int32](at[askingMethods](at[sqlite3.Tsqlite3_file](file).FpMethods).FxSync)
	expect.Equal(t, "a sync", sync(tls, file, sqlite3.SQLITE_SYNC_NORMAL), sqlite3.SQLITE_OK)
	thaw := testenv.Freeze(t, disk)
	ended := make(chan int32, 1)
	go func() {
		own := libc.NewTLS()
		defer own.Close()
		ended <- sync(own, file, sqlite3.SQLITE_SYNC_NORMAL)
	}()
	awaitWrite(t, fd, ended)
	if !thaw() {
		t.Error("the file system was thawed before")
	}
	expect.Equal(t, "the sync", <-ended, sqlite3.SQLITE_OK)
}

// openedFile is a new file that SQLite has opened, as it would a log.
func openedFile(t *testing.T, tls *libc.TLS, path string) (file uintptr, fd int32) {
	t.Helper()
	name, err := libc.CString(path)
	expect.Is(t, "name", err, nil)
	vfs, err := libc.CString(vfsName)
	expect.Is(t, "name", err, nil)
	own := at[askingVFS](sqlite3.Xsqlite3_vfs_find(tls, vfs))
	file = libc.Xcalloc(tls, 1, libc.Tsize_t(own.FszOsFile))
	flags := int32(sqlite3.SQLITE_OPEN_READWRITE | sqlite3.SQLITE_OPEN_CREATE | sqlite3.SQLITE_OPEN_WAL)
	expect.Equal(t, "open", openAsking(tls, sqlite3.Xsqlite3_vfs_find(tls, vfs), name, file, flags, 0), sqlite3.SQLITE_OK)
	return file, at[sqlite3.TunixFile](file).Fh
}

// awaitWrite waits until a thread of this process is inside of a write of nothing to the file.
func awaitWrite(t *testing.T, fd int32, ended <-chan int32) {
	t.Helper()
	inside := fmt.Sprintf("%d 0x%x ", syscall.SYS_PWRITE64, fd) // proc(5)
	testenv.Eventually(t, 10*time.Second, "a thread that waits to write", func() bool {
		threads, err := filepath.Glob("/proc/self/task/*/syscall")
		expect.Is(t, "list threads", err, nil)
		for _, name := range threads {
			if call, err := os.ReadFile(name); err == nil && strings.HasPrefix(string(call), inside) {
				return true
			}
		}
		select {
		case rc := <-ended:
			t.Fatalf("the sync ended in the freeze: %d", rc)
		default:
		}
		return false
	})
}
