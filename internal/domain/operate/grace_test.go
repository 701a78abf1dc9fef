package operate_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// collectOld collects as if every file had been stored before the Grace, as on a file system
// whose clock is a day behind.
func collectOld(t *testing.T, w *testworld.World) (deleted int) {
	t.Helper()
	c := operate.Collector{Records: w.DB.Upkeep(), Blobs: testworld.AllBlobs(w.Blobs.Blobs), Staged: w.Publish.Contents.Held, Now: w.Now}
	n, err := c.Collect(t.Context())
	expect.Is(t, "collect", err, nil)
	return n
}

// betweenBlobs calls between when bytes are stored and the Service has not learned of it.
type betweenBlobs struct {
	sandlot.Blobs
	between func()
}

func (b betweenBlobs) Put(ctx context.Context, ref sandlot.BlobRef, r io.Reader) (sandlot.Blob, error) {
	out, err := b.Blobs.Put(ctx, ref, r)
	b.between()
	return out, err
}

func TestRegression33WhatIsStagedIsKnownByItsNameNotByTheTimeOfItsFile(t *testing.T) {
	t.Parallel()
	t.Run("a collection between the rename of a blob and the commit that names it", func(t *testing.T) {
		w := testworld.New(t)
		by := w.NewAccount()
		disk := w.Blobs.Blobs
		w.Blobs.Blobs = betweenBlobs{disk, func() {
			w.Blobs.Blobs = disk
			collectOld(t, w)
		}}
		w.Faults.Step = func(step string) (error, error) {
			if step == "CreateProject" {
				collectOld(t, w)
			}
			return nil, nil
		}
		out := w.PublishPage(by, large)
		collectOld(t, w)
		expect.Same(t, "content", w.Text(out.Project.ID, 1, "index.html"), large)
	})
	t.Run("a form, and content of a call, that run for more than a day", func(t *testing.T) {
		w := testworld.New(t)
		out := w.PublishPage(testworld.Nobody(), page)
		form, call := w.Stage(large+"form"), w.Stage(large+"call")
		w.Clock.Move(operate.Grace + time.Hour)
		collectOld(t, w)
		expect.OK(t, testworld.PutFiles(t.Context(), w.Publish, w.OwnerOf(out.Project.Account), out.Project.ID, []testworld.File{{Name: "form", Content: form}}, publish.Form{Token: "f"}))
		_, _, err := w.Publish.Update(t.Context(), w.CallerOf(out.Keys.Account), publish.UpdateInput{Filename: "call", Content: call})
		expect.OK(t, err)
		collectOld(t, w)
		expect.Same(t, "the form's", w.Text(out.Project.ID, 3, "form"), large+"form")
		expect.Same(t, "the call's", w.Text(out.Project.ID, 3, "call"), large+"call")
	})
	t.Run("what was discarded, or broke off, or was left by another process, goes", func(t *testing.T) {
		w := testworld.New(t)
		w.Publish.Contents.Discard(t.Context(), w.Stage(large))
		w.Blobs.FailDelete = errBroken
		w.Publish.Contents.Discard(t.Context(), w.Stage(large))
		w.Blobs.FailDelete = nil
		w.Blobs.AfterPut = errBroken
		if _, err := w.Publish.Contents.Stage(t.Context(), strings.NewReader(large)); err == nil {
			t.Error("stored")
		}
		w.Blobs.AfterPut = nil
		w.StageOn(w.Another(w.Config), large)
		if n := collectOld(t, w); n != 3 || w.BlobsOnDisk() != 0 {
			t.Errorf("%d collected, %d left", n, w.BlobsOnDisk())
		}
	})
	t.Run("publishers beside a collector that never rests", func(t *testing.T) {
		w := testworld.New(t)
		by := w.NewAccount()
		id := w.PublishPage(by, large).Project.ID
		stop, stopped := make(chan bool), make(chan bool)
		go func() {
			defer close(stopped)
			for done := false; !done; {
				collectOld(t, w)
				select {
				case <-stop:
					done = true
				default:
				}
			}
		}()
		var writers sync.WaitGroup
		for i := range 4 {
			writers.Go(func() {
				for j := range 8 {
					w.PutFile(by, id, fmt.Sprintf("%d-%d", i, j), fmt.Sprint(large, i, j))
				}
			})
		}
		writers.Wait()
		close(stop)
		<-stopped
		for i := range 4 {
			for j := range 8 {
				expect.Same(t, "content", w.Text(id, 33, fmt.Sprintf("%d-%d", i, j)), fmt.Sprint(large, i, j))
			}
		}
	})
}
