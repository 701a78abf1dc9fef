// Package durable keeps the promise that acknowledged data is on the disk, for all that writes to it: records, blobs,
// messages and backups.
package durable

import (
	"errors"
	"fmt"
	"os"
	"runtime"
)

// Sync puts a file, or the names in a folder, on the disk, and closes it. It takes the results of opening it, and
// returns that error if there is one.
func Sync(f *os.File, err error) error {
	if err != nil {
		return err
	}
	err = f.Sync()
	if runtime.GOOS == "windows" {
		if info, serr := f.Stat(); serr == nil && info.IsDir() {
			err = nil // it refuses to sync a folder, and journals the entries itself
		}
	}
	return errors.Join(err, f.Close())
}

// A Place records where open files were when they were opened. A file that was deleted, moved or replaced since can be
// written and synced for as long as it is open, but the next open of its name finds none of its bytes.
type Place struct {
	What  string // the files, for errors: "the database"
	names []string
	files []os.FileInfo
}

// Add records the name of an open file, which is absolute or relative to a working folder that stays.
func (p *Place) Add(name string, opened os.FileInfo) {
	p.names, p.files = append(p.names, name), append(p.files, opened)
}

// Check returns an error unless each name still leads to its file. It costs one system call for each, some
// microseconds. It may be called concurrently.
func (p *Place) Check() error {
	for i, name := range p.names {
		now, err := os.Stat(name)
		if err != nil {
			return fmt.Errorf("%s is not where it was opened: %w", p.What, err)
		}
		if !os.SameFile(p.files[i], now) {
			return fmt.Errorf("%s is not where it was opened: another lies at %s", p.What, name)
		}
	}
	return nil
}
