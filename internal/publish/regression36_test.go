package publish_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sandlot/internal/archive"
	"sandlot/internal/operate"
	"sandlot/internal/publish"
	"sandlot/internal/testworld"
)

// stuckBlobs cannot delete some blobs.
type stuckBlobs struct {
	publish.Blobs
	stuck map[publish.BlobRef]bool
	tried map[publish.BlobRef]int
}

func (b stuckBlobs) Delete(ctx context.Context, ref publish.BlobRef) error {
	b.tried[ref]++
	if b.stuck[ref] {
		return fmt.Errorf("delete %s: operation not permitted", ref)
	}
	return b.Blobs.Delete(ctx, ref)
}

// strays stores blobs that no record has.
func (w *world) strays(n int) (refs []publish.BlobRef) {
	w.t.Helper()
	for range n {
		b, err := w.blobs.Put(w.t.Context(), w.blobs.Name(), strings.NewReader("nobody refers to this"))
		if err != nil {
			w.t.Fatal(err)
		}
		refs = append(refs, b.Ref)
	}
	return refs
}

func TestRegression36ABlobThatCannotBeDeletedStopsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	refs := w.strays(20)
	stuck := map[publish.BlobRef]bool{}
	for i, ref := range refs {
		if i%2 == 0 {
			stuck[ref] = true
		}
	}
	blobs := stuckBlobs{testworld.AllBlobs(w.blobs), stuck, map[publish.BlobRef]int{}}
	c := &operate.Collector{Records: w.db, Blobs: blobs, Staged: w.Held, Log: slog.New(slog.DiscardHandler), Now: w.clock.now, Failures: &publish.Failures{}}
	t.Run("all others are deleted", func(t *testing.T) {
		if n, err := c.Collect(t.Context()); n != 10 || err == nil {
			t.Errorf("%d deleted, %v", n, err)
		}
		same(t, "blobs left", w.onDisk(), 10)
		same(t, "failures counted", c.Failures.Count(), int64(10))
	})
	t.Run("it is left alone for a while, longer each time", func(t *testing.T) {
		begun := blobs.tried[refs[0]]
		for range 48 {
			w.clock.move(time.Hour)
			_, _ = c.Collect(t.Context())
		}
		if n := blobs.tried[refs[0]] - begun; n < 5 || n > 16 {
			t.Errorf("tried %d times in 48 rounds", n)
		}
	})
	t.Run("what a record let go of is deleted meanwhile", func(t *testing.T) {
		p := w.publish(w.account(), large).Project
		if _, err := w.operator().Delete(t.Context(), byOperator, string(p.ID), "spam"); err != nil {
			t.Fatal(err)
		}
		w.clock.move(49 * time.Hour)
		if n, _ := c.Collect(t.Context()); n != 1 {
			t.Errorf("%d deleted", n)
		}
		same(t, "blobs left", w.onDisk(), 10)
	})
	t.Run("it goes once it can", func(t *testing.T) {
		clear(stuck)
		w.clock.move(25 * time.Hour)
		if n, err := c.Collect(t.Context()); n != 10 || err != nil {
			t.Errorf("%d deleted, %v", n, err)
		}
		same(t, "blobs left", w.onDisk(), 0)
	})
}

func TestRegression36WhatFailsIsRememberedInBoundedMemory(t *testing.T) {
	var s publish.Setbacks[int]
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	for i := range publish.MaxSetbacks {
		if !s.Failed(i, now) {
			t.Fatalf("item %d is not remembered", i)
		}
	}
	if s.Failed(-1, now) || s.Waits(-1, now) || len(s.Waiting(now)) != publish.MaxSetbacks {
		t.Error("one more is remembered")
	}
	same(t, "waits after ten seconds", len(s.Waiting(now.Add(10*time.Second))), 0)
	same(t, "waits by a clock that was ahead then", len(s.Waiting(now.AddDate(-1, 0, 0))), 0)
	later := now.Add(25 * time.Hour)
	if !s.Failed(-1, later) || !s.Waits(-1, later) {
		t.Error("items that never came again keep their places")
	}
	for range 50 {
		s.Failed(-1, later)
	}
	if !s.Waits(-1, later.Add(24*time.Hour-1)) || s.Waits(-1, later.Add(24*time.Hour)) {
		t.Error("the longest wait is not a day")
	}
	s.Worked(-1)
	same(t, "waits once it worked", s.Waits(-1, later), false)
}

// brokenTrim fails at one project.
type brokenTrim struct {
	operate.TrimStore
	at int64
}

func (b brokenTrim) Trim(ctx context.Context, keep int, before time.Time, after int64, limit int) (int64, bool, error) {
	if after < b.at {
		return b.at, true, errors.New("broken")
	}
	return b.TrimStore.Trim(ctx, keep, before, after, limit)
}

func TestRegression36AProjectThatCannotBeTrimmedStopsNoOther(t *testing.T) {
	w := newWorld(t)
	by := w.account()
	w.publish(by, page) // the first project
	second := w.publish(by, page).Project
	for range 2 {
		w.put(by, second.ID, "index.html", large)
	}
	w.clock.move(49 * time.Hour)
	c := operate.Collector{Records: w.db, Blobs: testworld.AllBlobs(w.blobs), Trim: brokenTrim{w.db, 1}, Keep: 1, Now: w.clock.now}
	if _, err := c.Collect(t.Context()); err == nil {
		t.Error("nothing is told")
	}
	if _, err := w.db.Version(t.Context(), second.ID, 2); !errors.Is(err, publish.ErrNotFound) {
		t.Errorf("version 2 of the other project: %v", err)
	}
	same(t, "blobs left", w.onDisk(), 1)
}

func TestRegression32StraysAreCollectedWhileNothingCanBeWritten(t *testing.T) {
	w := newWorld(t)
	by := w.account()
	p := w.publish(by, large).Project
	strays := w.strays(3)
	ran := time.Duration(0)
	ages := &operate.AgeGuard{Times: w.db, Now: w.clock.now, Running: func() time.Duration { return ran }, Log: slog.New(slog.DiscardHandler)}
	if _, err := ages.MayDelete(t.Context()); err != nil {
		t.Fatal(err)
	}
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	// A database that was away for a moment stops all writing until a restart.
	database := filepath.Join(w.dir, "sandlot.db")
	ok(os.Rename(database, database+".away"))
	doubtful := w.stage(large + "doubtful")
	err := w.db.PutVariants(t.Context(), 1, nil)
	if !errors.Is(err, publish.ErrUnavailable) {
		t.Fatalf("written without a database: %v", err)
	}
	ok(os.Rename(database+".away", database))
	if _, _, err := w.Update(t.Context(), by, publish.UpdateInput{Filename: "a.txt", Content: w.stage(large)}); err == nil {
		t.Fatal("written after it")
	}
	w.clock.move(49 * time.Hour)
	ran += 49 * time.Hour
	c := operate.Collector{Records: w.db, Blobs: testworld.AllBlobs(w.blobs), Staged: w.Held, Ages: ages, Now: w.clock.now}
	if n, err := c.Collect(t.Context()); n != len(strays) || !errors.Is(err, publish.ErrUnavailable) {
		t.Errorf("%d deleted, %v", n, err)
	}
	same(t, "the page", w.text(p.ID, 1, "index.html"), large)
	same(t, "what is held", w.bytes(doubtful.Blob), large+"doubtful")
	same(t, "blobs left", w.onDisk(), 2)
}

func TestRegression36AProjectDeletedDuringAnExportIsInIt(t *testing.T) {
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
	c := operate.Collector{Records: w.db, Blobs: testworld.AllBlobs(w.blobs), Staged: w.Held, Now: w.clock.now}
	for i, v := range e.Projects {
		if i == 0 { // the other one has a newer version as well
			w.put(by, v.Project.ID, "new.txt", large+"new")
		}
		if _, err := w.operator().Delete(t.Context(), byOperator, string(v.Project.ID), "spam"); err != nil {
			t.Fatal(err)
		}
	}
	w.clock.move(23 * time.Hour)
	if _, err := c.Collect(t.Context()); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := archive.Write(t.Context(), &out, e, w.Contents); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range z.File[1:] { // the first is the manifest
		got = append(got, f.Name)
	}
	slices.Sort(want)
	slices.Sort(got)
	same(t, "files of the archive", got, want)
	w.clock.move(24 * time.Hour)
	for range 2 {
		if _, err := c.Collect(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.clock.move(25 * time.Hour)
	}
	same(t, "blobs left in the end", w.onDisk(), 0)
}
