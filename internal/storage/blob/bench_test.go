package blob

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"sync/atomic"
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

// plain hides the methods that make io.Copy clever.
type plain struct{ io.Reader }

// hashing costs as much for each byte as the service's own reader.
type hashing struct {
	r io.Reader
	w io.Writer
}

func (h hashing) Read(p []byte) (int, error) {
	n, err := h.r.Read(p)
	h.w.Write(p[:n])
	return n, err
}

func BenchmarkPut(b *testing.B) {
	for _, size := range []int{64 << 10, 1 << 20, 100 << 20} {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(i * 7)
		}
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
			d := openTemp(b)
			b.SetBytes(int64(size))
			for b.Loop() {
				blob, err := d.Put(b.Context(), d.Name(), plain{bytes.NewReader(data)})
				expect.OK(b, err)
				d.Delete(b.Context(), blob.Ref)
			}
		})
		b.Run(fmt.Sprintf("%dKiB hashed", size>>10), func(b *testing.B) {
			d := openTemp(b)
			b.SetBytes(int64(size))
			for b.Loop() {
				blob, err := d.Put(b.Context(), d.Name(), hashing{bytes.NewReader(data), sha256.New()})
				expect.OK(b, err)
				d.Delete(b.Context(), blob.Ref)
			}
		})
	}
}

func BenchmarkPutAtOnce(b *testing.B) {
	data := make([]byte, 1<<20)
	d := openTemp(b)
	b.SetBytes(int64(len(data)))
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			blob, err := d.Put(b.Context(), d.Name(), plain{bytes.NewReader(data)})
			if err != nil {
				b.Error(err)
				return
			}
			d.Delete(b.Context(), blob.Ref)
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	d := openTemp(b)
	data := make([]byte, 1<<20)
	blobs := make([]sandlot.Blob, 16)
	for i := range blobs {
		data[0] = byte(i)
		blob, err := d.Put(b.Context(), d.Name(), bytes.NewReader(data))
		expect.OK(b, err)
		blob.SHA256 = sha256.Sum256(data)
		blobs[i] = blob
	}
	open := func(i int) {
		rc, err := d.Open(b.Context(), blobs[i%len(blobs)], 0, -1)
		expect.OK(b, err)
		rc.Close()
	}
	b.Run("first", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for i := 0; b.Loop(); i++ {
			d.trust.drop(blobs[i%len(blobs)].Ref)
			open(i)
		}
	})
	b.Run("trusted", func(b *testing.B) {
		var n atomic.Int64
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				open(int(n.Add(1)))
			}
		})
	})
}
