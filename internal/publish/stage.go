package publish

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"sandlot/internal/content"
)

// Stage keeps what r yields, to be used by one following call. An error of r
// comes back so that errors.Is finds it, and then nothing is kept: any is ErrNoEffect. Content that
// is not used must be discarded; until then, or until it is recorded, the
// collector leaves it alone, however long that takes. What a crash leaves behind
// is collected.
func (s *Service) Stage(ctx context.Context, r io.Reader) (Content, error) {
	c, err := s.keep(ctx, func(in *inspector) io.Reader { return io.TeeReader(r, in) })
	return c, NoEffect(err)
}

// stageUnpacked is Stage for what gzip content holds, which may be very much more. It
// is unpacked and inspected in turns.
func (s *Service) stageUnpacked(ctx context.Context, packed io.Reader, limit int64, charge Charge) (Content, error) {
	r := charge.Of(content.Gunzip(packed, limit))
	c, err := s.keep(ctx, func(in *inspector) io.Reader { return s.unpacking.of(ctx, io.TeeReader(r, in)) })
	return c, NoEffect(err)
}

// keep stages what the reader brings that inspected returns.
func (s *Service) keep(ctx context.Context, inspected func(*inspector) io.Reader) (Content, error) {
	if err := s.admitBytes(); err != nil {
		return Content{}, err
	}
	s.receiving.Add(1)
	defer s.receiving.Add(-1)
	in := newInspector()
	seen := inspected(in)
	head := s.stageBuffer()
	defer s.stageBuffers.Put(head)
	n, err := fill(*head, seen)
	if err == io.EOF { // itself: an error that wraps it is one of r, not its end
		c := in.content()
		c.Inline = bytes.Clone((*head)[:n])
		return c, nil
	}
	if err != nil {
		return Content{}, fmt.Errorf("stage content: %w", err)
	}
	ref, err := s.putStaged(ctx, io.MultiReader(bytes.NewReader(*head), seen))
	if err != nil {
		return Content{}, fmt.Errorf("stage content: %w", err)
	}
	c := in.content()
	c.Ref = ref
	return c, nil
}

// putStaged stores a blob that the staging knows before its bytes are there.
func (s *Service) putStaged(ctx context.Context, r io.Reader) (BlobRef, error) {
	ref, stored := s.blobs.Name(), false
	s.staging.add(ref)
	defer func() {
		if !stored { // also if r panics
			s.staging.drop(ref)
		}
	}()
	_, err := s.blobs.Put(ctx, ref, r)
	stored = err == nil
	return ref, err
}

// stageBuffer is where the beginning of content goes: all of it, if it is to be
// kept in its record, and one byte more if it is not. To let a buffer grow with
// each publish would copy and throw away twice what it brings.
func (s *Service) stageBuffer() *[]byte {
	if b, ok := s.stageBuffers.Get().(*[]byte); ok {
		return b
	}
	b := make([]byte, max(s.InlineMax, 0)+1)
	return &b
}

// fill reads until buf is full. Unlike io.ReadFull it returns r's own error, for
// one that was cut off says io.ErrUnexpectedEOF.
func fill(buf []byte, r io.Reader) (n int, err error) {
	for empty := 0; n < len(buf) && err == nil; {
		var m int
		m, err = r.Read(buf[n:])
		n += m
		if empty++; m > 0 {
			empty = 0
		} else if empty == 100 && err == nil { // as bufio has it
			err = io.ErrNoProgress
		}
	}
	if n == len(buf) && err == io.EOF {
		err = nil // the next read says it again
	}
	return n, err
}

// Unpack replaces staged gzip content by what it holds, at most limit bytes. The
// packed bytes are discarded in any case; an error of kind *content.Error says
// what is wrong with them. charge is asked for what it becomes.
func (s *Service) Unpack(ctx context.Context, packed Content, limit int64, charge Charge) (Content, error) {
	defer s.Discard(ctx, packed)
	r, err := s.Open(ctx, packed.Blob, 0, -1)
	if err != nil {
		return Content{}, fmt.Errorf("unpack content: %w", err)
	}
	defer r.Close()
	return s.stageUnpacked(ctx, r, limit, charge)
}

// Discard forgets staged content. Content that a step has recorded, or may have,
// it leaves alone, so it may always be called. It works also after ctx has ended.
func (s *Service) Discard(ctx context.Context, c Content) {
	if !s.staging.discardable(c.Ref) {
		return
	}
	defer s.staging.drop(c.Ref)
	if err := s.blobs.Delete(context.WithoutCancel(ctx), c.Ref); err != nil {
		s.log.Warn("staged content not deleted; it will be collected", "error", err)
	}
}

// Open returns n bytes of a blob from off (n < 0: up to the end), after they
// have been compared with its hash: damaged bytes are ErrCorrupt.
func (s *Service) Open(ctx context.Context, b Blob, off, n int64) (io.ReadCloser, error) {
	if b.Ref != "" {
		r, err := s.blobs.Open(ctx, b, off, n)
		return r, NoEffect(err)
	}
	data := b.Inline
	if b.ID != 0 {
		var err error
		if data, err = s.store.Content(ctx, b.ID); err != nil {
			return nil, fmt.Errorf("open content %d: %w", b.ID, err)
		}
	}
	if int64(len(data)) != b.Size || digest(data) != b.SHA256 {
		return nil, fmt.Errorf("open content %d: %w", b.ID, ErrCorrupt)
	}
	return io.NopCloser(bytes.NewReader(window(data, off, n))), nil
}

func window(data []byte, off, n int64) []byte {
	data = data[min(max(off, 0), int64(len(data))):]
	if n >= 0 && n < int64(len(data)) {
		data = data[:n]
	}
	return data
}

// Staged reports whether a record may still come to name the blob: it is being
// stored, or a request holds it, or a step failed in a way that tells nothing.
func (s *Service) Staged(ref BlobRef) bool { return s.staging.holds(ref) }

// Receiving reports whether content is being staged for a request right now.
func (s *Service) Receiving() bool { return s.receiving.Load() > 0 }
