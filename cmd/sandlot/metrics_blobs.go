package main

import (
	"context"
	"errors"
	"io"
	"time"

	"sandlot"
	"sandlot/internal/base/meter"
	"sandlot/internal/storage/blob"
	"sandlot/internal/storage/blob/cache"
)

// blobMeters measure the calls of a folder or bucket of files; nil measures nothing.
type blobMeters struct{ seconds map[blobCall]*meter.Histogram }

// A blobCall is the kind of a call and its outcome.
type blobCall struct{ op, outcome string }

// The kinds of calls and the outcomes. They never change.
var (
	blobOps      = []string{"put", "read", "delete"}
	blobOutcomes = []string{"ok", "missing", "full", "cut", "failed"}
)

func newBlobMeters() *blobMeters {
	m := &blobMeters{map[blobCall]*meter.Histogram{}}
	for _, op := range blobOps {
		for _, outcome := range blobOutcomes {
			m.seconds[blobCall{op, outcome}] = meter.NewHistogram(.001, .005, .02, .1, .5, 2, 10, 60)
		}
	}
	return m
}

// observe measures a call; cut says that its caller left.
func (m *blobMeters) observe(op string, took time.Duration, err error, cut bool) {
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
	m.seconds[blobCall{op, outcome}].Observe(took.Seconds())
}

// blobs exports the measurements of files.
func (m *metrics) blobs(of *blobMeters) {
	m.histograms("sandlot_blob_seconds", "Time of a call of the folder or bucket of files, without the wait for its client.",
		[]string{"op", "outcome"}, func(add func(*meter.Histogram, ...string)) {
			for call, h := range of.seconds {
				add(h, call.op, call.outcome)
			}
		})
}

// put measures a Put without the time for which it waits for its client. A client that fails is no failure of the store.
func (m *blobMeters) put(ctx context.Context, r io.Reader, put func(io.Reader) (sandlot.Blob, error)) (sandlot.Blob, error) {
	from, began := clientReader{Reader: r}, time.Now()
	b, err := put(&from)
	m.observe("put", time.Since(began)-from.waited, err, from.err != nil || ctx.Err() != nil)
	return b, err
}

// measure measures any other call.
func (m *blobMeters) measure(ctx context.Context, op string, call func() error) error {
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

// measuredDisk is a folder of files whose calls are measured.
type measuredDisk struct {
	*blob.Disk
	m *blobMeters
}

func (d measuredDisk) Put(ctx context.Context, ref sandlot.BlobRef, r io.Reader) (sandlot.Blob, error) {
	return d.m.put(ctx, r, func(r io.Reader) (sandlot.Blob, error) { return d.Disk.Put(ctx, ref, r) })
}

func (d measuredDisk) Open(ctx context.Context, b sandlot.Blob, off, n int64) (r io.ReadCloser, err error) {
	err = d.m.measure(ctx, "read", func() error {
		r, err = d.Disk.Open(ctx, b, off, n)
		return err
	})
	return r, err
}

func (d measuredDisk) Delete(ctx context.Context, ref sandlot.BlobRef) error {
	return d.m.measure(ctx, "delete", func() error { return d.Disk.Delete(ctx, ref) })
}

// measuredStore is a bucket whose calls are measured.
type measuredStore struct {
	cache.Store
	m *blobMeters
}

func (s measuredStore) Put(ctx context.Context, ref sandlot.BlobRef, r io.Reader) (sandlot.Blob, error) {
	return s.m.put(ctx, r, func(r io.Reader) (sandlot.Blob, error) { return s.Store.Put(ctx, ref, r) })
}

func (s measuredStore) Fetch(ctx context.Context, ref sandlot.BlobRef, size, off int64, p []byte) error {
	return s.m.measure(ctx, "read", func() error { return s.Store.Fetch(ctx, ref, size, off, p) })
}

func (s measuredStore) Delete(ctx context.Context, ref sandlot.BlobRef) error {
	return s.m.measure(ctx, "delete", func() error { return s.Store.Delete(ctx, ref) })
}
