package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"sandlot"
	"sandlot/internal/base/checkpoint"
)

const (
	// trusted is how many blobs are remembered as verified: 16,384 of them take about 4 MiB, and one of which only
	// ranges were read a bit more for each MiB. A forgotten one is read again, at nearly 2 GB/s.
	trusted = 16384

	// hashers is how many blobs are read for verification at once. More would not be faster on one disk, and each holds
	// a buffer of 256 KiB.
	hashers = 8
)

// proof holds the file's attributes at the time when its bytes had this SHA-256.
type proof struct {
	size   int64
	mtime  int64 // ns since 1970
	inode  uint64
	sha256 sandlot.Digest
}

// verified opens a blob whose bytes in s are verified.
func (d *Disk) verified(ctx context.Context, b sandlot.Blob, s scope) (File, error) {
	for {
		f, p, err := d.openFile(b)
		if err != nil {
			return nil, err
		}
		if d.trust.has(b.Ref, p, s) {
			return f, nil
		}
		// Not kept open while waiting: a crowd would use up the descriptors.
		f.Close()
		fl, mine := d.flights.join(b, s)
		if mine {
			f, err := d.verify(ctx, b, s)
			d.flights.land(b, s, fl, err)
			return f, err
		}
		select {
		case <-fl.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		// If only the context of the reading caller has ended, another caller takes over.
		if fl.err != nil && !ended(fl.err) {
			return nil, fl.err
		}
	}
}

// verify reads the part of a blob in s and, if it is right, returns the blob open.
func (d *Disk) verify(ctx context.Context, b sandlot.Blob, s scope) (File, error) {
	select {
	case d.flights.slots <- struct{}{}:
		defer func() { <-d.flights.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	f, p, err := d.openFile(b)
	if err != nil {
		return nil, err
	}
	if d.trust.has(b.Ref, p, s) {
		return f, nil // another reading ended after the caller had checked
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

// flights lets one caller verify a blob while the others wait.
type flights struct {
	slots chan struct{} // one for each reading caller

	mu     sync.Mutex
	flying map[flightKey]*flight
}

type flightKey struct {
	ref    sandlot.BlobRef
	size   int64
	sha256 sandlot.Digest
	scope  scope
}

type flight struct {
	done chan struct{}
	err  error // set before done is closed
}

func newFlights(n int) *flights {
	return &flights{slots: make(chan struct{}, n), flying: make(map[flightKey]*flight)}
}

// join returns the flight for b, and whether the caller has to fly it.
func (s *flights) join(b sandlot.Blob, of scope) (fl *flight, mine bool) {
	k := flightKey{b.Ref, b.Size, b.SHA256, of}
	s.mu.Lock()
	defer s.mu.Unlock()
	if fl, ok := s.flying[k]; ok {
		return fl, false
	}
	fl = &flight{done: make(chan struct{})}
	s.flying[k] = fl
	return fl, true
}

func (s *flights) land(b sandlot.Blob, of scope, fl *flight, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.flying, flightKey{b.Ref, b.Size, b.SHA256, of})
	fl.err = err
	close(fl.done)
}

// ended reports whether err is about the caller's context and not about the blob.
func ended(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
