package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
	"time"

	"sandlot"
)

// Foreign yields the names, relative to the folder, of entries among the blobs that are older than the time given and
// neither a blob nor a temporary file: a name that no blob can have, a blob in another one's folder, a folder. It reads
// as it yields, and never looks into a foreign folder. An error, with an empty name, is the last thing yielded.
func (d *Disk) Foreign(ctx context.Context, before time.Time) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		ours := append(folders(), tempFolder)
		err := d.entries(ctx, ".", func(e fs.DirEntry) error {
			if e.IsDir() && slices.Contains(ours, e.Name()) {
				return nil
			}
			return d.foreign(".", e, before, yield)
		})
		for _, folder := range ours {
			if err != nil {
				break
			}
			err = d.entries(ctx, folder, func(e fs.DirEntry) error {
				ref := sandlot.BlobRef(e.Name())
				if Valid(ref) && e.Type().IsRegular() && (folder == tempFolder || string(ref[:2]) == folder) {
					return nil
				}
				return d.foreign(folder, e, before, yield)
			})
		}
		if err != nil && err != errStop {
			yield("", fmt.Errorf("list blobs: %w", err))
		}
	}
}

// entries calls visit with each entry of a folder. A missing folder has none.
func (d *Disk) entries(ctx context.Context, folder string, visit func(fs.DirEntry) error) error {
	dir, err := d.fs.Open(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return classify(err)
	}
	defer dir.Close()
	for {
		list, err := dir.ReadDir(listBatch)
		for _, e := range list {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := visit(e); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return classify(err)
		}
	}
}

// foreign yields an entry that is not ours, if it is old enough.
func (d *Disk) foreign(folder string, e fs.DirEntry, before time.Time, yield func(string, error) bool) error {
	name := e.Name()
	if folder != "." {
		name = folder + "/" + name
	}
	fi, err := d.fs.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return classify(err)
	case fi.ModTime().Before(before) && !yield(name, nil):
		return errStop
	}
	return nil
}
