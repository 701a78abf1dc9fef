package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// checkFolder refuses a data folder that can be neither used nor made. It makes nothing.
func checkFolder(dir string) error {
	if dir == "" {
		return errors.New("--data is empty: name a folder")
	}
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist) && !isLink(at), errors.Is(err, syscall.ENOTDIR):
			continue // the folder above decides whether it can be made
		case err != nil:
		case !info.IsDir():
			err = syscall.ENOTDIR
		default:
			err = unix.Access(at, unix.R_OK|unix.W_OK|unix.X_OK)
		}
		switch {
		case err == nil:
			return nil
		case at == filepath.Clean(dir):
			return fmt.Errorf("the data folder %s cannot be used: %w (choose another with --data)", dir, cause(err))
		}
		return fmt.Errorf("the data folder %s cannot be made in %s: %w (choose another with --data)", dir, at, cause(err))
	}
}

// isLink reports whether there is a link that leads nowhere.
func isLink(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
