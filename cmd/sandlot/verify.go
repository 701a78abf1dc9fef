package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"sandlot/internal/blob"
	"sandlot/internal/operate"
)

// verifyCommand checks a data folder. Its exit code is 0 if all is well, also if
// there are strays, and 1 if anything is damaged or could not be checked.
type verifyCommand struct {
	storage
	format
}

// Run prints a line for each finding as it is found, and a summary.
func (c *verifyCommand) Run(ctx context.Context, t *terminal) error {
	seen, err := verifyFolder(ctx, c.storage, func(f operate.Finding) error {
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
		fmt.Fprintf(t.out, "%s, %s, %s: %d damaged, %s\n", amount(seen.Projects, "project"), amount(seen.Blobs, "blob"), amount(seen.Bytes, "byte"), seen.Damaged, amount(seen.Strays, "stray"))
	})
	if err == nil && seen.Damaged > 0 {
		err = fmt.Errorf("%s in %s", damage(seen.Damaged), c.Data)
	}
	return err
}

// verifyFolder verifies a data folder and reports each finding.
func verifyFolder(ctx context.Context, folder storage, report func(operate.Finding) error) (seen operate.Verified, err error) {
	db, err := folder.records(ctx)
	if err != nil {
		return seen, err
	}
	blobs, err := blob.OpenDisk(filepath.Join(folder.Data, blobsName), blob.Options{Existing: true})
	if err != nil {
		return seen, errors.Join(fmt.Errorf("the folder of files cannot be read: %w", err), db.Close())
	}
	v := operate.Verifier{Records: db.Upkeep(), Blobs: blobs, Now: time.Now, Report: report}
	seen, err = v.Run(ctx)
	return seen, errors.Join(err, blobs.Close(), db.Close())
}

// findingLine is a finding in one line, for people and for grep.
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
