package blob

import (
	"context"
	"fmt"
	"io"

	"sandlot"
	"sandlot/internal/base/checkpoint"
)

const (
	// mostTrusted is how many blobs are remembered as verified: 16,384 of them take about 8 MiB, and one of which only
	// ranges were read a bit more for each MiB. A forgotten one is read again, at nearly 2 GB/s.
	mostTrusted = 16384

	// hashers is how many blobs are read for verification at once. More would not be faster on one disk, and each holds
	// a buffer of 256 KiB.
	hashers = 8
)

// part is a range that one caller verifies while others wait for it.
type part struct {
	ref    sandlot.BlobRef
	size   int64
	sha256 sandlot.Digest
	scope  scope
}

// verified opens a blob whose bytes in s are verified.
func (d *Disk) verified(ctx context.Context, b sandlot.Blob, s scope) (File, error) {
	f, p, err := d.openFile(b)
	if err != nil || d.trust.has(b.Ref, p, s) {
		return f, err
	}
	// Not kept open while waiting: a crowd would use up the descriptors.
	f.Close()
	err = d.parts.Do(ctx, part{b.Ref, b.Size, b.SHA256, s}, nil, func() error {
		f, err = d.verify(ctx, b, s)
		return err
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// verify reads the part of a blob in s and, if it is right, returns the blob open.
func (d *Disk) verify(ctx context.Context, b sandlot.Blob, s scope) (File, error) {
	f, p, err := d.openFile(b)
	if err != nil || d.trust.has(b.Ref, p, s) { // another caller has read it meanwhile
		return f, err
	}
	select {
	case d.hashers <- struct{}{}:
		defer func() { <-d.hashers }()
	case <-ctx.Done():
		f.Close()
		return nil, ctx.Err()
	}
	// p is from before the reading: a change during it makes the next Open
	// read again.
	if s.whole() {
		if err = check(ctx, f, b); err == nil {
			d.trust.add(b.Ref, p, whole)
		}
	} else {
		err = d.checkPieces(ctx, f, b, p, s)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// check compares the bytes of f, from its beginning, with b.
func check(ctx context.Context, f io.Reader, b sandlot.Blob) error {
	h := checkpoint.New()
	if err := pour(ctx, h, f); err != nil {
		return err
	}
	if sum := sandlot.Digest(h.Sum()); sum != b.SHA256 || h.Size() != b.Size {
		return fmt.Errorf("%w: %d bytes of SHA-256 %s instead of %d of %s", sandlot.ErrCorrupt, h.Size(), sum, b.Size, b.SHA256)
	}
	if b.Checkpoints != "" && b.Checkpoints != h.Points() {
		return fmt.Errorf("%w: the bytes are right, but the checkpoints recorded with them are not theirs", sandlot.ErrCorrupt)
	}
	return nil
}

// checkPieces compares the MiBs of f in s that are not verified yet with the checkpoints of b. Each counts as soon as
// it is right: however ranges overlap, and whichever callers give up, all of them together read the file once, times
// hashers at the most.
func (d *Disk) checkPieces(ctx context.Context, f io.ReadSeeker, b sandlot.Blob, proven proof, s scope) error {
	for n := s.first; n <= s.last; n++ {
		one := scope{n, n}
		if d.trust.has(b.Ref, proven, one) {
			continue
		}
		if _, err := f.Seek(n*checkpoint.Step, io.SeekStart); err != nil {
			return classify(err)
		}
		p, err := checkpoint.NewPiece(b.Checkpoints, n)
		if err != nil {
			return err
		}
		if err := pour(ctx, p, io.LimitReader(f, checkpoint.Step)); err != nil {
			return err
		}
		if !p.OK(b.SHA256) {
			return fmt.Errorf("%w: other bytes in the MiB from byte %d", sandlot.ErrCorrupt, n*checkpoint.Step)
		}
		d.trust.add(b.Ref, proven, one)
	}
	return nil
}

// pour writes all of r to h, which never fails.
func pour(ctx context.Context, h io.Writer, r io.Reader) error {
	buf := buffers.Get().(*[bufferSize]byte)
	defer buffers.Put(buf)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := r.Read(buf[:])
		h.Write(buf[:n])
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return classify(err)
		}
	}
}
