package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"time"

	"sandlot"
	"sandlot/internal/base/worker"
)

const (
	// listBatch is how many names are read from a folder at once.
	listBatch = 256
	// ahead is how far the clock of a file system may be ahead. A later time came from a wrong clock, and the file may
	// be of any age.
	ahead = time.Hour
)

// Delete removes a blob. Deleting a missing one is not an error; a name that no
// blob can have is. After a crash a deleted blob may be there again, as garbage.
func (d *Disk) Delete(_ context.Context, ref sandlot.BlobRef) error {
	if !Valid(ref) {
		return fmt.Errorf("delete blob %q: not the name of a blob", ref)
	}
	d.trust.known.Drop(ref)
	if err := d.fs.Remove(Path(ref)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete blob %s: %w", ref, classify(err))
	}
	return nil
}

// List yields the names of all blobs that were stored before the time given, in no order, by the modification times of
// their files. A time that is more than an hour ahead does not count, and such a blob is yielded, too. It reads as it
// yields and keeps at most 256 names. Blobs put or deleted meanwhile may be yielded or not. It passes over unreadable
// folders and files that are no blobs; an error, with an empty name, is the last thing yielded. As it is called for
// collecting garbage, it also removes temporary files that nobody has written to for an hour and that are not its own,
// unless the Disk was opened with Existing.
func (d *Disk) List(ctx context.Context, before time.Time) iter.Seq2[sandlot.BlobRef, error] {
	return func(yield func(sandlot.BlobRef, error) bool) {
		err := d.inPlace() // files in another folder are not this one's garbage
		if err == nil {
			err = d.list(ctx, before, yield)
		}
		if err != nil && err != errStop {
			yield("", fmt.Errorf("list blobs: %w", err))
		}
	}
}

func (d *Disk) list(ctx context.Context, before time.Time, yield func(sandlot.BlobRef, error) bool) error {
	var failed worker.Errors
	if !d.looking {
		failed.Add(d.sweepTemp(ctx, d.now().Add(-staleAfter)))
	}
	for _, folder := range folders() {
		err := d.walk(ctx, folder, before, func(ref sandlot.BlobRef) error {
			// A copy in a folder that Open would not use is nobody's blob.
			if string(ref[:2]) == folder && !yield(ref, nil) {
				return errStop
			}
			return nil
		})
		if err == errStop {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		failed.Add(err)
	}
	return failed.Err()
}

// errStop ends a walk whose consumer wants no more.
var errStop = errors.New("stop")

// sweepTemp removes the temporary files that were last written before the time given, except for those that this Disk
// is writing.
func (d *Disk) sweepTemp(ctx context.Context, before time.Time) error {
	return d.walk(ctx, tempFolder, before, func(ref sandlot.BlobRef) error {
		if d.writing.has(ref) {
			return nil
		}
		if err := d.fs.Remove(tempPath(ref)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return classify(err)
		}
		return nil
	})
}

// walk calls visit with each valid name in a folder whose file was last written before the time given. It passes over
// entries that fail, and returns their errors. visit ends it with errStop.
func (d *Disk) walk(ctx context.Context, folder string, before time.Time, visit func(sandlot.BlobRef) error) error {
	var failed worker.Errors
	err := d.entries(ctx, folder, func(e fs.DirEntry) error {
		if ref := sandlot.BlobRef(e.Name()); Valid(ref) && !e.IsDir() {
			err := d.older(folder+"/"+e.Name(), before, func() error { return visit(ref) })
			if err == errStop {
				return err
			}
			failed.Add(err)
		}
		return nil
	})
	if err == errStop {
		return err
	}
	failed.Add(err)
	return failed.Err()
}

// older calls visit if a file was last written before the time given, or seems to be of the future.
func (d *Disk) older(name string, before time.Time, visit func() error) error {
	fi, err := d.fs.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // removed since the folder was read
	}
	if err != nil {
		return classify(err)
	}
	if at := fi.ModTime(); !at.Before(before) && !at.After(d.now().Add(ahead)) {
		return nil
	}
	return visit()
}

// entries calls visit with each entry of a folder.
func (d *Disk) entries(ctx context.Context, folder string, visit func(fs.DirEntry) error) error {
	dir, err := d.fs.Open(folder)
	if d.looking && errors.Is(err, fs.ErrNotExist) {
		return nil // its blobs are missing, which the check of the records reports
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
