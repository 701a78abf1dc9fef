package main

import (
	"context"
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
	"sandlot/internal/storage/datafolder"
	"sandlot/internal/storage/sqlstore"
)

// backupCommand copies everything into a data folder. The copy is built under another name, verified, synced, and only
// then renamed: a folder of the requested name is whole.
type backupCommand struct {
	Dir string `arg:"" type:"path" help:"Folder to create; if it exists, it must be empty."`
	storage
	Copy bool `help:"Copy files that are on the same disk too, instead of linking them. (default: link them)"`
}

// partial is the suffix of an unfinished backup's name. Its database has another name, too, so that no server starts on
// it.
const partial = ".partial"

// Run makes the backup. It copies and reports damage in the service's own data: the backup stays, and the command
// fails.
func (c *backupCommand) Run(ctx context.Context, t *terminal) error {
	if err := c.check(); err != nil {
		return usageError{err}
	}
	b := &backup{from: c.storage, dir: filepath.Clean(c.Dir), link: !c.Copy, out: t.out, warn: t.err}
	b.tmp = b.dir + partial
	if err := b.run(ctx); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	if b.seen.Damaged > 0 {
		return fmt.Errorf("the backup %s is complete, but of its data %s, as in %s", b.dir, damage(b.seen.Damaged), c.storage)
	}
	fmt.Fprintf(t.out, "%s: %s, %s, %s, all verified\n",
		b.dir, amount(b.seen.Projects, "project"), amount(b.seen.Blobs, "blob"), amount(b.seen.Bytes, "byte"))
	return nil
}

// A backup is one run of the command.
type backup struct {
	from storage
	dir  string // the folder to create
	tmp  string // the folder in which it is built
	link bool
	out  io.Writer
	warn io.Writer
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
		// Without the lock's file the next run would not recognize it as its own.
		return errors.Join(err, os.RemoveAll(b.tmp))
	}
	leave(ctx, db, operate.RunBackup, b.seen.Damaged, b.warn)
	return nil
}

// makeWay checks that the folder can be created: it is missing, or is an empty one, which makeWay removes.
func makeWay(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("the folder %s cannot be used: %w", dir, datafolder.Cause(err))
	case len(entries) > 0:
		return fmt.Errorf("the folder %s is not empty; nothing was written (name one that is not there)", dir)
	}
	if err := os.Remove(dir); err != nil {
		return fmt.Errorf("the empty folder %s cannot be replaced: %w (name one inside of it)", dir, datafolder.Cause(err))
	}
	return nil
}

// begin makes the folder in which the backup is built. It removes the remains of an interrupted run, and fails if
// another run is under way.
func (b *backup) begin() (*os.File, error) {
	if err := os.MkdirAll(b.tmp, 0o700); err != nil {
		return nil, fmt.Errorf("the folder %s cannot be made: %w", b.tmp, datafolder.Cause(err))
	}
	lock, err := datafolder.LockFile(filepath.Join(b.tmp, datafolder.LockName))
	if errors.Is(err, datafolder.ErrLocked) {
		return nil, fmt.Errorf("another backup to %s is under way", b.dir)
	}
	if err != nil {
		return nil, fmt.Errorf("the folder %s cannot be used: %w", b.tmp, datafolder.Cause(err))
	}
	unfinished := databaseName + partial
	for _, name := range []string{blobsName, databaseName, unfinished, unfinished + "-wal", unfinished + "-shm"} {
		if err := os.RemoveAll(filepath.Join(b.tmp, name)); err != nil {
			return nil, errors.Join(fmt.Errorf("the folder %s cannot be emptied: %w", b.tmp, datafolder.Cause(err)), lock.Close())
		}
	}
	return lock, nil
}

// A takeBlob takes a blob into a copy.
type takeBlob func(context.Context, sandlot.Blob) error

// taking returns the function that takes a blob into the copy, unless the copy has it already. It skips a missing or
// damaged blob: the verification of the copy reports that.
func (b *backup) taking(from verifiable, to *blob.Disk) takeBlob {
	folder, ok := from.(*blob.Disk)
	if !ok { // a bucket's bytes are verified while they are fetched
		return func(ctx context.Context, b sandlot.Blob) error { return fetchBlob(ctx, from, to, b) }
	}
	return func(ctx context.Context, of sandlot.Blob) error {
		if err := folder.CloneTo(ctx, to, of.Ref, b.link); !errors.Is(err, sandlot.ErrNotFound) {
			return err
		}
		return nil
	}
}

// fetchBlob copies a blob and verifies it on the way. It skips a blob that is missing or damaged.
func fetchBlob(ctx context.Context, from verifiable, to taker, b sandlot.Blob) error {
	var read content.Source // its Err distinguishes the source from the target
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

// A taker is a target for blobs.
type taker interface {
	TakeFrom(ctx context.Context, ref sandlot.BlobRef, open func() (io.ReadCloser, error)) error
}

// sourced is a source with the closer of its blob.
type sourced struct {
	io.Reader
	io.Closer
}

// fill copies, verifies, syncs and renames.
func (b *backup) fill(ctx context.Context, db *sqlstore.DB) error {
	from, err := b.from.existing(ctx, db)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := blob.OpenDisk(filepath.Join(b.tmp, blobsName), blob.Options{})
	if err != nil {
		return err
	}
	defer to.Close()
	if err := b.copy(ctx, db, to, b.taking(from, to)); err != nil {
		return err
	}
	for _, sync := range []func() error{
		to.SyncFolders,
		to.Close, // Windows renames no folder in which something is open
		func() error {
			return durable.Sync(os.OpenFile(filepath.Join(b.tmp, databaseName+partial), os.O_RDWR, 0))
		},
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

// copy takes all blobs, then the database, then the blobs that came in between, and removes those that the database
// does not name. The blobs come first, for the collector of any node may take one that the database has just released;
// it takes none of the later ones, for they are newer than its grace.
func (b *backup) copy(ctx context.Context, db *sqlstore.DB, to *blob.Disk, take takeBlob) error {
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

const (
	takenPage = 500 // records held at once
	takers    = 8   // blobs taken at once: a bucket is far away
)

// takeAll takes all blobs in the records.
func takeAll(ctx context.Context, records *sqlstore.DB, take takeBlob) error {
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
func takePage(ctx context.Context, records *sqlstore.DB, list []sandlot.Blob, take takeBlob) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(takers)
	for _, b := range list {
		if b.Ref == "" {
			continue
		}
		g.Go(func() (err error) {
			// With these a bucket's bytes are verified while they are fetched.
			if b.Checkpoints, err = records.Publish().Checkpoints(ctx, b.ID); err != nil {
				return err
			}
			return take(ctx, b)
		})
	}
	return g.Wait()
}

// complete makes the blobs of the copy match its database, and verifies all of it.
func (b *backup) complete(ctx context.Context, records *sqlstore.DB, to *blob.Disk, take takeBlob) error {
	if err := takeAll(ctx, records, take); err != nil {
		return err
	}
	collector := operate.Collector{Records: records.Upkeep(), Blobs: to, Now: time.Now}
	if _, err := collector.Strays(ctx, time.Now().AddDate(100, 0, 0)); err != nil { // also blobs dated by a clock that was ahead
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
