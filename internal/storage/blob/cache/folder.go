package cache

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"

	"sandlot"
	"sandlot/internal/storage/blob"
)

// mostFetches is how many blobs are fetched into the folder at once. Each takes some 1.3 MiB of memory meanwhile.
const mostFetches = 64

var errClosed = fmt.Errorf("%w: the cache was closed", sandlot.ErrUnavailable)

// A folder holds whole blobs.
type folder struct {
	path    string
	disk    *blob.Disk
	largest int64 // bytes of a blob, at most
	recent  *recent
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
		path: opts.Folder, disk: disk, largest: opts.Bytes / 10, half: half,
		recent: newRecent(opts.Bytes), room: semaphore.NewWeighted(half),
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

// adopt counts the blobs of an earlier process, as the least recently used of all. Until it has ended, the folder may
// exceed its limit. It removes the MiBs of blobs that earlier versions kept as NAME.0, NAME.1.
func (f *folder) adopt() {
	ever := time.Now().AddDate(100, 0, 0)
	for ref, err := range f.disk.List(f.ctx, ever) {
		if err != nil {
			break
		}
		if fi, err := os.Lstat(filepath.Join(f.path, blob.Path(ref))); err == nil {
			f.recent.add(ref, fi.Size(), false)
		}
	}
	f.evict(0)
	for name := range f.disk.Foreign(f.ctx, ever) {
		if ref, _, cut := strings.Cut(filepath.Base(name), "."); cut && blob.Valid(sandlot.BlobRef(ref)) {
			_ = os.Remove(filepath.Join(f.path, name))
		}
	}
}

// open returns bytes of a blob in the folder.
func (f *folder) open(ctx context.Context, b sandlot.Blob, off, n int64) (io.ReadCloser, error) {
	r, err := f.disk.Open(ctx, b, off, n)
	if err == nil {
		f.recent.add(b.Ref, b.Size, true)
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
	f.evict(f.recent.takes(b.Size))
	_, err := f.disk.Put(ctx, b.Ref, r)
	f.evict(-f.recent.takes(b.Size))
	if err == nil {
		f.recent.add(b.Ref, b.Size, true)
		f.evict(0)
	}
	return err
}

// evict counts so many more bytes, and removes the least recently used blobs until all fit.
func (f *folder) evict(more int64) {
	for _, ref := range f.recent.grow(more) {
		_ = f.disk.Delete(f.ctx, ref) // a file that stays is counted by the next process
	}
}

// remove deletes a blob of the folder.
func (f *folder) remove(ref sandlot.BlobRef) {
	f.recent.drop(ref)
	_ = f.disk.Delete(f.ctx, ref)
}
