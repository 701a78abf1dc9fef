// Package cache compares what a store far away yields with what was recorded, and keeps it on the local disk.
//
// A blob is read MiB by MiB. Each is compared with its checkpoints before a byte of it is yielded, whether it
// came from the local disk or from the store. What does not match is replaced by what is fetched then; if
// that does not either, once more, and then it breaks the answer.
//
//	FOLDER/ab/NAME.0, NAME.1 ..   the MiBs of blobs, by the first two characters of their names
//	FOLDER/tmp/                   files being written
//
// Nothing in the folder is needed: anybody may remove any of it at any time. Nothing is synced, for what a
// crash tears does not match.
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
	"sandlot/internal/base/checkpoint"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/blob"
)

// Store is publish.ShardedBlobs but for Open: its bytes are not believed.
type Store interface {
	Name() sandlot.BlobRef
	Put(ctx context.Context, ref sandlot.BlobRef, r io.Reader) (sandlot.Blob, error)
	// Fetch fills p with the bytes from off of a blob that is to have size bytes in all. A missing blob is
	// sandlot.ErrNotFound, and what is known to be wrong sandlot.ErrCorrupt.
	Fetch(ctx context.Context, ref sandlot.BlobRef, size, off int64, p []byte) error
	Delete(ctx context.Context, ref sandlot.BlobRef) error
	List(ctx context.Context, before time.Time) iter.Seq2[sandlot.BlobRef, error]
	Shards() int
	ListShard(ctx context.Context, n int, before time.Time) iter.Seq2[sandlot.BlobRef, error]
	Ping(ctx context.Context) error
}

// Options bound a cache.
type Options struct {
	// Folder is made if it is not there. Empty: nothing is kept, only compared.
	Folder string
	// Bytes and Entries are how much the folder may hold: bytes of files, in whole blocks of 4 KiB, and
	// files. What was used least recently goes first.
	Bytes   int64
	Entries int
}

const (
	// fetches is how many MiBs are fetched at once. Each takes 1 MiB of memory while it is.
	fetches = 64
	// mostHeld is how many MiBs readers hold in memory at once, because the disk does not take them.
	mostHeld = 256
)

// Blobs is publish.ShardedBlobs over a Store. A blob that another node deleted may be yielded from the cache.
type Blobs struct {
	Store
	files  *files // nil without a folder
	points points
	flying *flights
	held   atomic.Int64

	hits, misses, corrupt, unsaved atomic.Int64
}

var (
	_ publish.ShardedBlobs = (*Blobs)(nil)
	_ publish.PiecedBlobs  = (*Blobs)(nil)
)

// New returns Blobs over a store. A folder that cannot be made, or written, is no error: it only keeps
// nothing then. Close must be called, and closes nothing of the store.
func New(store Store, opts Options) *Blobs {
	c := &Blobs{Store: store, points: points{max: mostPoints}, flying: newFlights(fetches)}
	if opts.Folder != "" && opts.Bytes > 0 && opts.Entries > 0 {
		c.files = openFiles(opts)
	}
	return c
}

// ReadsPieces says that it does.
func (c *Blobs) ReadsPieces() {}

// Close ends what is under way for nobody. Readers that were opened fail.
func (c *Blobs) Close() error {
	c.flying.close()
	if c.files != nil {
		c.files.close()
	}
	return nil
}

// Stats are counts since the start, but for what the folder holds now.
type Stats struct {
	Hits    int64 // MiBs that came from the folder
	Misses  int64 // those that were fetched
	Corrupt int64 // those that did not match, wherever they came from
	Unsaved int64 // those that the folder did not take
	Bytes   int64 // in the folder
	Entries int64 // files in it
}

// Stats returns them.
func (c *Blobs) Stats() Stats {
	s := Stats{Hits: c.hits.Load(), Misses: c.misses.Load(), Corrupt: c.corrupt.Load(), Unsaved: c.unsaved.Load()}
	if c.files != nil {
		s.Bytes, s.Entries = c.files.holdings()
	}
	return s
}

// Delete removes a blob, here and in the store.
func (c *Blobs) Delete(ctx context.Context, ref sandlot.BlobRef) error {
	if c.files != nil && blob.Valid(ref) {
		defer c.files.forget(ref) // after, so that nobody puts it there again from the store
	}
	return c.Store.Delete(ctx, ref)
}

// Open returns the n bytes of a blob from off, or all from off if n is negative, as publish.Blobs has it. The
// MiBs after the first are fetched while it is read. ctx must last until the reader is closed. A reader holds
// a file, and 32 KiB of memory; without a folder, or where the disk takes no more, it holds a MiB, and the
// 257th such is sandlot.ErrUnavailable.
func (c *Blobs) Open(ctx context.Context, b sandlot.Blob, off, n int64) (io.ReadCloser, error) {
	r, err := c.open(ctx, b, off, n)
	if err != nil {
		return nil, fmt.Errorf("open blob %q: %w", b.Ref, err)
	}
	return r, nil
}

func (c *Blobs) open(ctx context.Context, b sandlot.Blob, off, n int64) (*reader, error) {
	if n < 0 {
		n = b.Size - off
	}
	// Not off+n > b.Size, which could overflow.
	if off < 0 || n < 0 || off > b.Size || n > b.Size-off {
		return nil, fmt.Errorf("no %d bytes at %d in %d", n, off, b.Size)
	}
	if !blob.Valid(b.Ref) {
		return nil, sandlot.ErrNotFound // no blob ever had this name
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b, err := c.pointed(ctx, b)
	if err != nil {
		return nil, err
	}
	r := &reader{blobs: c, ctx: ctx, of: b, at: off, end: off + n}
	if n == 0 {
		return r, c.compare(ctx, b)
	}
	if err := r.next(); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// compare compares all of a blob.
func (c *Blobs) compare(ctx context.Context, b sandlot.Blob) error {
	r := &reader{blobs: c, ctx: ctx, of: b, end: b.Size}
	defer r.Close()
	for at := int64(0); at == 0 || at < b.Size; at += checkpoint.Step {
		r.at = at
		if err := r.next(); err != nil {
			return err
		}
	}
	return nil
}

// A piece is one MiB of a blob, or what the last one has, and what proves it.
type piece struct {
	id
	size, of      int64  // bytes: its own, and the blob's
	before, after string // the checkpoints around it
	sum           sandlot.Digest
}

type id struct {
	ref sandlot.BlobRef
	n   int64 // counted from 0
}

// pieceOf returns a piece of a blob that has its checkpoints.
func pieceOf(b sandlot.Blob, n int64) piece {
	p := piece{id: id{b.Ref, n}, size: min(b.Size-n*checkpoint.Step, checkpoint.Step), of: b.Size}
	if p.before, p.after = checkpoint.Around(b.Checkpoints, n); p.after == "" {
		p.sum = b.SHA256
	}
	return p
}

// matches compares bytes with what was recorded.
func (p piece) matches(data []byte) bool {
	h, err := checkpoint.Between(p.before, p.after, p.n)
	if err != nil || int64(len(data)) != p.size {
		return false
	}
	_, _ = h.Write(data) // never fails
	return h.OK(p.sum)
}

// load returns a piece whose bytes match.
func (c *Blobs) load(ctx context.Context, p piece) (*chunk, error) {
	if k := c.kept(p); k != nil {
		c.hits.Add(1)
		return k, nil
	}
	got := c.flying.wait(ctx, c.fetching(ctx, p))
	if got.err != nil {
		return nil, got.err
	}
	// From the file, if there is one now: who reads slowly is not to hold a MiB.
	if k := c.kept(p); k != nil {
		return k, nil
	}
	return c.hold(got.data)
}

// kept returns a piece from the folder, or nil.
func (c *Blobs) kept(p piece) *chunk {
	if c.files == nil {
		return nil
	}
	k, damaged := c.files.open(p)
	if damaged {
		c.corrupt.Add(1)
	}
	return k
}

// hold returns a chunk in memory.
func (c *Blobs) hold(data []byte) (*chunk, error) {
	if len(data) <= blockSize {
		return &chunk{data: data}, nil
	}
	if c.held.Add(1) > mostHeld {
		c.held.Add(-1)
		return nil, fmt.Errorf("%w: too many large files are read at once that the folder of the cache does not take", sandlot.ErrUnavailable)
	}
	return &chunk{data: data, close: func() { c.held.Add(-1) }}, nil
}

// fetching is the flight that fetches a piece, for all who want it at once.
func (c *Blobs) fetching(ctx context.Context, p piece) *flight {
	return c.flying.join(ctx, p, func(ctx context.Context) landing {
		if data := c.saved(p); data != nil {
			return landing{data: data}
		}
		c.misses.Add(1)
		data := make([]byte, p.size)
		var err error
		for range 2 {
			if err = c.Fetch(ctx, p.ref, p.of, p.n*checkpoint.Step, data); err == nil {
				if p.matches(data) {
					c.save(p, data, true)
					return landing{data: data}
				}
				err = fmt.Errorf("%w: other bytes in the MiB from byte %d", sandlot.ErrCorrupt, p.n*checkpoint.Step)
			}
			if !errors.Is(err, sandlot.ErrCorrupt) {
				break
			}
			c.corrupt.Add(1)
		}
		return landing{err: err}
	})
}

// saved returns a piece that another flight brought since the folder was looked at.
func (c *Blobs) saved(p piece) (data []byte) {
	if c.files == nil {
		return nil
	}
	k, _ := c.files.open(p)
	if k == nil {
		return nil
	}
	defer k.Close()
	data = make([]byte, 0, p.size)
	for int64(len(data)) < p.size {
		w, err := k.window(int64(len(data)))
		if err != nil {
			return nil
		}
		data = append(data, w...)
	}
	return data
}

func (c *Blobs) save(p piece, data []byte, compared bool) {
	if c.files != nil && !c.files.save(p, data, compared) {
		c.unsaved.Add(1)
	}
}

// ahead begins to fetch the next piece, if there is room for that and a place for it.
func (c *Blobs) ahead(ctx context.Context, p piece) *flight {
	if c.files == nil || c.files.has(p) || c.flying.busy() {
		return nil
	}
	return c.fetching(ctx, p)
}

// A reader yields the next bytes of a blob.
type reader struct {
	blobs   *Blobs
	ctx     context.Context
	of      sandlot.Blob // with its checkpoints
	at, end int64

	chunk  *chunk  // a piece, or nil
	from   int64   // where that begins in the blob
	coming *flight // the piece after it
}
