// Package measured measures the calls of a folder or a bucket of files.
package measured

import (
	"context"
	"errors"
	"io"
	"iter"
	"maps"
	"time"

	"sandlot"
	"sandlot/internal/base/meter"
	"sandlot/internal/storage/blob"
	"sandlot/internal/storage/blob/cache"
)

// Meters measure calls; nil measures nothing.
type Meters struct{ seconds map[Call]*meter.Histogram }

// A Call is the kind of a call and its outcome.
type Call struct{ Op, Outcome string }

// The kinds of calls and the outcomes. They never change.
var (
	ops      = []string{"put", "read", "delete"}
	outcomes = []string{"ok", "missing", "full", "cut", "failed"}
)

// New returns meters of every call.
func New() *Meters {
	m := &Meters{map[Call]*meter.Histogram{}}
	for _, op := range ops {
		for _, outcome := range outcomes {
			m.seconds[Call{op, outcome}] = meter.NewHistogram(.001, .005, .02, .1, .5, 2, 10, 60)
		}
	}
	return m
}

// observe measures a call; cut says that its caller left.
func (m *Meters) observe(op string, took time.Duration, err error, cut bool) {
	if m == nil {
		return
	}
	outcome := "failed"
	switch {
	case err == nil:
		outcome = "ok"
	case errors.Is(err, sandlot.ErrNotFound):
		outcome = "missing"
	case errors.Is(err, sandlot.ErrFull):
		outcome = "full"
	case cut:
		outcome = "cut"
	}
	m.seconds[Call{op, outcome}].Observe(took.Seconds())
}

// All returns the measurements.
func (m *Meters) All() iter.Seq2[Call, *meter.Histogram] { return maps.All(m.seconds) }

// put measures a Put without the time for which it waits for its client. A client that fails is no failure of the store.
func (m *Meters) put(ctx context.Context, r io.Reader, put func(io.Reader) (sandlot.Blob, error)) (sandlot.Blob, error) {
	from, began := clientReader{Reader: r}, time.Now()
	b, err := put(&from)
	m.observe("put", time.Since(began)-from.waited, err, from.err != nil || ctx.Err() != nil)
	return b, err
}

// measure measures any other call.
func (m *Meters) measure(ctx context.Context, op string, call func() error) error {
	began := time.Now()
	err := call()
	m.observe(op, time.Since(began), err, ctx.Err() != nil)
	return err
}

// A clientReader measures the wait for a client, and remembers its failure.
type clientReader struct {
	io.Reader
	waited time.Duration
	err    error
}

func (r *clientReader) Read(p []byte) (int, error) {
	began := time.Now()
	n, err := r.Reader.Read(p)
	r.waited += time.Since(began)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

// A Disk is a folder of files whose calls are measured.
type Disk struct {
	*blob.Disk
	Meters *Meters
}

// Put is that of the folder, measured.
func (d Disk) Put(ctx context.Context, ref sandlot.BlobRef, r io.Reader) (sandlot.Blob, error) {
	return d.Meters.put(ctx, r, func(r io.Reader) (sandlot.Blob, error) { return d.Disk.Put(ctx, ref, r) })
}

// Open is that of the folder, measured.
func (d Disk) Open(ctx context.Context, b sandlot.Blob, off, n int64) (r io.ReadCloser, err error) {
	err = d.Meters.measure(ctx, "read", func() error {
		r, err = d.Disk.Open(ctx, b, off, n)
		return err
	})
	return r, err
}

// Delete is that of the folder, measured.
func (d Disk) Delete(ctx context.Context, ref sandlot.BlobRef) error {
	return d.Meters.measure(ctx, "delete", func() error { return d.Disk.Delete(ctx, ref) })
}

// A Store is a bucket whose calls are measured.
type Store struct {
	cache.Store
	Meters *Meters
}

// Put is that of the bucket, measured.
func (s Store) Put(ctx context.Context, ref sandlot.BlobRef, r io.Reader) (sandlot.Blob, error) {
	return s.Meters.put(ctx, r, func(r io.Reader) (sandlot.Blob, error) { return s.Store.Put(ctx, ref, r) })
}

// Fetch is that of the bucket, measured.
func (s Store) Fetch(ctx context.Context, ref sandlot.BlobRef, size, off int64, p []byte) error {
	return s.Meters.measure(ctx, "read", func() error { return s.Store.Fetch(ctx, ref, size, off, p) })
}

// Delete is that of the bucket, measured.
func (s Store) Delete(ctx context.Context, ref sandlot.BlobRef) error {
	return s.Meters.measure(ctx, "delete", func() error { return s.Store.Delete(ctx, ref) })
}
