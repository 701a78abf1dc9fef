package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"sandlot"
	"sandlot/internal/base/failpoint"
)

// CloneTo puts a blob into another Disk under its own name: for a backup. With link it becomes a second name of the
// same file, if the file system supports it; else it is copied and synced. Links are durable after SyncFolders. A blob
// that is there already is left alone, and a missing one is sandlot.ErrNotFound. The bytes are not checked.
func (d *Disk) CloneTo(ctx context.Context, to *Disk, ref sandlot.BlobRef, link bool) error {
	if !Valid(ref) {
		return fmt.Errorf("clone blob %q: %w", ref, sandlot.ErrNotFound)
	}
	if link && linked(d.fs, to.fs, Path(ref)) {
		failpoint.Hit(failpoint.MidBackup)
		return ctx.Err()
	}
	return to.TakeFrom(ctx, ref, func() (io.ReadCloser, error) {
		f, err := d.fs.Open(Path(ref))
		if errors.Is(err, fs.ErrNotExist) {
			err = sandlot.ErrNotFound
		}
		if err != nil {
			return nil, fmt.Errorf("clone blob %q: %w", ref, classify(err))
		}
		return f, nil
	})
}

// TakeFrom puts the bytes of a reader under a blob's name, unless it is there already: for a backup of another store.
// The bytes are not checked.
func (d *Disk) TakeFrom(ctx context.Context, ref sandlot.BlobRef, open func() (io.ReadCloser, error)) error {
	if _, err := d.fs.Stat(Path(ref)); err == nil {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("take blob %q: %w", ref, classify(err))
	}
	r, err := open()
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = d.Put(ctx, ref, r)
	failpoint.Hit(failpoint.MidBackup)
	return err
}

// linked tries to give a file of one folder a name in another. If it cannot, for they are on different disks or the
// system has no links, the copy that follows reports the reason.
func linked(from, to FS, path string) bool {
	a, ok := from.(rooted)
	b, both := to.(rooted)
	if !ok || !both {
		return false
	}
	path = filepath.FromSlash(path)
	return os.Link(filepath.Join(a.root.Name(), path), filepath.Join(b.root.Name(), path)) == nil
}

// SyncFolders makes the names of all blobs durable.
func (d *Disk) SyncFolders() error {
	for _, name := range append(folders(), ".") {
		if err := d.fs.SyncDir(name); err != nil {
			return fmt.Errorf("sync blobs: %w", classify(err))
		}
	}
	return nil
}
