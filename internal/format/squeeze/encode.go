package squeeze

import (
	"context"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"sandlot"
	"sandlot/internal/base/worker"
)

// encoder is a compressor that can be used again for another stream.
type encoder interface {
	io.WriteCloser
	Reset(w io.Writer)
}

// format is one Content-Encoding, with its compressor while the worker is busy.
type format struct {
	name    string
	make    func() (encoder, error)
	encoder encoder
}

// formats returns the three encodings that browsers accept. Measured on a 2-core Xeon with 10 KiB of HTML, 370 KiB of
// minified JS, 5 MiB of wasm and 4 MiB of JSON; the memory is that of the compressor afterwards:
//
//	      compressed to                speed     memory after
//	      HTML   JS     wasm   JSON    of wasm   10 KiB   5 MiB    16 MiB
//	br    0.740  0.509  0.477  0.260   20 MB/s   2.2 MiB  4.8 MiB  5.8 MiB
//	zstd  0.842  0.578  0.544  0.327  175 MB/s   1.5 MiB  3.0 MiB  3.0 MiB
//	gzip  0.796  0.544  0.559  0.290   40 MB/s   1.0 MiB  1.0 MiB  1.0 MiB
//
// One level up is more than 8 MiB allow, or not worth its time: br at quality 7 holds 10.9 MiB; at 6 with a window of 1
// MiB 12.9 MiB, for a hundredth less; zstd's next level 5.9 MiB, which only clients without br would notice; gzip at 9
// is a quarter as fast, for a hundredth less.
//
// Files that would hold the worker for long are compressed at lower levels: above 16 MiB at about twice the speed for
// three hundredths more, above 128 MiB at four times. The memory does not grow with the file, except for brotli's share
// of a block.
func formats(size int64) []format {
	at := levels{br: 6, zstd: zstd.SpeedDefault, gzip: 8}
	switch {
	case size > huge:
		at = levels{br: 3, zstd: zstd.SpeedFastest, gzip: 4}
	case size > large:
		at = levels{br: 5, zstd: zstd.SpeedDefault, gzip: 6}
	}
	return []format{
		{name: "br", make: func() (encoder, error) {
			return brotli.NewWriterOptions(nil, brotli.WriterOptions{Quality: at.br, LGWin: 18}), nil
		}},
		{name: "zstd", make: func() (encoder, error) {
			return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20),
				zstd.WithLowerEncoderMem(true), zstd.WithEncoderLevel(at.zstd))
		}},
		{name: "gzip", make: func() (encoder, error) { return gzip.NewWriterLevel(nil, at.gzip) }},
	}
}

// levels are those of the three compressors.
type levels struct {
	br   int
	zstd zstd.EncoderLevel
	gzip int
}

// to points the compressor at w.
func (f *format) to(w io.Writer) (encoder, error) {
	if f.encoder == nil {
		var err error
		if f.encoder, err = f.make(); err != nil {
			return nil, fmt.Errorf("make compressor: %w", err)
		}
	}
	f.encoder.Reset(w)
	return f.encoder, nil
}

// variant compresses a blob and keeps the result.
func (w *Worker) variant(ctx context.Context, b sandlot.Blob, f *format) (sandlot.Variant, error) {
	plain, err := w.content.Open(ctx, b, 0, -1)
	if err != nil {
		return sandlot.Variant{}, fmt.Errorf("%s: %w", f.name, err)
	}
	defer plain.Close()
	rest := w.rest
	if b.Size > large {
		rest = w.makeWay
	}
	sum := crc32.NewIEEE()
	out, in := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		in.CloseWithError(worker.Guarded(func() error {
			return f.compress(in, io.TeeReader(&calm{ctx: ctx, r: plain, rest: rest}, sum))
		}))
	}()
	end := func() {
		out.CloseWithError(io.ErrClosedPipe) // lets the compressor end if StageDerived did not read to the end
		<-done
	}
	defer end() // after a panic, too
	kept, err := w.content.StageDerived(ctx, out)
	end()
	if err != nil {
		return sandlot.Variant{}, fmt.Errorf("%s: %w", f.name, err)
	}
	return sandlot.Variant{Encoding: f.name, Blob: kept, CRC32: sum.Sum32()}, nil
}

func (f *format) compress(w io.Writer, r io.Reader) error {
	enc, err := f.to(w)
	if err != nil {
		return err
	}
	if _, err := io.Copy(enc, r); err != nil {
		return err
	}
	return enc.Close()
}

// calm reads r until ctx ends, and rests every few megabytes.
type calm struct {
	ctx  context.Context
	r    io.Reader
	rest func(context.Context) error
	read int
}

func (c *calm) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	if c.read >= restEvery {
		c.read = 0
		if err := c.rest(c.ctx); err != nil {
			return 0, err
		}
	}
	n, err := c.r.Read(p)
	c.read += n
	return n, err
}
