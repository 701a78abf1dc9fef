package main

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/testenv"
)

// pageBytes is what each project of a smallHouse takes in the database.
const pageBytes = 2 << 20

// smallHouse is the program's own parts on a file system of 1 GiB, an eighth of which
// may be used: the rest is for what goes in between two looks at the disk.
type smallHouse struct {
	*app
	t    *testing.T
	disk string
	by   sandlot.Caller
	page []byte // that is published
}

func newSmallHouse(t *testing.T) *smallHouse {
	t.Helper()
	h := &smallHouse{t: t, disk: mounted(t, "-t", "tmpfs", "-o", "size=1g", "tmpfs"), page: page(pageBytes)}
	t.Cleanup(func() { h.app.close() })
	h.open()
	out, err := h.service.Signup(t.Context(), sandlot.Caller{}, publish.SignupInput{})
	if err != nil {
		t.Fatal(err)
	}
	if h.by, err = h.callers.Identify(t.Context(), sandlot.Presented{Key: out.Key}, sandlot.Sender{Network: "192.0.2.1"}); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *smallHouse) open() {
	h.t.Helper()
	s := settings{storage: storage{Data: filepath.Join(h.disk, "data")}, InlineMax: 2 * pageBytes, MaxFileSize: sandlot.DefaultMaxFile, CacheSize: 1 << 20}
	s.Publish, s.DiskLimit = "on", new(12)
	places, err := s.places("127.0.0.1:8080")
	if err == nil {
		h.app, err = openApp(h.t.Context(), s, places, slog.New(slog.NewTextHandler(io.Discard, nil)))
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *smallHouse) publish() (sandlot.ProjectID, error) {
	h.t.Helper()
	content, err := h.service.Contents.Stage(h.t.Context(), bytes.NewReader(h.page))
	if err != nil {
		return "", err
	}
	out, _, err := h.service.Publish(h.t.Context(), h.by, publish.PublishInput{Content: content})
	return out.Project.ID, err
}

// fill publishes until the disk has no room, deletes all of it, and collects. It returns how
// many projects there were.
func (h *smallHouse) fill() int {
	h.t.Helper()
	var ids []sandlot.ProjectID
	for {
		id, err := h.publish()
		if e := sandlot.AsError(err); e != nil && e.Code == sandlot.CodeStorageFull {
			break
		}
		if err != nil || len(ids) > (1<<30)/pageBytes {
			h.t.Fatalf("%d projects, %v", len(ids), err)
		}
		ids = append(ids, id)
	}
	for _, id := range ids {
		if err := h.store.Operate().Remove(h.t.Context(), sandlot.Subject{Project: id}, sandlot.LogEntry{Actor: sandlot.ActorOperator, Action: sandlot.ActionDelete}); err != nil {
			h.t.Fatal(err)
		}
	}
	later := func() time.Time { return time.Now().Add(operate.Grace + time.Hour) }
	if _, err := (&operate.Collector{Records: h.store.Upkeep(), Blobs: h.blobs, Log: h.log, Now: later}).Collect(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
	return len(ids)
}

// publishes publishes n projects. For each it waits for the next look at the disk.
func (h *smallHouse) publishes(n int) {
	h.t.Helper()
	for range n {
		h.await("a publish after everything was deleted and collected", func() bool {
			_, err := h.publish()
			return err == nil
		})
	}
}

// shrinks gives back what is unused, beside the projects that are kept.
func (h *smallHouse) shrinks(kept int) {
	h.t.Helper()
	if err := (&operate.Shrinker{Space: h.store.Upkeep()}).Shrink(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
	// Some room is kept, and the file is cut after the last step was answered.
	most := int64(kept)*pageBytes + 24<<20
	h.await(fmt.Sprintf("a database of less than %d MiB", most>>20), func() bool {
		info, err := os.Stat(filepath.Join(h.disk, "data", databaseName))
		return err == nil && info.Size() < most
	})
}

func (h *smallHouse) await(what string, ok func() bool) {
	h.t.Helper()
	testenv.Eventually(h.t, time.Minute, what, ok)
}

func TestRegression44ADiskThatWasFullTakesNewContentAfterDeletions(t *testing.T) {
	t.Parallel()
	t.Run("unused pages of the database count as room, and are given back", func(t *testing.T) {
		t.Parallel()
		h := newSmallHouse(t)
		// The log of the database, which ends with the collection, makes room for a few in any case.
		n := h.fill() / 5
		h.publishes(n)
		h.shrinks(n)
		h.publishes(1)
	})
}
