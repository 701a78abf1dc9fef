//go:build linux || darwin

package main

import "golang.org/x/sys/unix"

// diskUsed is what df shows: the part that is used of what a program without
// privileges can use.
func diskUsed(folder string) (percent int, ok bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil || s.Bfree > s.Blocks {
		return 0, false
	}
	used, free := s.Blocks-s.Bfree, uint64(s.Bavail)
	if used+free == 0 {
		return 0, false
	}
	return int(used * 100 / (used + free)), true
}
