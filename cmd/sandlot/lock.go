package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// lockFolder makes the data folder if it is not there and keeps other servers
// out of it until the file is closed. The system lets go of the lock when the
// process ends, however it ends.
func lockFolder(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("the data folder %s cannot be made: %w", dir, cause(err))
	}
	f, err := lockFile(filepath.Join(dir, lockName))
	if errors.Is(err, errLocked) {
		return nil, fmt.Errorf("another sandlot is running on the data folder %s: stop it, or give this one another --data", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("the data folder %s cannot be used: %w", dir, cause(err))
	}
	return f, nil
}

// lockName is the file in a data folder that is held while somebody uses it alone.
const lockName = "lock"

// errLocked: another process holds the lock.
var errLocked = errors.New("locked by another process")

// lockFile makes the file if it is not there and holds it until it is closed.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = errLocked
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// cause is what the system said, without the path that the sentence names.
func cause(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
