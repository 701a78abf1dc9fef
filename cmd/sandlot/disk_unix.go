//go:build linux || darwin

package main

import "golang.org/x/sys/unix"

// diskUsage returns the numbers of df: the bytes in use, and those free for a program without privileges.
func diskUsage(folder string) (used, free uint64, ok bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil || s.Bfree > s.Blocks || s.Bsize <= 0 {
		return 0, 0, false
	}
	return (s.Blocks - s.Bfree) * uint64(s.Bsize), uint64(s.Bavail) * uint64(s.Bsize), true
}
