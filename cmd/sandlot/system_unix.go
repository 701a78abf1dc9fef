//go:build unix

package main

import "golang.org/x/sys/unix"

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
