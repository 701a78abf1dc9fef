package blob

import (
	"container/list"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"sync"

	"sandlot/internal/publish"
)

const (
	// trusted is how many blobs are remembered as verified: 16,384 of them take
	// about 4 MiB. One that was forgotten is read again, at nearly 2 GB/s.
	trusted = 16384

	// hashers is how many blobs are read for verification at once. More would
	// not be faster on one disk, and each holds a buffer of 256 KiB.
	hashers = 8
)

// proof is what a file looked like when its bytes had this SHA-256.
type proof struct {
	size   int64
	mtime  int64 // ns since 1970
	inode  uint64
	sha256 publish.Digest
}

// verified opens a blob whose bytes are known to be right.
func (d *Disk) verified(ctx context.Context, b publish.Blob) (File, error) {
	for {
		f, p, err := d.openFile(b)
		if err != nil {
			return nil, err
		}
		if d.trust.has(b.Ref, p) {
			return f, nil
		}
		// Not kept open while waiting: a crowd would use up the descriptors.
		f.Close()
		fl, mine := d.flights.join(b)
		if mine {
			f, err := d.verify(ctx, b)
			d.flights.land(b, fl, err)
			return f, err
		}
		select {
		case <-fl.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		// If only the context of the one that read has ended, it is another's turn.
		if fl.err != nil && !ended(fl.err) {
			return nil, fl.err
		}
	}
}

// verify reads a blob whole and, if it is right, returns it open.
func (d *Disk) verify(ctx context.Context, b publish.Blob) (File, error) {
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
	if err := check(ctx, f, b); err != nil {
		f.Close()
		return nil, err
	}
	// p is from before the reading: a change during it makes the next Open
	// read again.
	d.trust.add(b.Ref, p)
	return f, nil
}

// check compares the bytes of f, from its beginning, with b.
func check(ctx context.Context, f io.Reader, b publish.Blob) error {
	buf := buffers.Get().(*[bufferSize]byte)
	defer buffers.Put(buf)
	h := sha256.New()
	size := int64(0)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := f.Read(buf[:])
		h.Write(buf[:n])
		size += int64(n)
		if err == io.EOF {
			break
		}
		if err != nil {
			return classify(err)
		}
	}
	if sum := publish.Digest(h.Sum(nil)); sum != b.SHA256 || size != b.Size {
		return fmt.Errorf("%w: %d bytes of SHA-256 %s instead of %d of %s", publish.ErrCorrupt, size, sum, b.Size, b.SHA256)
	}
	return nil
}

// flights lets one caller verify a blob while the others wait.
type flights struct {
	slots chan struct{} // one for each that reads

	mu     sync.Mutex
	flying map[flightKey]*flight
}

type flightKey struct {
	ref    publish.BlobRef
	size   int64
	sha256 publish.Digest
}

type flight struct {
	done chan struct{}
	err  error // set before done is closed
}

func newFlights(n int) *flights {
	return &flights{slots: make(chan struct{}, n), flying: make(map[flightKey]*flight)}
}

// join returns the flight for b, and whether the caller has to fly it.
func (s *flights) join(b publish.Blob) (fl *flight, mine bool) {
	k := flightKey{b.Ref, b.Size, b.SHA256}
	s.mu.Lock()
	defer s.mu.Unlock()
	if fl, ok := s.flying[k]; ok {
		return fl, false
	}
	fl = &flight{done: make(chan struct{})}
	s.flying[k] = fl
	return fl, true
}

func (s *flights) land(b publish.Blob, fl *flight, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.flying, flightKey{b.Ref, b.Size, b.SHA256})
	fl.err = err
	close(fl.done)
}

// trust remembers which files were verified, the most recently opened ones.
type trust struct {
	max int

	mu    sync.Mutex
	order *list.List // of trustEntry, the most recently used first
	known map[publish.BlobRef]*list.Element
}

type trustEntry struct {
	ref publish.BlobRef
	proof
}

func newTrust(max int) *trust {
	return &trust{max: max, order: list.New(), known: make(map[publish.BlobRef]*list.Element)}
}

func (t *trust) has(ref publish.BlobRef, p proof) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	e, ok := t.known[ref]
	if !ok || e.Value.(trustEntry).proof != p {
		return false
	}
	t.order.MoveToFront(e)
	return true
}

func (t *trust) add(ref publish.BlobRef, p proof) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.remove(ref)
	t.known[ref] = t.order.PushFront(trustEntry{ref, p})
	if t.order.Len() > t.max {
		t.remove(t.order.Back().Value.(trustEntry).ref)
	}
}

func (t *trust) drop(ref publish.BlobRef) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.remove(ref)
}

func (t *trust) remove(ref publish.BlobRef) {
	if e, ok := t.known[ref]; ok {
		t.order.Remove(e)
		delete(t.known, ref)
	}
}

// ended tells whether err is about the caller's context and not about the blob.
func ended(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
