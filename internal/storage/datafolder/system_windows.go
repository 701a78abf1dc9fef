package datafolder

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// flock locks an open file until it is closed. The system has no locks of folders.
func flock(f *os.File) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		err = ErrLocked
	}
	return err
}

// ownerOf returns false: users have no numbers.
func ownerOf(string) (uid int, known bool) { return 0, false }

// Usage returns the bytes in use on the disk of a folder, and those free for the process's user.
func Usage(folder string) (used, free uint64, ok bool) {
	name, err := windows.UTF16PtrFromString(folder)
	if err != nil {
		return 0, 0, false
	}
	var mine, all, unused uint64
	if windows.GetDiskFreeSpaceEx(name, &mine, &all, &unused) != nil || unused > all {
		return 0, 0, false
	}
	return all - unused, mine, true
}
