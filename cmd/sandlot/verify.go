package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/storage/blob"
	"sandlot/internal/storage/blob/cache"
	"sandlot/internal/storage/blob/s3"
	"sandlot/internal/storage/sqlstore"
)

// verifyCommand checks a data folder, or stores that several nodes share. Its exit code is 0 if all is well, even if
// there are strays, and 1 if anything is damaged or could not be checked.
type verifyCommand struct {
	storage
	format
}

// Run prints a line for each finding as it is found, and a summary.
func (c *verifyCommand) Run(ctx context.Context, t *terminal) error {
	seen, err := c.verify(ctx, t.err, func(f operate.Finding) error {
		return c.print(t, f, func() { fmt.Fprintln(t.out, findingLine(f)) })
	})
	if err != nil {
		return err
	}
	summary := struct {
		Kind string `json:"kind"`
		OK   bool   `json:"ok"`
		operate.Verified
	}{"summary", seen.Damaged == 0, seen}
	err = c.print(t, summary, func() {
		fmt.Fprintf(t.out, "%s, %s, %s: %d damaged, %s\n", amount(seen.Projects, "project"), amount(seen.Blobs, "blob"),
			amount(seen.Bytes, "byte"), seen.Damaged, amount(seen.Strays, "stray"))
	})
	if err == nil && seen.Damaged > 0 {
		err = fmt.Errorf("%s in %s", damage(seen.Damaged), c.storage)
	}
	return err
}

// verify verifies all stored data and reports each finding. It leaves its result for a server that uses the data: a
// backup stays as it is.
func (s storage) verify(ctx context.Context, warn io.Writer, report func(operate.Finding) error) (seen operate.Verified, err error) {
	if err := s.check(); err != nil {
		return seen, usageError{err}
	}
	db, err := s.records(ctx)
	if err != nil {
		return seen, err
	}
	blobs, err := s.existing(ctx, db)
	if err != nil {
		return seen, errors.Join(err, db.Close())
	}
	v := operate.Verifier{Records: db.Upkeep(), Blobs: blobs, Now: time.Now, Report: report}
	if seen, err = v.Run(ctx); err == nil && s.served() {
		leave(ctx, db, operate.RunVerify, seen.Damaged, warn)
	}
	return seen, errors.Join(err, blobs.Close(), db.Close())
}

// verifiable are bytes that can be verified as they are stored.
type verifiable interface {
	operate.VerifyBlobs
	io.Closer
}

// existing opens the existing bytes, and creates none. It fetches all those of a bucket: the cache of a node says
// nothing about them.
func (s storage) existing(ctx context.Context, db *sqlstore.DB) (verifiable, error) {
	if s.BlobURL == "" {
		b, err := blob.OpenDisk(filepath.Join(s.Data, blobsName), blob.Options{Existing: true})
		if err != nil {
			return nil, fmt.Errorf("the folder of files cannot be read: %w", err)
		}
		return b, nil
	}
	// An operator who names another installation's bucket by mistake should learn that, and not that every file is
	// missing.
	id, err := db.Publish().KnownSecret(ctx, "instance")
	if err != nil && !errors.Is(err, sandlot.ErrNotFound) {
		return nil, err
	}
	store, err := s.bucket(ctx, s3.Options{Instance: hex.EncodeToString(id), Existing: true})
	if err != nil {
		return nil, err
	}
	return cached{cache.New(store, cache.Options{}), store}, nil
}

// findingLine returns a finding in one line, for people and for grep.
func findingLine(f operate.Finding) string {
	parts := []string{f.Kind}
	add := func(name, value string) {
		if value != "" {
			parts = append(parts, name+"="+value)
		}
	}
	add("account", f.Handle)
	add("project", string(f.Project))
	if f.Filename != "" {
		add("file", fmt.Sprintf("%q", f.Filename))
	}
	if f.Version > 0 {
		add("since_version", fmt.Sprint(f.Version))
	}
	add("encoding", f.Encoding)
	if f.Blob != "" {
		add("blob", fmt.Sprintf("%q", f.Blob))
	}
	return strings.Join(parts, " ") + ": " + f.Detail
}
