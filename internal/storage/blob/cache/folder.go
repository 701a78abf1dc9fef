package cache

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"

	"sandlot"
	"sandlot/internal/base/recent"
	"sandlot/internal/storage/blob"
)

const (
	// mostFetches is how many blobs are fetched into the folder at once. Each takes some 1.3 MiB of memory meanwhile.
	mostFetches = 64
	// block is the least room of a file on a disk, and the step by which it grows.
	block = 4 << 10
	// mostFiles bounds the files of a folder: each counts as at least this part of its bytes.
	mostFiles = 1_000_000
)

var errClosed = fmt.Errorf("%w: the cache was closed", sandlot.ErrUnavailable)

// A folder holds whole blobs.
type folder struct {
	path    string
	disk    *blob.Disk
	largest int64 // bytes of a blob, at most
	least   int64 // bytes that a blob counts as, at least
	recent  *recent.Map[sandlot.BlobRef, struct{}]
	flying  singleflight.Group
	room    *semaphore.Weighted // half of its bytes, for blobs that are being fetched
	half    int64

	ctx  context.Context // ends with close
	end  context.CancelFunc
	walk sync.WaitGroup
}

// openFolder returns nil if the folder cannot be created or written.
func openFolder(opts Options) *folder {
	disk, err := blob.OpenDisk(opts.Folder, blob.Options{Alone: true, Unsynced: true})
	if err != nil {
		return nil
	}
	half := max(opts.Bytes/2, 1)
	f := &folder{
		path: opts.Folder, disk: disk, largest: opts.Bytes / 10, least: max(opts.Bytes/mostFiles, block), half: half,
		recent: recent.New[sandlot.BlobRef, struct{}](opts.Bytes), room: semaphore.NewWeighted(half),
	}
	f.ctx, f.end = context.WithCancel(context.Background())
	f.walk.Go(f.adopt)
	return f
}

func (f *folder) close() error {
	f.end()
	f.walk.Wait()
	_ = f.room.Acquire(context.Background(), f.half) // waits for all fetches, and no other begins
	return f.disk.Close()
}

// adopt counts the blobs of an earlier process. Until it has ended, the folder may exceed its limit.
func (f *folder) adopt() {
	for ref, err := range f.disk.List(f.ctx, time.Now().AddDate(100, 0, 0)) {
		if err != nil {
			break
		}
		if fi, err := os.Lstat(filepath.Join(f.path, blob.Path(ref))); err == nil {
			f.use(ref, fi.Size())
		}
	}
}

// open returns bytes of a blob in the folder.
func (f *folder) open(ctx context.Context, b sandlot.Blob, off, n int64) (io.ReadCloser, error) {
	r, err := f.disk.Open(ctx, b, off, n)
	if err == nil {
		f.use(b.Ref, b.Size)
	}
	return r, err
}

// fetch calls fill, once for all callers who need the same blob at once. When a caller leaves, it continues for the
// others, and for the next reader.
func (f *folder) fetch(ctx context.Context, b sandlot.Blob, fill func(context.Context, sandlot.Blob) error) error {
	got := f.flying.DoChan(string(b.Ref), func() (any, error) {
		weight := max(b.Size, f.half/mostFetches)
		if f.room.Acquire(f.ctx, weight) != nil {
			return nil, errClosed
		}
		defer f.room.Release(weight)
		err := fill(f.ctx, b)
		if f.ctx.Err() != nil {
			err = errClosed
		}
		return nil, err
	})
	select {
	case r := <-got:
		return r.Err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// put writes a blob. Its room is counted before it is written.
func (f *folder) put(ctx context.Context, b sandlot.Blob, r io.Reader) error {
	// The folder may have been emptied under the process.
	_ = os.MkdirAll(filepath.Join(f.path, filepath.Dir(blob.Path(b.Ref))), 0o700)
	_ = os.MkdirAll(filepath.Join(f.path, "tmp"), 0o700)
	f.use(b.Ref, b.Size)
	if _, err := f.disk.Put(ctx, b.Ref, r); err != nil {
		f.recent.Drop(b.Ref)
		return err
	}
	f.use(b.Ref, b.Size) // it may have been dropped while there was no file to remove
	return nil
}

// use counts a blob as the one used last, and removes the least recently used ones until all fit.
func (f *folder) use(ref sandlot.BlobRef, size int64) {
	takes := max((size+block-1)/block*block, f.least)
	for _, gone := range f.recent.Put(ref, struct{}{}, takes) {
		_ = f.disk.Delete(f.ctx, gone) // a file that stays is counted by the next process
	}
}

// remove deletes a blob of the folder.
func (f *folder) remove(ref sandlot.BlobRef) {
	f.recent.Drop(ref)
	_ = f.disk.Delete(f.ctx, ref)
}
