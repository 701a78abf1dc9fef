package blob

import (
	"fmt"
	"os"
	"path/filepath"

	"sandlot"
	"sandlot/internal/base/durable"
)

// placeOf records the place of an open folder.
func placeOf(root *os.Root) (durable.Place, error) {
	p := durable.Place{What: "the folder of blobs"}
	name, err := filepath.Abs(root.Name())
	if err != nil {
		return p, err
	}
	opened, err := root.Stat(".")
	p.Add(name, opened)
	return p, err
}

// inPlace returns sandlot.ErrUnavailable unless the folder is where it was opened.
func (d *Disk) inPlace() error {
	if err := d.place.Check(); err != nil {
		return fmt.Errorf("%w: %w", sandlot.ErrUnavailable, err)
	}
	return nil
}
