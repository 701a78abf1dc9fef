package publish_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"sandlot/internal/operate"
	"sandlot/internal/publish"
	"sandlot/internal/testworld"
)

// collectOld collects as if every file had been stored before the Grace, as on a file system
// whose clock is a day behind.
func (w *world) collectOld(t *testing.T) (deleted int) {
	t.Helper()
	c := operate.Collector{Records: w.db, Blobs: testworld.AllBlobs(w.blobs.Blobs), Staged: w.Held, Now: w.clock.now}
	n, err := c.Collect(t.Context())
	if err != nil {
		t.Errorf("collect: %v", err)
	}
	return n
}

// betweenBlobs calls between when bytes are stored and the Service has not learned of it.
type betweenBlobs struct {
	publish.Blobs
	between func()
}

func (b betweenBlobs) Put(ctx context.Context, ref publish.BlobRef, r io.Reader) (publish.Blob, error) {
	out, err := b.Blobs.Put(ctx, ref, r)
	b.between()
	return out, err
}

func TestRegression33WhatIsStagedIsKnownByItsNameNotByTheTimeOfItsFile(t *testing.T) {
	t.Run("a collection between the rename of a blob and the commit that names it", func(t *testing.T) {
		w := newWorld(t)
		by := w.account()
		disk := w.blobs.Blobs
		w.blobs.Blobs = betweenBlobs{disk, func() {
			w.blobs.Blobs = disk
			w.collectOld(t)
		}}
		w.store.Step = func(step string) (error, error) {
			if step == "CreateProject" {
				w.collectOld(t)
			}
			return nil, nil
		}
		out := w.publish(by, large)
		w.collectOld(t)
		same(t, "content", w.text(out.Project.ID, 1, "index.html"), large)
	})
	t.Run("a form, and content of a call, that run for more than a day", func(t *testing.T) {
		w := newWorld(t)
		out := w.publish(nobody(), page)
		form, call := w.stage(long("form")), w.stage(long("call"))
		w.clock.move(operate.Grace + time.Hour)
		w.collectOld(t)
		if err := w.PutFiles(t.Context(), w.owner(out.Project.Account), out.Project.ID, []publish.FormFile{{Name: "form", Content: form}}, "f"); err != nil {
			t.Fatal(err)
		}
		if _, _, err := w.Update(t.Context(), w.caller(out.Keys.Account), publish.UpdateInput{Filename: "call", Content: call}); err != nil {
			t.Fatal(err)
		}
		w.collectOld(t)
		same(t, "the form's", w.text(out.Project.ID, 3, "form"), long("form"))
		same(t, "the call's", w.text(out.Project.ID, 3, "call"), long("call"))
	})
	t.Run("what was discarded, or broke off, or was left by another process, goes", func(t *testing.T) {
		w := newWorld(t)
		w.Discard(t.Context(), w.stage(large))
		w.blobs.FailDelete = errBroken
		w.Discard(t.Context(), w.stage(large))
		w.blobs.FailDelete = nil
		w.blobs.AfterPut = errBroken
		if _, err := w.Stage(t.Context(), strings.NewReader(large)); err == nil {
			t.Error("stored")
		}
		w.blobs.AfterPut = nil
		w.stageOn(w.open(w.Service.Config), large)
		if n := w.collectOld(t); n != 3 || w.onDisk() != 0 {
			t.Errorf("%d collected, %d left", n, w.onDisk())
		}
	})
	t.Run("publishers beside a collector that never rests", func(t *testing.T) {
		w := newWorld(t)
		by := w.account()
		id := w.publish(by, large).Project.ID
		stop, stopped := make(chan bool), make(chan bool)
		go func() {
			defer close(stopped)
			for done := false; !done; {
				w.collectOld(t)
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
					w.put(by, id, fmt.Sprintf("%d-%d", i, j), fmt.Sprint(large, i, j))
				}
			})
		}
		writers.Wait()
		close(stop)
		<-stopped
		for i := range 4 {
			for j := range 8 {
				same(t, "content", w.text(id, 33, fmt.Sprintf("%d-%d", i, j)), fmt.Sprint(large, i, j))
			}
		}
	})
}
