package operate_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/base/worker"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// stuckBlobs cannot delete some blobs.
type stuckBlobs struct {
	sandlot.Blobs
	stuck map[sandlot.BlobRef]bool
	tried map[sandlot.BlobRef]int
}

func (b stuckBlobs) Delete(ctx context.Context, ref sandlot.BlobRef) error {
	b.tried[ref]++
	if b.stuck[ref] {
		return fmt.Errorf("delete %s: operation not permitted", ref)
	}
	return b.Blobs.Delete(ctx, ref)
}

// strays stores blobs that no record has.
func strays(t *testing.T, w *testworld.World, n int) (refs []sandlot.BlobRef) {
	t.Helper()
	for range n {
		b, err := w.Blobs.Put(t.Context(), w.Blobs.Name(), strings.NewReader("nobody refers to this"))
		expect.OK(t, err)
		refs = append(refs, b.Ref)
	}
	return refs
}

func TestRegression36ABlobThatCannotBeDeletedStopsNothing(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	refs := strays(t, w, 20)
	stuck := map[sandlot.BlobRef]bool{}
	for i, ref := range refs {
		if i%2 == 0 {
			stuck[ref] = true
		}
	}
	blobs := stuckBlobs{testworld.AllBlobs(w.Blobs), stuck, map[sandlot.BlobRef]int{}}
	c := &operate.Collector{Records: w.DB.Upkeep(), Blobs: blobs, Staged: w.Publish.Contents.Held, Log: slog.New(slog.DiscardHandler), Now: w.Now, Failures: &worker.Failures{}}
	t.Run("all others are deleted", func(t *testing.T) {
		if n, err := c.Collect(t.Context()); n != 10 || err == nil {
			t.Errorf("%d deleted, %v", n, err)
		}
		expect.Same(t, "blobs left", w.BlobsOnDisk(), 10)
		expect.Same(t, "failures counted", c.Failures.Count(), int64(10))
	})
	t.Run("it is left alone for a while, longer each time", func(t *testing.T) {
		begun := blobs.tried[refs[0]]
		for range 48 {
			w.Clock.Move(time.Hour)
			_, _ = c.Collect(t.Context())
		}
		if n := blobs.tried[refs[0]] - begun; n < 5 || n > 16 {
			t.Errorf("tried %d times in 48 rounds", n)
		}
	})
	t.Run("what a record let go of is deleted meanwhile", func(t *testing.T) {
		p := w.PublishPage(w.NewAccount(), large).Project
		_, err := w.Operate.Delete(t.Context(), byOperator, string(p.ID), "spam")
		expect.OK(t, err)
		w.Clock.Move(49 * time.Hour)
		if n, _ := c.Collect(t.Context()); n != 1 {
			t.Errorf("%d deleted", n)
		}
		expect.Same(t, "blobs left", w.BlobsOnDisk(), 10)
	})
	t.Run("it goes once it can", func(t *testing.T) {
		clear(stuck)
		w.Clock.Move(25 * time.Hour)
		if n, err := c.Collect(t.Context()); n != 10 || err != nil {
			t.Errorf("%d deleted, %v", n, err)
		}
		expect.Same(t, "blobs left", w.BlobsOnDisk(), 0)
	})
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
	t.Parallel()
	w := testworld.New(t)
	by := w.NewAccount()
	w.PublishPage(by, page) // the first project
	second := w.PublishPage(by, page).Project
	for range 2 {
		w.PutFile(by, second.ID, "index.html", large)
	}
	w.Clock.Move(49 * time.Hour)
	c := operate.Collector{Records: w.DB.Upkeep(), Blobs: testworld.AllBlobs(w.Blobs), Trim: brokenTrim{w.DB.Upkeep(), 1}, Keep: 1, Now: w.Now}
	if _, err := c.Collect(t.Context()); err == nil {
		t.Error("nothing is told")
	}
	_, err := w.DB.Publish().Version(t.Context(), second.ID, 2)
	expect.Is(t, "version 2 of the other project", err, sandlot.ErrNotFound)
	expect.Same(t, "blobs left", w.BlobsOnDisk(), 1)
}

func TestRegression32StraysAreCollectedWhileNothingCanBeWritten(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	by := w.NewAccount()
	p := w.PublishPage(by, large).Project
	strays := strays(t, w, 3)
	ran := time.Duration(0)
	ages := &operate.AgeGuard{Times: w.DB.Upkeep(), Now: w.Now, Running: func() time.Duration { return ran }, Log: slog.New(slog.DiscardHandler)}
	if _, err := ages.MayDelete(t.Context()); err != nil {
		t.Fatal(err)
	}
	ok := func(err error) {
		t.Helper()
		expect.OK(t, err)
	}
	// A database that was away for a moment stops all writing until a restart.
	database := filepath.Join(w.Dir, "sandlot.db")
	ok(os.Rename(database, database+".away"))
	doubtful := w.Stage(large + "doubtful")
	err := w.DB.Variants().PutVariants(t.Context(), 1, nil)
	if !errors.Is(err, sandlot.ErrUnavailable) {
		t.Fatalf("written without a database: %v", err)
	}
	ok(os.Rename(database+".away", database))
	if _, _, err := w.Publish.Update(t.Context(), by, publish.UpdateInput{Filename: "a.txt", Content: w.Stage(large)}); err == nil {
		t.Fatal("written after it")
	}
	w.Clock.Move(49 * time.Hour)
	ran += 49 * time.Hour
	c := operate.Collector{Records: w.DB.Upkeep(), Blobs: testworld.AllBlobs(w.Blobs), Staged: w.Publish.Contents.Held, Ages: ages, Now: w.Now}
	if n, err := c.Collect(t.Context()); n != len(strays) || !errors.Is(err, sandlot.ErrUnavailable) {
		t.Errorf("%d deleted, %v", n, err)
	}
	expect.Same(t, "the page", w.Text(p.ID, 1, "index.html"), large)
	expect.Same(t, "what is held", w.Bytes(doubtful.Blob), large+"doubtful")
	expect.Same(t, "blobs left", w.BlobsOnDisk(), 2)
}
