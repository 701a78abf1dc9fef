//go:build unix

package blob

import (
	"io/fs"
	"syscall"
)

// inode returns the number of a file, so that a replacement is noticed even if size and time were copied. It is 0 if
// the system has no such number.
func inode(fi fs.FileInfo) uint64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Ino)
	}
	return 0
}
