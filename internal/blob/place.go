package blob

import (
	"fmt"
	"os"
	"path/filepath"

	"sandlot/internal/publish"
)

// placeOf returns what tells whether an open folder is still found under its name.
// One that was renamed, or has another in its place, can be written and synced for
// as long as it is open, and whoever opens the name next finds nothing of it.
func placeOf(root *os.Root) (check func() error, err error) {
	name, err := filepath.Abs(root.Name())
	if err != nil {
		return nil, err
	}
	opened, err := root.Stat(".")
	if err != nil {
		return nil, err
	}
	return func() error {
		now, err := os.Stat(name)
		if err != nil {
			return fmt.Errorf("%w: the folder of blobs is not where it was opened: %w", publish.ErrUnavailable, err)
		}
		if !os.SameFile(opened, now) {
			return fmt.Errorf("%w: the folder of blobs is not where it was opened: %s is another folder", publish.ErrUnavailable, name)
		}
		return nil
	}, nil
}

// inPlace returns an error unless the folder is where it was opened.
func (d *Disk) inPlace() error {
	if d.place == nil {
		return nil
	}
	return d.place()
}
