package main

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// openFiles returns the number of descriptors that the process may have; 0 if it is unknown. Go has raised it to the
// hard limit at the start.
func openFiles() int {
	var r unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &r) != nil {
		return 0
	}
	const most = 1 << 20 // more than memory has room for; also if there is no limit
	if r.Cur > most {
		return most
	}
	return int(r.Cur)
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
