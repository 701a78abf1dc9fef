//go:build unix

package datafolder

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// flock locks an open file, or folder, until it is closed.
func flock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = ErrLocked
	}
	return err
}

// ownerOf returns the user that owns a folder.
func ownerOf(folder string) (uid int, known bool) {
	info, err := os.Stat(folder)
	if err != nil {
		return 0, false
	}
	s, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return 0, false
	}
	return int(s.Uid), true
}

// Usage returns the numbers of df: the bytes in use, and those free for a program without privileges.
func Usage(folder string) (used, free uint64, ok bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil || s.Bfree > s.Blocks || s.Bsize <= 0 {
		return 0, 0, false
	}
	return (s.Blocks - s.Bfree) * uint64(s.Bsize), uint64(s.Bavail) * uint64(s.Bsize), true
}
