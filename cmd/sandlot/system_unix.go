//go:build unix

package main

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
		err = errLocked
	}
	return err
}

// openFiles returns the number of descriptors that the process may have; 0 if it is unknown. Go has raised it to the
// hard limit at the start.
func openFiles() int {
	var r unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &r) != nil {
		return 0
	}
	const most = 1 << 20 // more than memory has room for; also if there is no limit
	return int(min(r.Cur, most))
}

// folderOwner returns the user that owns a folder.
func folderOwner(folder string) (uid int, known bool) {
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

// diskUsage returns the numbers of df: the bytes in use, and those free for a program without privileges.
func diskUsage(folder string) (used, free uint64, ok bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil || s.Bfree > s.Blocks || s.Bsize <= 0 {
		return 0, 0, false
	}
	return (s.Blocks - s.Bfree) * uint64(s.Bsize), uint64(s.Bavail) * uint64(s.Bsize), true
}
