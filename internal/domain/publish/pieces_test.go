package publish_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"sandlot"
	"sandlot/internal/base/checkpoint"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/blob"
	"sandlot/internal/storage/blob/cache"
	"sandlot/internal/testkit/expect"
)

// afar is a store whose bytes are fetched, and counted.
type afar struct {
	*blob.Disk
	dir     string
	fetched atomic.Int64
}

// Fetch implements cache.Store.
func (a *afar) Fetch(_ context.Context, ref sandlot.BlobRef, _, off int64, p []byte) error {
	f, err := os.Open(filepath.Join(a.dir, blob.Path(ref)))
	if err != nil {
		return err
	}
	_, err = f.ReadAt(p, off)
	a.fetched.Add(int64(len(p)))
	return errors.Join(err, f.Close())
}

// TestTheBeginningOfALargeFileIsReadBeforeTheRestIsFetched: a visitor waits for one MiB, not for all of the
// file, also where the process never read it before.
func TestTheBeginningOfALargeFileIsReadBeforeTheRestIsFetched(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := t.TempDir()
	disk, err := blob.OpenDisk(dir, blob.Options{})
	expect.OK(t, err)
	defer disk.Close()
	store := &afar{Disk: disk, dir: dir}
	blobs := cache.New(store, cache.Options{})
	defer blobs.Close()
	stores := w.in.Stores()
	stores.Blobs = blobs
	s := w.in.AnotherOn(publish.Config{Places: local(), InlineMax: inlineMax}, stores)
	text := noise(20 << 20)
	out, _, err := s.Publish(t.Context(), w.account(), publish.PublishInput{Content: w.stageOn(s, text)})
	expect.OK(t, err)
	files, err := s.Contents.Files(t.Context(), out.Project.ID, 1)
	expect.OK(t, err)
	for _, n := range []int64{-1, int64(len(text))} {
		store.fetched.Store(0)
		r, err := s.Contents.Open(t.Context(), files[0].Blob, 0, n)
		expect.OK(t, err)
		_, err = io.ReadFull(r, make([]byte, 1))
		expect.OK(t, err)
		expect.Equal(t, "bytes that were fetched before the first was read", store.fetched.Load(), checkpoint.Step)
		rest, err := io.ReadAll(r)
		expect.OK(t, errors.Join(err, r.Close()))
		expect.Equal(t, "the rest", string(rest) == text[1:], true)
	}
}
