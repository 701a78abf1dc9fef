package blob

import (
	"os"

	"golang.org/x/sys/unix"
)

// startWriteback only gives a hint: the sync at the end writes the rest, and reports errors.
func startWriteback(f *os.File, off, n int64) {
	conn, err := f.SyscallConn()
	if err != nil {
		return
	}
	conn.Control(func(fd uintptr) {
		unix.SyncFileRange(int(fd), off, n, unix.SYNC_FILE_RANGE_WRITE)
	})
}
