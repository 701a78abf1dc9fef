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

	"sandlot/internal/blob"
	"sandlot/internal/durable"
	"sandlot/internal/operate"
	"sandlot/internal/publish"
	"sandlot/internal/sqlstore"
)

// backupCommand copies a data folder. The copy is built under another name,
// verified, synced, and only then renamed: a folder of the name that was asked
// for is whole.
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
	if c.DatabaseURL != "" || c.BlobURL != "" {
		return usageError{errors.New("backup copies a data folder, and not a PostgreSQL database or a bucket: copy the bucket, then the database (pg_dump), then once more what has come into the bucket, with their own tools; docs/operating.md, Backup, has more")}
	}
	b := &backup{from: c.storage, dir: filepath.Clean(c.Dir), link: !c.Copy, out: t.out}
	b.tmp = b.dir + partial
	if err := b.run(ctx); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	if b.seen.Damaged > 0 {
		return fmt.Errorf("the backup %s is complete, but of its data %s, as in %s", b.dir, damage(b.seen.Damaged), c.Data)
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

// fill copies, verifies, syncs and renames.
func (b *backup) fill(ctx context.Context, db *sqlstore.DB) error {
	from, err := blob.OpenDisk(filepath.Join(b.from.Data, blobsName), blob.Options{Existing: true})
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
// collector may take one that the database has just let go of; of those that
// came later it takes none, for they are newer than its grace.
func (b *backup) copy(ctx context.Context, db *sqlstore.DB, from, to *blob.Disk) error {
	for ref, err := range from.List(ctx, always()) {
		if err != nil {
			return err
		}
		if err := b.clone(ctx, from, to, ref); err != nil {
			return err
		}
	}
	path := filepath.Join(b.tmp, databaseName+partial)
	if err := db.CopyTo(ctx, path); err != nil {
		return err
	}
	records, err := sqlstore.OpenSQLite(ctx, path, sqlstore.Options{Existing: true})
	if err != nil {
		return err
	}
	err = b.complete(ctx, records, from, to)
	return errors.Join(err, records.Close())
}

// always is after anything was stored, by whatever clock.
func always() time.Time { return time.Now().AddDate(100, 0, 0) }

// clone takes one blob. What is missing is told when the copy is verified.
func (b *backup) clone(ctx context.Context, from, to *blob.Disk, ref publish.BlobRef) error {
	if err := from.CloneTo(ctx, to, ref, b.link); !errors.Is(err, publish.ErrNotFound) {
		return err
	}
	return nil
}

// complete makes the blobs of the copy those that its database names, and
// verifies all of it.
func (b *backup) complete(ctx context.Context, records *sqlstore.DB, from, to *blob.Disk) error {
	const page = 500 // records held at once
	for last := int64(0); ; {
		list, err := records.Upkeep().BlobsAfter(ctx, last, page)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			break
		}
		for _, recorded := range list {
			last = recorded.ID
			if recorded.Ref == "" {
				continue
			}
			if err := b.clone(ctx, from, to, recorded.Ref); err != nil {
				return err
			}
		}
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
