// Package datafolder locks the data folder of a server, keeps a reserve in it, and reports the space of its disk.
package datafolder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Locked keeps other servers out of a data folder until it is closed. The system releases it when the process
// ends, in any way.
type Locked struct{ file, dir *os.File }

// Close releases the lock.
func (l Locked) Close() error { return errors.Join(l.dir.Close(), l.file.Close()) }

// Lock makes the data folder if it is missing and locks it: the file in it, as other releases do, and the folder
// itself, for the file can be removed. While another server has the folder it waits, until ctx ends or for that time.
func Lock(ctx context.Context, dir string, patience time.Duration) (Locked, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Locked{}, fmt.Errorf("the data folder %s cannot be made: %w", dir, Cause(err))
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		l, err := lockBoth(dir)
		switch {
		case err == nil:
			return l, nil
		case !errors.Is(err, ErrLocked):
			return Locked{}, fmt.Errorf("the data folder %s cannot be used: %w", dir, Cause(err))
		}
		select {
		case <-time.After(lockAgain):
		case <-ctx.Done():
			return Locked{}, fmt.Errorf("another sandlot is using data folder %s: stop it, or choose another with --data", dir)
		}
	}
}

// lockAgain is the time between two tries to lock a folder.
const lockAgain = 20 * time.Millisecond

func lockBoth(dir string) (l Locked, err error) {
	if l.file, err = LockFile(filepath.Join(dir, LockName)); err != nil {
		return l, err
	}
	if l.dir, err = os.Open(dir); err != nil {
		return l, errors.Join(err, l.file.Close())
	}
	// A file system without locks for folders, as some on a network, leaves the lock of the file.
	if err = flock(l.dir); errors.Is(err, ErrLocked) {
		return l, errors.Join(err, l.Close())
	}
	return l, nil
}

// InUse reports whether a server has the folder.
func InUse(dir string) bool {
	l, err := lockBoth(dir)
	if err != nil {
		return errors.Is(err, ErrLocked)
	}
	return l.Close() != nil
}

// LockName is the file in a data folder that is locked during exclusive use.
const LockName = "lock"

// ErrLocked reports that another process holds the lock.
var ErrLocked = errors.New("locked by another process")

// LockFile makes the file if it is missing and locks it until it is closed.
func LockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := flock(f); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Cause returns the system's error without the path, which the sentence has.
func Cause(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// Check refuses a data folder that is no folder. It makes nothing: whether one can be made is found at the start.
func Check(dir string) error {
	if dir == "" {
		return errors.New("--data is empty: name a folder")
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = syscall.ENOTDIR
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fmt.Errorf("the data folder %s cannot be used: %w (choose another with --data)", dir, Cause(err))
}

// MayWrite refuses root if the folder belongs to another user: the server could not read root's files.
func MayWrite(folder string) error {
	if owner, known := ownerOf(folder); known && os.Geteuid() == 0 && owner != 0 {
		return fmt.Errorf("%s belongs to the user %d, who could not read what root writes: "+
			"give the command as that user, behind sudo -u '#%d'", folder, owner, owner)
	}
	return nil
}
