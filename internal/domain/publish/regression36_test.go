package publish_test

import (
	"archive/zip"
	"bytes"
	"slices"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/transfer"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

func TestRegression36AProjectDeletedDuringAnExportIsInIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	var want []string
	for _, text := range []string{large, page} { // in a file, and in its record
		p := w.publish(by, text).Project
		w.put(by, p.ID, "more.txt", text+"more")
		want = append(want, string(p.ID)+"/index.html", string(p.ID)+"/more.txt")
	}
	w.clock.move(49 * time.Hour) // all bytes are old
	e, err := w.Export(t.Context(), by)
	if err != nil || len(e.Projects) != 2 {
		t.Fatalf("%d projects, %v", len(e.Projects), err)
	}
	c := operate.Collector{Records: w.db.Upkeep(), Blobs: testworld.AllBlobs(w.blobs), Staged: w.Held, Now: w.clock.now}
	for i, v := range e.Projects {
		if i == 0 { // the other one has a newer version as well
			w.put(by, v.Project.ID, "new.txt", large+"new")
		}
		_, err := w.in.Operate.Delete(t.Context(), sandlot.AsOperator(""), string(v.Project.ID), "spam")
		expect.OK(t, err)
	}
	w.clock.move(23 * time.Hour)
	_, err = c.Collect(t.Context())
	expect.OK(t, err)
	var out bytes.Buffer
	expect.OK(t, transfer.Write(t.Context(), &out, e, w.Contents))
	z, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	expect.OK(t, err)
	var got []string
	for _, f := range z.File[1:] { // the first is the manifest
		got = append(got, f.Name)
	}
	slices.Sort(want)
	slices.Sort(got)
	expect.Same(t, "files of the archive", got, want)
	w.clock.move(24 * time.Hour)
	for range 2 {
		_, err := c.Collect(t.Context())
		expect.OK(t, err)
		w.clock.move(25 * time.Hour)
	}
	expect.Same(t, "blobs left in the end", w.onDisk(), 0)
}
