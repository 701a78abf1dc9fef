package cache

import (
	"context"
	"errors"
	"fmt"
	"io"

	"sandlot"
	"sandlot/internal/base/checkpoint"
)

// A stream reads bytes of a blob from the store, a MiB at a time.
type stream struct {
	blobs    *Blobs
	ctx      context.Context
	of       sandlot.Blob
	compared bool  // with the checkpoints of the blob, before a byte of a MiB is yielded
	at, end  int64 // the next byte, and the one after the last

	mebi  []byte // the MiB that was fetched last
	rest  []byte // its bytes that were not yielded
	err   error
	close func()
}

// small is the most bytes that a stream holds without being counted.
const small = 32 << 10

// stream opens bytes in the store.
func (c *Blobs) stream(ctx context.Context, b sandlot.Blob, off, n int64) (io.ReadCloser, error) {
	if b.Size > small {
		if c.streams.Add(1) > mostStreams {
			c.streams.Add(-1)
			return nil, fmt.Errorf("%w: too many large files are read from the store at once", sandlot.ErrUnavailable)
		}
	}
	s := &stream{blobs: c, ctx: ctx, compared: true, at: off, end: off + n}
	s.close = func() {
		if b.Size > small {
			c.streams.Add(-1)
		}
	}
	c.misses.Add(1)
	var err error
	if s.of, err = c.pointed(ctx, b); err == nil {
		err = s.begin()
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// begin fetches the first MiB, or compares all of the blob if the stream yields nothing.
func (s *stream) begin() error {
	if s.at < s.end {
		return s.next()
	}
	all := &stream{blobs: s.blobs, ctx: s.ctx, of: s.of, compared: true, end: s.of.Size}
	err := all.next()
	if err == nil {
		_, err = io.Copy(io.Discard, all)
	}
	return err
}

// Read implements io.Reader.
func (s *stream) Read(p []byte) (int, error) {
	if s.at == s.end {
		return 0, io.EOF
	}
	if len(s.rest) == 0 {
		if err := s.next(); err != nil {
			return 0, fmt.Errorf("read blob %q: %w", s.of.Ref, err)
		}
	}
	n := copy(p, s.rest)
	s.rest, s.at = s.rest[n:], s.at+int64(n)
	return n, nil
}

// Close implements io.Closer.
func (s *stream) Close() error {
	if s.close != nil {
		s.close()
		s.close = nil
	}
	s.at, s.rest, s.mebi = s.end, nil, nil
	return nil
}

// next fetches the MiB with the next byte. One that does not match is fetched once more.
func (s *stream) next() error {
	n := s.at / checkpoint.Step
	from := n * checkpoint.Step
	size := min(s.of.Size-from, checkpoint.Step)
	if int64(cap(s.mebi)) < size {
		s.mebi = make([]byte, size)
	}
	s.mebi = s.mebi[:size]
	for range 2 {
		s.err = s.blobs.Fetch(s.ctx, s.of.Ref, s.of.Size, from, s.mebi)
		if s.err == nil && s.compared && !matches(s.of, n, s.mebi) {
			s.err = fmt.Errorf("%w: other bytes in the MiB from byte %d", sandlot.ErrCorrupt, from)
		}
		if !errors.Is(s.err, sandlot.ErrCorrupt) {
			break
		}
		s.blobs.corrupt.Add(1)
	}
	if s.err == nil {
		s.rest = s.mebi[s.at-from : min(s.end-from, size)]
	}
	return s.err
}

// matches compares the MiB of that number with the recorded checkpoints and SHA-256.
func matches(b sandlot.Blob, n int64, data []byte) bool {
	p, err := checkpoint.NewPiece(b.Checkpoints, n)
	if err != nil {
		return false
	}
	_, _ = p.Write(data) // never fails
	return p.OK(b.SHA256)
}

// pointed returns a blob with its checkpoints. If none were recorded, it first reads all of the blob and compares it
// with its SHA-256.
func (c *Blobs) pointed(ctx context.Context, b sandlot.Blob) (sandlot.Blob, error) {
	switch {
	case b.Size <= checkpoint.Step && b.Checkpoints == "", checkpoint.Complete(b.Checkpoints, b.Size):
		return b, nil
	case b.Checkpoints != "":
		return b, fmt.Errorf("%w: the checkpoints recorded with it are not those of %d bytes", sandlot.ErrCorrupt, b.Size)
	}
	for range 2 {
		h := checkpoint.New()
		if _, err := io.Copy(h, &stream{blobs: c, ctx: ctx, of: b, end: b.Size}); err != nil {
			return b, err
		}
		if b.Checkpoints = h.Points(); h.Sum() == b.SHA256 {
			return b, nil
		}
		c.corrupt.Add(1)
	}
	return b, fmt.Errorf("%w: %d bytes of another SHA-256 than %s", sandlot.ErrCorrupt, b.Size, b.SHA256)
}
