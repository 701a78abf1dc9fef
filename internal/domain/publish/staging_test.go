package publish_test

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// sendForm sends one large file by a form of the website.
func (w *world) sendForm(me sandlot.Caller, out publish.Published, name, text string) error {
	w.t.Helper()
	return testworld.PutFiles(w.t.Context(), w.Service, me, out.Project.ID, []testworld.File{{Name: name, Content: w.stage(text)}}, publish.Form{Token: "form of " + name})
}

func TestRegression32ARecordedFileStaysAndARefusedOneGoes(t *testing.T) {
	t.Parallel()
	t.Run("a form whose commit succeeded and answered an error keeps its bytes", func(t *testing.T) {
		w := newWorld(t)
		out := w.publish(nobody(), page)
		me := w.owner(out.Project.Account)
		w.store.Step = on("Rearrange", nil, sandlot.ErrUnavailable)
		if err := w.sendForm(me, out, "b", long("b")); err == nil {
			t.Fatal("acknowledged")
		}
		w.store.Step = nil
		expect.Same(t, "content", w.text(out.Project.ID, 2, "b"), long("b"))
	})
	t.Run("updates, forms and parts that a lock of another process refuses leave nothing", func(t *testing.T) {
		t.Parallel() // it waits as long as the store does for the lock
		w := newWorld(t)
		by := w.account()
		var outs []publish.Published
		for range 5 {
			outs = append(outs, w.publish(by, page))
		}
		unlock := w.lockedByAnother()
		w.unchanged(t, func() {
			var wait sync.WaitGroup
			for i, out := range outs {
				wait.Go(func() {
					in := publish.UpdateInput{Project: string(out.Project.ID), Filename: "b", Content: w.stage(long("b"))}
					_, _, err := w.Update(t.Context(), by, in)
					refused(t, err, sandlot.CodeUnavailable)
				})
				wait.Go(func() {
					_, _, err := w.send(by, part{id: fmt.Sprint(i), n: 1, text: long("part"), total: 2})
					refused(t, err, sandlot.CodeUnavailable)
				})
			}
			wait.Wait()
		})
		unlock()
		w.put(by, outs[0].Project.ID, "b", long("b"))
	})
	t.Run("a form that certainly had no effect leaves nothing", func(t *testing.T) {
		w := newWorld(t)
		out := w.publish(nobody(), page)
		me := w.owner(out.Project.Account)
		expect.OK(t, w.db.Close())
		before := w.onDisk()
		if err := w.sendForm(me, out, "b", long("b")); !errors.Is(err, sandlot.ErrUnavailable) {
			t.Errorf("got %v", err)
		}
		expect.Same(t, "blobs", w.onDisk(), before)
	})
	t.Run("to discard what was recorded, or may have been, deletes nothing", func(t *testing.T) {
		w := newWorld(t)
		by := w.account()
		for _, after := range []error{nil, errBroken} {
			c := w.stage(large)
			w.store.Step = on("CreateProject", nil, after)
			_, _, _ = w.Publish(t.Context(), by, publish.PublishInput{Content: c})
			w.store.Step = nil
			w.Discard(t.Context(), c)
		}
		expect.Same(t, "blobs", w.onDisk(), 2)
		w.readable(t)
	})
	t.Run("who is not told whether a step happened is not told that nothing was changed", func(t *testing.T) {
		w := newWorld(t)
		w.store.Step = on("CreateProject", nil, sandlot.ErrUnavailable)
		_, _, err := w.Publish(t.Context(), nobody(), publish.PublishInput{Email: address, Content: w.stage(page)})
		if e := refused(t, err, sandlot.CodeUnavailable); strings.Contains(e.Message, "Nothing was changed") {
			t.Errorf("told %q", e.Message)
		}
		w.store.Step = on("CreateProject", sandlot.NoEffect(sandlot.ErrUnavailable), nil)
		_, _, err = w.Publish(t.Context(), nobody(), publish.PublishInput{Email: address, Content: w.stage(page)})
		expect.Contains(t, "told", refused(t, err, sandlot.CodeUnavailable).Message, "Nothing was changed")
	})
}

// lockedByAnother holds the database as another process would.
func (w *world) lockedByAnother() (unlock func()) {
	w.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(w.dir, "sandlot.db"))
	expect.OK(w.t, err)
	conn, err := db.Conn(w.t.Context())
	if err == nil {
		_, err = conn.ExecContext(w.t.Context(), "BEGIN IMMEDIATE")
	}
	expect.OK(w.t, err)
	return func() {
		if err := errors.Join(conn.Close(), db.Close()); err != nil {
			w.t.Error(err)
		}
	}
}
