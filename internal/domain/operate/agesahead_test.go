package operate_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// TestRegression38WhatAClockWasAheadLeftGoes: what was begun, deleted or left behind while the clock was
// a year ahead takes its room for a day more, and not for a year.
func TestRegression38WhatAClockWasAheadLeftGoes(t *testing.T) {
	t.Parallel()
	begin := func(h *house, by sandlot.Caller, id string) error {
		one, two := 1, 2
		_, _, err := h.Publish.Publish(t.Context(), by, publish.PublishInput{Content: h.Stage(large), Part: &publish.PartInput{UploadID: id, N: &one, Total: &two}})
		return err
	}
	aDayLater := func(h *house) {
		t.Helper()
		h.Clock.Move(-year)
		h.runs(2 * time.Hour)
		h.collect()
		h.runs(operate.Grace + time.Hour)
		for range 3 { // what one round lets go of the next one takes
			h.collect()
		}
	}
	t.Run("parts of uploads, and their share of the quota", func(t *testing.T) {
		const most = 3
		h := newHouse(t, testworld.With(func(c *publish.Config) { c.MaxUploads = most }))
		by := h.NewAccount()
		h.runs(2 * time.Hour)
		h.Clock.Move(year)
		for n := range most {
			expect.OK(t, begin(h, by, fmt.Sprint("ahead", n)))
		}
		aDayLater(h)
		if kept := h.Sizes(); kept["uploads"] != 0 || kept["upload_parts"] != 0 {
			t.Errorf("%d uploads are left, %d parts", kept["uploads"], kept["upload_parts"])
		}
		expect.Is(t, "another upload", begin(h, by, "now"), nil)
	})
	t.Run("the files of a deleted project", func(t *testing.T) {
		h := newHouse(t)
		h.runs(2 * time.Hour)
		h.Clock.Move(year)
		out := h.PublishPage(testworld.Nobody(), large)
		_, err := h.Publish.DeleteProject(t.Context(), h.OwnerOf(out.Project.Account), string(out.Project.ID), string(out.Project.ID))
		expect.OK(t, err)
		_, err = h.Publish.Trash.Purge(t.Context(), h.OwnerOf(out.Project.Account), out.Project.ID)
		expect.OK(t, err)
		aDayLater(h)
		if kept := h.Sizes(); kept["files"] != 0 || kept["blobs"] != 0 || kept["blobs on disk"] != 0 {
			t.Errorf("left are %d files, %d blobs, %d on disk", kept["files"], kept["blobs"], kept["blobs on disk"])
		}
	})
	t.Run("bytes that no record names", func(t *testing.T) {
		h := newHouse(t)
		strays(t, h.World, 1)
		ahead := time.Now().Add(year)
		err := filepath.WalkDir(filepath.Join(h.Dir, "blobs"), func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				err = os.Chtimes(path, ahead, ahead)
			}
			return err
		})
		if err != nil || h.BlobsOnDisk() != 1 {
			t.Fatalf("%d files, %v", h.BlobsOnDisk(), err)
		}
		h.runs(2 * time.Hour)
		h.collect()
		expect.Equal(t, "files are left", h.BlobsOnDisk(), 0)
	})
	t.Run("records that end by themselves", func(t *testing.T) {
		h := newHouse(t)
		h.runs(2 * time.Hour)
		h.Clock.Move(year)
		h.leave()
		h.Clock.Move(-year)
		h.runs(2 * time.Hour)
		h.collect()
		for range 40 * 24 {
			h.Clock.Move(time.Hour)
			h.ran += time.Hour
			h.mayDelete()
		}
		for range 3 {
			h.collect()
		}
		kept := h.Sizes()
		for _, name := range []string{"uploads", "upload_parts", "idempotency", "verifications", "sessions", "logins", "stops", "mails", "email_moves", "email_links"} {
			if kept[name] != 0 {
				t.Errorf("%s: %d are left", name, kept[name])
			}
		}
		if n := kept["versions"]; n != 1 {
			t.Errorf("%d versions are left, where one is to be kept", n)
		}
	})
}
