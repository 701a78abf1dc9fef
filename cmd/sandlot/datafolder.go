package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// checkFolder refuses a data folder that is no folder. It makes nothing: whether one can be made is found at the start.
func checkFolder(dir string) error {
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
	return fmt.Errorf("the data folder %s cannot be used: %w (choose another with --data)", dir, cause(err))
}
