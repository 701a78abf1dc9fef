//go:build unix

package blob

import (
	"io/fs"
	"syscall"
)

// inode numbers a file, so that one put in another's place is noticed even if
// size and time were copied. It is 0 where there is no such number.
func inode(fi fs.FileInfo) uint64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Ino)
	}
	return 0
}
