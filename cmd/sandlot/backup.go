package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"sandlot"
	"sandlot/internal/base/durable"
	"sandlot/internal/domain/operate"
	"sandlot/internal/format/content"
	"sandlot/internal/storage/blob"
	"sandlot/internal/storage/blob/cache"
	"sandlot/internal/storage/blob/s3"
	"sandlot/internal/storage/sqlstore"
)

// backupCommand copies everything into a data folder. The copy is built under
// another name, verified, synced, and only then renamed: a folder of the name
// that was asked for is whole.
type backupCommand struct {
	Dir string `arg:"" type:"path" help:"Folder to create; if it exists, it must be empty."`
	storage
	Copy bool `help:"Copy files that are on the same disk too, instead of linking them. (default: link them)"`
}

// partial is what the name of an unfinished backup ends in. Its database has
// another name, too, so that no server starts on it.
const partial = ".partial"

// Run makes the backup. Damage that the service's own data have is copied and
// told: the backup stays, and the command fails.
func (c *backupCommand) Run(ctx context.Context, t *terminal) error {
	if err := c.check(); err != nil {
		return usageError{err}
	}
	b := &backup{from: c.storage, dir: filepath.Clean(c.Dir), link: !c.Copy, out: t.out}
	b.tmp = b.dir + partial
	if err := b.run(ctx); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	if b.seen.Damaged > 0 {
		return fmt.Errorf("the backup %s is complete, but of its data %s, as in %s", b.dir, damage(b.seen.Damaged), c.place())
	}
	fmt.Fprintf(t.out, "%s: %s, %s, %s, all verified\n", b.dir, amount(b.seen.Projects, "project"), amount(b.seen.Blobs, "blob"), amount(b.seen.Bytes, "byte"))
	return nil
}

// backup is one run.
type backup struct {
	from storage
	dir  string // what is to be
	tmp  string // where it is built
	link bool
	out  io.Writer
	seen operate.Verified
}

func (b *backup) run(ctx context.Context) error {
	db, err := b.from.records(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := makeWay(b.dir); err != nil {
		return err
	}
	lock, err := b.begin()
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := b.fill(ctx, db); err != nil {
		// Without the lock's file the next run would not know it for its own.
		return errors.Join(err, os.RemoveAll(b.tmp))
	}
	return nil
}

// makeWay makes sure that the folder can be made: there is none, or an empty one
// that can be taken away.
func makeWay(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("the folder %s cannot be used: %w", dir, cause(err))
	case len(entries) > 0:
		return fmt.Errorf("the folder %s is not empty; nothing was written (name one that is not there)", dir)
	}
	if err := os.Remove(dir); err != nil {
		return fmt.Errorf("the empty folder %s cannot be replaced: %w (name one inside of it)", dir, cause(err))
	}
	return nil
}

// begin makes the folder in which the backup is built. What a run left there that
// was cut short is removed; one that is under way is not disturbed.
func (b *backup) begin() (*os.File, error) {
	if err := os.MkdirAll(b.tmp, 0o700); err != nil {
		return nil, fmt.Errorf("the folder %s cannot be made: %w", b.tmp, cause(err))
	}
	lock, err := lockFile(filepath.Join(b.tmp, lockName))
	if errors.Is(err, errLocked) {
		return nil, fmt.Errorf("another backup to %s is under way", b.dir)
	}
	if err != nil {
		return nil, fmt.Errorf("the folder %s cannot be used: %w", b.tmp, cause(err))
	}
	for _, name := range []string{blobsName, databaseName, databaseName + partial, databaseName + partial + "-wal", databaseName + partial + "-shm"} {
		if err := os.RemoveAll(filepath.Join(b.tmp, name)); err != nil {
			return nil, errors.Join(fmt.Errorf("the folder %s cannot be emptied: %w", b.tmp, cause(err)), lock.Close())
		}
	}
	return lock, nil
}

// originals are the bytes that are copied. take takes a blob, unless it is there
// already. What is missing or damaged it passes over: that is told when the copy is
// verified.
type originals interface {
	take(ctx context.Context, to *blob.Disk, b sandlot.Blob) error
	Close() error
}

// A cloned folder has files that are linked or copied, whatever is in them.
type clonedFolder struct {
	*blob.Disk
	link bool
}

func (f clonedFolder) take(ctx context.Context, to *blob.Disk, b sandlot.Blob) error {
	if err := f.CloneTo(ctx, to, b.Ref, f.link); !errors.Is(err, sandlot.ErrNotFound) {
		return err
	}
	return nil
}

// A fetched bucket has files that are compared as they come.
type fetchedBucket struct{ cached }

func (f fetchedBucket) take(ctx context.Context, to *blob.Disk, b sandlot.Blob) error {
	return fetchBlob(ctx, f.cached, to, b)
}

// fetchBlob copies a blob that is compared as it comes. It passes over a blob that is missing or damaged.
func fetchBlob(ctx context.Context, from opener, to taker, b sandlot.Blob) error {
	var read content.Source // tells what failed: the source, or the target
	err := to.TakeFrom(ctx, b.Ref, func() (io.ReadCloser, error) {
		r, err := from.Open(ctx, b, 0, -1)
		if err != nil {
			read.Err = err
			return nil, err
		}
		read.Reader = r
		return sourced{&read, r}, nil
	})
	if errors.Is(read.Err, sandlot.ErrNotFound) || errors.Is(read.Err, sandlot.ErrCorrupt) {
		return nil
	}
	return err
}

// opener is where blobs come from.
type opener interface {
	Open(ctx context.Context, b sandlot.Blob, off, n int64) (io.ReadCloser, error)
}

// taker is where blobs go to.
type taker interface {
	TakeFrom(ctx context.Context, ref sandlot.BlobRef, open func() (io.ReadCloser, error)) error
}

// sourced is a source that is closed.
type sourced struct {
	io.Reader
	io.Closer
}

// originals opens the bytes. A bucket has to be that of the records.
func (b *backup) originals(ctx context.Context, db *sqlstore.DB) (originals, error) {
	if b.from.BlobURL == "" {
		d, err := blob.OpenDisk(filepath.Join(b.from.Data, blobsName), blob.Options{Existing: true})
		if err != nil {
			return nil, fmt.Errorf("the folder of files cannot be read: %w", err)
		}
		return clonedFolder{d, b.link}, nil
	}
	id, err := installation(ctx, db, "instance")
	if err != nil {
		return nil, err
	}
	store, err := b.from.bucket(ctx, s3.Options{Instance: hex.EncodeToString(id), Existing: true})
	if err != nil {
		return nil, err
	}
	return fetchedBucket{cached{cache.New(store, cache.Options{}), store}}, nil
}

// fill copies, verifies, syncs and renames.
func (b *backup) fill(ctx context.Context, db *sqlstore.DB) error {
	from, err := b.originals(ctx, db)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := blob.OpenDisk(filepath.Join(b.tmp, blobsName), blob.Options{})
	if err != nil {
		return err
	}
	defer to.Close()
	if err := b.copy(ctx, db, from, to); err != nil {
		return err
	}
	for _, sync := range []func() error{
		to.SyncFolders,
		func() error { return durable.Sync(os.Open(filepath.Join(b.tmp, databaseName+partial))) },
		func() error {
			return os.Rename(filepath.Join(b.tmp, databaseName+partial), filepath.Join(b.tmp, databaseName))
		},
		func() error { return durable.Sync(os.Open(b.tmp)) },
		func() error { return os.Rename(b.tmp, b.dir) },
		func() error { return durable.Sync(os.Open(filepath.Dir(b.dir))) },
	} {
		if err := errors.Join(ctx.Err(), sync()); err != nil {
			return err
		}
	}
	return nil
}

// copy takes all blobs, then the database, then the blobs that came in between,
// and lets go of those that the database does not name. Blobs first, for the
// collector, of whatever node, may take one that the database has just let go of;
// of those that came later it takes none, for they are newer than its grace.
func (b *backup) copy(ctx context.Context, db *sqlstore.DB, from originals, to *blob.Disk) error {
	take := func(ctx context.Context, b sandlot.Blob) error { return from.take(ctx, to, b) }
	if err := takeAll(ctx, db, take); err != nil {
		return err
	}
	path := filepath.Join(b.tmp, databaseName+partial)
	if err := db.CopyTo(ctx, path); err != nil {
		return err
	}
	records, err := sqlstore.OpenSQLite(ctx, path, sqlstore.Options{Existing: true})
	if err != nil {
		return err
	}
	err = b.complete(ctx, records, to, take)
	return errors.Join(err, records.Close())
}

// always is after anything was stored, by whatever clock.
func always() time.Time { return time.Now().AddDate(100, 0, 0) }

const (
	takenPage = 500 // records held at once
	takers    = 8   // blobs taken at once: a bucket is far away
)

// takeAll takes the blobs that records name.
func takeAll(ctx context.Context, records *sqlstore.DB, take func(context.Context, sandlot.Blob) error) error {
	for last := int64(0); ; {
		list, err := records.Upkeep().BlobsAfter(ctx, last, takenPage)
		if err != nil || len(list) == 0 {
			return err
		}
		last = list[len(list)-1].ID
		if err := takePage(ctx, records, list, take); err != nil {
			return err
		}
	}
}

// takePage takes some blobs.
func takePage(ctx context.Context, records *sqlstore.DB, list []sandlot.Blob, take func(context.Context, sandlot.Blob) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(takers)
	for _, b := range list {
		if b.Ref == "" {
			continue
		}
		g.Go(func() (err error) {
			// By these a bucket's bytes are compared as they come.
			if b.Checkpoints, err = records.Publish().Checkpoints(ctx, b.ID); err != nil {
				return err
			}
			return take(ctx, b)
		})
	}
	return g.Wait()
}

// complete makes the blobs of the copy those that its database names, and
// verifies all of it.
func (b *backup) complete(ctx context.Context, records *sqlstore.DB, to *blob.Disk, take func(context.Context, sandlot.Blob) error) error {
	if err := takeAll(ctx, records, take); err != nil {
		return err
	}
	if _, err := (&operate.Collector{Records: records.Upkeep(), Blobs: to}).Strays(ctx, always()); err != nil {
		return err
	}
	v := operate.Verifier{Records: records.Upkeep(), Blobs: to, Now: time.Now, Report: func(f operate.Finding) error {
		_, err := fmt.Fprintln(b.out, findingLine(f))
		return err
	}}
	var err error
	b.seen, err = v.Run(ctx)
	return err
}
