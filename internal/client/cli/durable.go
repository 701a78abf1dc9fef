package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// replaceFile puts a file in the place of another, or of none. A crash leaves the one or the other, never a part.
func replaceFile(path string, text []byte, mode fs.FileMode) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if err := writeSynced(f, text, mode); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// writeSynced writes and closes a file. What it has returned nil for survives a crash.
func writeSynced(f *os.File, text []byte, mode fs.FileMode) error {
	_, err := f.Write(text)
	return errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
}

// cause is what was wrong with a file, without its name, which messages have already.
func cause(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
