package picture

import (
	"cmp"
	"context"
	"errors"
	"io"
	"time"
)

// hold reads all bytes of src, at most MaxBytes, unless the first of them show that it is no picture.
func hold(src Source) ([]byte, error) {
	data := make([]byte, min(src.Size(), MaxBytes))
	if n, err := src.ReadAt(data, 0); n < len(data) {
		return nil, cmp.Or(err, io.ErrUnexpectedEOF)
	}
	if _, problem := sniff(data[:min(len(data), sniffed)]); problem != nil {
		return nil, problem
	}
	if src.Size() > MaxBytes {
		return nil, &Problem{Kind: TooManyBytes}
	}
	return data, nil
}

// sniffed is how many bytes identify a picture.
const sniffed = 512

// bounded is a reader of at most MaxBytes.
type bounded struct {
	r io.Reader
	n int
}

// Bounded returns a reader of r that fails with a *Problem after more than MaxBytes.
func Bounded(r io.Reader) io.Reader { return &bounded{r: r} }

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.n += n; b.n > MaxBytes {
		return 0, &Problem{Kind: TooManyBytes}
	}
	return n, err
}

var errLate = errors.New("reading a picture took too long")

// timed reads until the time is up, a little at a time: decoders may work long on a few bytes.
type timed struct {
	ctx   context.Context
	r     io.Reader
	spent func() time.Duration
	end   time.Duration
}

func (t *timed) Read(p []byte) (int, error) {
	if err := t.ctx.Err(); err != nil {
		return 0, err
	}
	if t.spent() > t.end {
		return 0, errLate
	}
	return t.r.Read(p[:min(len(p), 1024)])
}
