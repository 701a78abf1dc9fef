package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// A folderLock keeps other servers out of a data folder until it is closed. The system releases it when the process
// ends, in any way.
type folderLock struct{ file, dir *os.File }

// Close releases the lock.
func (l folderLock) Close() error { return errors.Join(l.dir.Close(), l.file.Close()) }

// lockFolder makes the data folder if it is missing and locks it: the file in it, as other releases do, and the folder
// itself, for the file can be removed. While another server has the folder it waits, until ctx ends or for that time.
func lockFolder(ctx context.Context, dir string, patience time.Duration) (folderLock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return folderLock{}, fmt.Errorf("the data folder %s cannot be made: %w", dir, cause(err))
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		l, err := lockBoth(dir)
		switch {
		case err == nil:
			return l, nil
		case !errors.Is(err, errLocked):
			return folderLock{}, fmt.Errorf("the data folder %s cannot be used: %w", dir, cause(err))
		}
		select {
		case <-time.After(lockAgain):
		case <-ctx.Done():
			return folderLock{}, fmt.Errorf("another sandlot is using data folder %s: stop it, or choose another with --data", dir)
		}
	}
}

// lockAgain is the time between two tries to lock a folder.
const lockAgain = 20 * time.Millisecond

func lockBoth(dir string) (l folderLock, err error) {
	if l.file, err = lockFile(filepath.Join(dir, lockName)); err != nil {
		return l, err
	}
	if l.dir, err = os.Open(dir); err != nil {
		return l, errors.Join(err, l.file.Close())
	}
	// A file system without locks for folders, as some on a network, leaves the lock of the file.
	if err = flock(l.dir); errors.Is(err, errLocked) {
		return l, errors.Join(err, l.Close())
	}
	return l, nil
}

// lockName is the file in a data folder that is locked during exclusive use.
const lockName = "lock"

// errLocked reports that another process holds the lock.
var errLocked = errors.New("locked by another process")

// lockFile makes the file if it is missing and locks it until it is closed.
func lockFile(path string) (*os.File, error) {
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

// cause returns the system's error without the path, which the sentence has.
func cause(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
