package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"sandlot"
	"sandlot/internal/storage/blob"
	"sandlot/internal/storage/sqlstore"
)

// A backupCopy is a data folder with the records of a backup, so that the backup itself stays as it is. It has no files
// until link.
type backupCopy struct {
	backup string // the folder that sandlot backup made
	dir    string
}

// newBackupCopy copies the records of a backup into a new folder, beside the backup if temporary is empty.
func newBackupCopy(backup, temporary string) (c backupCopy, err error) {
	for _, left := range []string{"-wal", "-shm"} {
		if _, err := os.Stat(filepath.Join(backup, databaseName+left)); err == nil {
			return c, fmt.Errorf("a server uses %s, or has used it and was killed: give a folder as sandlot backup leaves it", backup)
		}
	}
	from, err := os.Open(filepath.Join(backup, databaseName))
	if errors.Is(err, fs.ErrNotExist) {
		return c, fmt.Errorf("%s is not a backup: no %s in it", backup, databaseName)
	}
	if err != nil {
		return c, err
	}
	defer from.Close()
	if temporary == "" {
		temporary = filepath.Dir(backup)
	}
	c.backup = backup
	if c.dir, err = os.MkdirTemp(temporary, ".sandlot-copy-*"); err != nil {
		return c, fmt.Errorf("the copy cannot be made: %w (name a folder with --temporary)", err)
	}
	to, err := os.OpenFile(c.database(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_, err = io.Copy(to, from)
		err = errors.Join(err, to.Close())
	}
	if err != nil {
		return c, errors.Join(fmt.Errorf("the records of %s cannot be copied: %w", backup, err), c.remove())
	}
	return c, nil
}

func (c backupCopy) database() string { return filepath.Join(c.dir, databaseName) }

func (c backupCopy) remove() error { return os.RemoveAll(c.dir) }

// open opens the copied records, and brings them up to date.
func (c backupCopy) open(ctx context.Context) (*sqlstore.DB, error) {
	db, err := sqlstore.OpenSQLite(ctx, c.database(), sqlstore.Options{})
	if err != nil {
		return nil, fmt.Errorf("the records of the backup %s cannot be used: %w", c.backup, err)
	}
	return db, nil
}

// blobs opens the files of the backup where they are.
func (c backupCopy) blobs() (*blob.Disk, error) {
	b, err := blob.OpenDisk(filepath.Join(c.backup, blobsName), blob.Options{Existing: true})
	if err != nil {
		return nil, fmt.Errorf("the files of the backup %s cannot be read: %w", c.backup, err)
	}
	return b, nil
}

// link gives the copy all files of its records, as links if it is on the same disk. A missing one stays missing.
func (c backupCopy) link(ctx context.Context, db *sqlstore.DB) error {
	from, err := c.blobs()
	if err != nil {
		return err
	}
	to, err := blob.OpenDisk(filepath.Join(c.dir, blobsName), blob.Options{})
	if err != nil {
		return errors.Join(err, from.Close())
	}
	err = takeAll(ctx, db, func(ctx context.Context, b sandlot.Blob) error {
		if err := from.CloneTo(ctx, to, b.Ref, true); !errors.Is(err, sandlot.ErrNotFound) {
			return err
		}
		return nil
	})
	return errors.Join(err, to.Close(), from.Close())
}
