// Package cache compares the bytes of a distant store with their hashes, and keeps whole blobs on the local disk.
//
// A blob of at most a tenth of the cache is fetched whole into a folder, and read from there as [blob.Disk] reads it.
// Larger ones, and those that do not fit the folder, are read from the store in the range that the caller needs: a MiB
// at a time, compared before a byte of it is yielded.
//
// Nothing in the folder is needed, and anybody may empty it at any time. Nothing in it is synced, for the first Open in
// a process finds a file that a crash tore.
package cache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync/atomic"
	"time"

	"sandlot"
	"sandlot/internal/storage/blob"
)

// Store is publish.Blobs without Open: nobody compares its bytes.
type Store interface {
	Name() sandlot.BlobRef
	Put(ctx context.Context, ref sandlot.BlobRef, r io.Reader) (sandlot.Blob, error)
	// Fetch fills p with the bytes from off of a blob that is to have size bytes in all. A missing blob is
	// sandlot.ErrNotFound, and one that is known to be wrong sandlot.ErrCorrupt.
	Fetch(ctx context.Context, ref sandlot.BlobRef, size, off int64, p []byte) error
	Delete(ctx context.Context, ref sandlot.BlobRef) error
	List(ctx context.Context, before time.Time) iter.Seq2[sandlot.BlobRef, error]
	Ping(ctx context.Context) error
}

// Options bound a cache.
type Options struct {
	// Folder is created if it is missing. Empty: nothing is kept, only compared.
	Folder string
	// Bytes is how many bytes the folder may hold, in whole blocks of 4 KiB. The least recently used blobs go first.
	Bytes int64
}

// mostStreams is how many blobs are read from the store at once, past the folder: each takes a MiB of memory.
const mostStreams = 256

// Blobs is publish.Blobs over a Store. It may still yield a blob from the cache that another node deleted.
type Blobs struct {
	Store
	folder  *folder // nil: nothing is kept
	streams atomic.Int64

	hits, misses, corrupt atomic.Int64
}

var _ sandlot.Blobs = (*Blobs)(nil)

// New returns Blobs over a store. A folder that cannot be created, or written, is no error: then nothing is kept. The
// caller must call Close, which does not close the store.
func New(store Store, opts Options) *Blobs {
	c := &Blobs{Store: store}
	if opts.Folder != "" && opts.Bytes > 0 {
		c.folder = openFolder(opts)
	}
	return c
}

// Close ends the current fetches, and later ones fail.
func (c *Blobs) Close() error {
	if c.folder == nil {
		return nil
	}
	return c.folder.close()
}

// Stats are counts since the start, except for Bytes.
type Stats struct {
	Hits    int64 // reads of blobs in the folder
	Misses  int64 // reads, or fetches into the folder, from the store
	Corrupt int64 // blobs, or MiBs of streams, that did not match, from folder or store
	Bytes   int64 // in the folder
}

// Stats returns the counts.
func (c *Blobs) Stats() Stats {
	s := Stats{Hits: c.hits.Load(), Misses: c.misses.Load(), Corrupt: c.corrupt.Load()}
	if c.folder != nil {
		s.Bytes = c.folder.recent.Weight()
	}
	return s
}

// Delete removes a blob, here and in the store.
func (c *Blobs) Delete(ctx context.Context, ref sandlot.BlobRef) error {
	if c.folder != nil && blob.Valid(ref) {
		defer c.folder.remove(ref) // last, so that no reader puts it there again from the store
	}
	return c.Store.Delete(ctx, ref)
}

// Open returns the n bytes of a blob from off, or all from off if n is negative, as in publish.Blobs. ctx must last
// until the reader is closed. A reader of the folder holds a file. Any other holds a MiB, and the 257th such is
// sandlot.ErrUnavailable.
func (c *Blobs) Open(ctx context.Context, b sandlot.Blob, off, n int64) (io.ReadCloser, error) {
	r, err := c.open(ctx, b, off, n)
	if err != nil {
		return nil, fmt.Errorf("open blob %q: %w", b.Ref, err)
	}
	return r, nil
}

func (c *Blobs) open(ctx context.Context, b sandlot.Blob, off, n int64) (io.ReadCloser, error) {
	n, err := blob.Within(b, off, n)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	if c.folder != nil && b.Size <= c.folder.largest {
		r, err := c.kept(ctx, b, off, n)
		if err != errUnsaved {
			return r, err
		}
	}
	return c.stream(ctx, b, off, n)
}

// errUnsaved says that a blob did not fit the folder.
var errUnsaved = errors.New("not kept")

// kept opens a blob in the folder, and first fetches one that is missing or damaged. Bytes that do not match are
// fetched once more.
func (c *Blobs) kept(ctx context.Context, b sandlot.Blob, off, n int64) (io.ReadCloser, error) {
	r, err := c.look(ctx, b, off, n)
	if err == nil {
		c.hits.Add(1)
	}
	for range 2 {
		if !errors.Is(err, sandlot.ErrNotFound) && !errors.Is(err, sandlot.ErrCorrupt) {
			break
		}
		if err := c.folder.fetch(ctx, b, c.fill); err != nil {
			return nil, err
		}
		r, err = c.look(ctx, b, off, n)
	}
	if err == nil || ctx.Err() != nil || errors.Is(err, sandlot.ErrCorrupt) {
		return r, err
	}
	return nil, errUnsaved
}

// look opens a blob in the folder if it is there, and removes a damaged one.
func (c *Blobs) look(ctx context.Context, b sandlot.Blob, off, n int64) (io.ReadCloser, error) {
	r, err := c.folder.open(ctx, b, off, n)
	if errors.Is(err, sandlot.ErrCorrupt) {
		c.corrupt.Add(1)
		c.folder.remove(b.Ref)
	}
	return r, err
}

// fill puts a blob into the folder. It compares nothing: Open does.
func (c *Blobs) fill(ctx context.Context, b sandlot.Blob) error {
	c.misses.Add(1)
	from := &stream{blobs: c, ctx: ctx, of: b, end: b.Size}
	err := from.next() // even an empty blob may be missing
	if err == nil {
		err = c.folder.put(ctx, b, from)
	}
	if err != nil && from.err == nil {
		return errUnsaved
	}
	return from.err
}
