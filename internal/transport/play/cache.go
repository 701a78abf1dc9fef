package play

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/maypok86/otter/v2"
	"github.com/maypok86/otter/v2/stats"
	"golang.org/x/sync/singleflight"

	"sandlot"
)

const (
	// maxBody is the largest body that is cached, in bytes. Filling the cache needs it in memory at once.
	maxBody = 1 << 20
	// fillSlots is the most fills at once: with bodies of maxBody they hold 8 MiB on top of the cache.
	fillSlots = 8
	// fillTime is the longest fill, the wait for a slot included: as long as the user of a browser would wait.
	fillTime = 30 * time.Second
	// unsettled is the time for which a list is kept while variants of its files may still come.
	unsettled = time.Second
	// refreshTime is the longest wait of a request for a fresh list: the last one is as good.
	refreshTime = 250 * time.Millisecond
)

// A key names a cached value: the list of a version, by project and version, or the bytes with a digest. The value
// under a key never changes, so the cache is never out of date.
type key struct {
	project sandlot.ProjectID
	version int
	digest  sandlot.Digest
}

// name returns the key as text, for singleflight.
func (k key) name() string {
	if k.project != "" {
		return string(k.project) + "/" + strconv.Itoa(k.version)
	}
	return string(k.digest[:])
}

// A value is a list or a body.
type value struct {
	list *list
	body []byte
}

// weight returns the approximate size of the value in bytes, with its place in the cache.
func (v value) weight() uint32 {
	const entry = 200
	if v.list != nil {
		return entry + v.list.weight
	}
	return entry + uint32(cap(v.body))
}

// A cache keeps lists and bodies up to a limit in bytes. It loads a value once for all concurrent requests. All methods
// may be called concurrently.
type cache struct {
	entries *otter.Cache[key, value]
	reads   *stats.Counter
	flights singleflight.Group
	slots   chan struct{}
}

func newCache(bytes int64) *cache {
	reads := stats.NewCounter()
	return &cache{
		entries: otter.Must(&otter.Options[key, value]{
			MaximumWeight: uint64(bytes),
			Weigher:       func(_ key, v value) uint32 { return v.weight() },
			StatsRecorder: reads,
		}),
		reads: reads, slots: make(chan struct{}, fillSlots),
	}
}

// CacheReads returns the look-ups of lists and bodies in memory so far, by whether they were found.
func (h *Handler) CacheReads() (hits, misses uint64) {
	s := h.cache.reads.Snapshot()
	return s.Hits, s.Misses
}

// fill returns the result of load, and keeps it unless load fails. Of many callers with one key one loads. valid reports
// whether a value that another call has just stored is good enough. Loading does not end with ctx, for others may wait
// for it, but after fillTime. At most fillSlots loads run at once.
func (c *cache) fill(ctx context.Context, k key, valid func(value) bool, load func(context.Context) (value, error)) (value, error) {
	done := c.flights.DoChan(k.name(), func() (any, error) {
		// Another flight may have landed between the look-up and this one's start.
		if e, ok := c.entries.GetEntryQuietly(k); ok && valid(e.Value) {
			return e.Value, nil
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fillTime)
		defer cancel()
		select {
		case c.slots <- struct{}{}:
			defer func() { <-c.slots }()
		case <-ctx.Done():
			return value{}, ctx.Err()
		}
		v, err := guard(ctx, load)
		if err == nil {
			c.entries.Set(k, v)
		}
		return v, err
	})
	select {
	case res := <-done:
		v, _ := res.Val.(value)
		return v, res.Err
	case <-ctx.Done():
		return value{}, ctx.Err()
	}
}

// guard turns a panic of load into an error. Nothing else could recover it in the goroutine of singleflight, and the
// process would end.
func guard(ctx context.Context, load func(context.Context) (value, error)) (v value, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic while filling the cache: %v", p)
		}
	}()
	return load(ctx)
}

// list returns the files of the project's version, from the cache or the store. It reads a list that may still get
// variants again after a second, and returns the old one while that fails.
func (h *Handler) list(ctx context.Context, p *sandlot.Project) (*list, error) {
	k := key{project: p.ID, version: p.Version}
	last, known := h.cache.entries.GetIfPresent(k)
	if known && h.settled(last) {
		return last.list, nil
	}
	if known {
		var end context.CancelFunc
		ctx, end = context.WithTimeout(ctx, refreshTime)
		defer end()
	}
	v, err := h.cache.fill(ctx, k, h.settled, func(ctx context.Context) (value, error) {
		files, err := h.Contents.Files(ctx, k.project, k.version)
		if errors.Is(err, sandlot.ErrNotFound) { // it was deleted, or the version erased, since its head was confirmed
			err = sandlot.CodeProjectNotFound
		}
		if err != nil {
			return value{}, fmt.Errorf("files of %s version %d: %w", k.project, k.version, err)
		}
		return value{list: newList(files, h.Now().Add(unsettled))}, nil
	})
	if err != nil && known {
		return last.list, nil // it lacks at most other forms of the same bytes
	}
	return v.list, err
}

// settled reports whether a list gets no more variants, or was read less than a second ago.
func (h *Handler) settled(v value) bool {
	return v.list.until.IsZero() || h.Now().Before(v.list.until)
}

// body returns all bytes of a blob of at most bodyMax bytes, from the cache or the store. They must not be changed.
func (h *Handler) body(ctx context.Context, b sandlot.Blob) ([]byte, error) {
	k := key{digest: b.SHA256}
	if v, ok := h.cache.entries.GetIfPresent(k); ok {
		return v.body, nil
	}
	v, err := h.cache.fill(ctx, k, func(value) bool { return true }, func(ctx context.Context) (value, error) {
		body, err := h.readAll(ctx, b)
		return value{body: body}, err
	})
	return v.body, err
}

func (h *Handler) readAll(ctx context.Context, b sandlot.Blob) ([]byte, error) {
	rc, err := h.Contents.Open(ctx, b, 0, -1)
	if err != nil {
		return nil, blobError("open", b, err)
	}
	defer rc.Close()
	body := make([]byte, b.Size)
	if _, err := io.ReadFull(rc, body); err != nil {
		return nil, blobError("read", b, err)
	}
	return body, nil
}

// blobError adds the operation and the blob to an error. A missing blob that a list names counts as damaged:
// sandlot.ErrCorrupt.
func blobError(doing string, b sandlot.Blob, err error) error {
	if errors.Is(err, sandlot.ErrNotFound) {
		err = fmt.Errorf("%w: %w", sandlot.ErrCorrupt, err)
	}
	return fmt.Errorf("%s blob %d %s: %w", doing, b.ID, b.Ref, err)
}
