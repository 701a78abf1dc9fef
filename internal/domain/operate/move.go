package operate

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"sync"
	"time"

	"sandlot"
)

// MoveRecords copies the records of one database, which serves meanwhile, into another, which
// does not. What it has done it keeps in both, so that it goes on where it was after a crash.
// Every method may be called again after an error.
type MoveRecords interface {
	// Begin marks both sides, and has every later change of the source noted. The target has to be
	// empty, or that of the same move, which then goes on: resumed. done says that all that is left
	// is Finish.
	Begin(ctx context.Context) (resumed, done bool, err error)
	// Copy brings the target up to what was noted, and copies some more rows. take is called with
	// each blob whose record is about to be copied, before it is, from several goroutines; one of
	// which it returns false is remembered for Damaged. It tells what it did; the last has All.
	Copy(ctx context.Context, take TakeBlob) (MoveProgress, error)
	// Compare brings the target up to what was noted, and compares some more rows of both sides.
	// A difference is an error.
	Compare(ctx context.Context, take TakeBlob) (MoveProgress, error)
	// Damaged returns the blobs of which take returned false, at most limit, after the one with
	// that ID. What is not recorded any more is not among them. Mended forgets one.
	Damaged(ctx context.Context, after int64, limit int) ([]MovedBlob, error)
	Mended(ctx context.Context, id int64) error
	// Waiting tells how many changes are noted, and how many messages are being sent.
	Waiting(ctx context.Context) (changes, sending int, err error)
	// Switch has the source refuse all changes from now on, having brought the target up to the
	// last. When it returns an error that is sandlot.ErrNoEffect the source serves as before.
	Switch(ctx context.Context, take TakeBlob) error
	// Finish makes the target ready to serve.
	Finish(ctx context.Context) error
	// BlobUses is that of VerifyStore, of the source.
	BlobUses(ctx context.Context, id int64, limit int) ([]BlobUse, error)
}

// A MovedBlob is a blob of the source with its bytes, if they are kept in its record.
type MovedBlob struct {
	sandlot.Blob
	Content []byte // if Ref is empty
}

// TakeBlob takes the bytes of a blob along. It returns false if they are damaged, and that
// was told.
type TakeBlob func(ctx context.Context, b MovedBlob) (whole bool, err error)

// MoveProgress is what a piece of the work did.
type MoveProgress struct {
	Table   string // empty if it only brought the target up to what was noted
	Rows    int64  // of that table so far
	Changes int    // that were noted, and now are made
	Done    bool   // the table is
	All     bool   // all tables are
}

// MoveBlobs is where bytes come from, and go to. Its methods are those of publish.Blobs.
type MoveBlobs interface {
	Put(ctx context.Context, ref sandlot.BlobRef, r io.Reader) (sandlot.Blob, error)
	Open(ctx context.Context, b sandlot.Blob, off, n int64) (io.ReadCloser, error)
}

// Moved counts what a Mover did in this run.
type Moved struct {
	Rows     int64         `json:"rows"`
	Blobs    int64         `json:"blobs"`
	Bytes    int64         `json:"bytes"`
	Changes  int64         `json:"changes"` // that were made while the source served
	Damaged  int64         `json:"damaged"`
	ReadOnly time.Duration `json:"-"` // how long nothing could be changed, up to the source's last word
}

// ErrMoveDamaged: files of the source are damaged, and were told; it serves as before.
var ErrMoveDamaged = errors.New("some files are damaged")

// Limits of a Mover.
const (
	// few is how many changes are left to the switch, which takes some milliseconds for each.
	few = 50
	// catchUps bounds how often the switch is put off because more changes come than that.
	catchUps = 20
	// sendingWait is how long the switch waits for messages that are being sent, which would
	// otherwise be sent again. It is more than a mail server may take.
	sendingWait = 30 * time.Second
)

// A Mover moves an installation from one set of stores to another. It is for one Run.
type Mover struct {
	Records  MoveRecords
	From, To MoveBlobs // the same, if the bytes stay where they are
	Stay     bool      // they do, and are only verified
	Anyway   bool      // damaged files do not keep it from moving
	Now      func() time.Time
	Finding  func(Finding) error                      // is called with each damaged file
	Progress func(phase string, p MoveProgress) error // is called after each piece of work; its error ends the run

	mu   sync.Mutex
	seen Moved
}

// Run moves everything, or goes on where a run before was cut short.
func (m *Mover) Run(ctx context.Context) (Moved, error) {
	_, done, err := m.Records.Begin(ctx)
	if err == nil && !done {
		err = m.move(ctx)
	}
	if err == nil {
		err = m.Records.Finish(ctx)
	}
	if err != nil {
		err = fmt.Errorf("move: %w", err)
	}
	return m.seen, err
}

func (m *Mover) move(ctx context.Context) error {
	for _, part := range []func(context.Context) error{m.again, m.copy, m.compare, m.damage, m.settle, m.turn} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// again tries to take the blobs that a run before could not.
func (m *Mover) again(ctx context.Context) error {
	const page = 100
	for last := int64(0); ; {
		list, err := m.Records.Damaged(ctx, last, page)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, b := range list {
			last = b.ID
			whole, err := m.take(ctx, b)
			if err == nil && whole {
				err = m.Records.Mended(ctx, b.ID)
			}
			if err != nil {
				return err
			}
		}
	}
}

func (m *Mover) copy(ctx context.Context) error {
	return m.pieces(ctx, "copied", m.Records.Copy)
}

func (m *Mover) compare(ctx context.Context) error {
	return m.pieces(ctx, "compared", m.Records.Compare)
}

// pieces does a part of the work piece by piece.
func (m *Mover) pieces(ctx context.Context, phase string, piece func(context.Context, TakeBlob) (MoveProgress, error)) error {
	for {
		p, err := piece(ctx, m.take)
		if err != nil {
			return err
		}
		m.seen.Changes += int64(p.Changes)
		if p.Done && phase == "compared" {
			m.seen.Rows += p.Rows
		}
		if err := m.Progress(phase, p); err != nil {
			return err
		}
		if p.All {
			return nil
		}
	}
}

// damage stops where files are damaged, unless that was allowed.
func (m *Mover) damage(ctx context.Context) error {
	list, err := m.Records.Damaged(ctx, 0, 1)
	if err == nil && len(list) > 0 && !m.Anyway {
		err = ErrMoveDamaged
	}
	return err
}

// settle has the target follow until little is left for the switch.
func (m *Mover) settle(ctx context.Context) error {
	until := m.Now().Add(sendingWait)
	for n := 0; ; n++ {
		if err := m.compare(ctx); err != nil { // all is compared: it follows what was noted
			return err
		}
		changes, sending, err := m.Records.Waiting(ctx)
		if err != nil {
			return err
		}
		if (changes <= few || n >= catchUps) && (sending == 0 || m.Now().After(until)) {
			return nil
		}
		if changes <= few {
			select {
			case <-time.After(100 * time.Millisecond):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}

// turn is the switch.
func (m *Mover) turn(ctx context.Context) error {
	begun := m.Now()
	err := m.Records.Switch(ctx, m.take)
	m.seen.ReadOnly = m.Now().Sub(begun)
	return err
}

// take takes one blob along, and reads it back.
func (m *Mover) take(ctx context.Context, b MovedBlob) (whole bool, err error) {
	if b.Ref == "" {
		if int64(len(b.Content)) != b.Size || sha256.Sum256(b.Content) != b.SHA256 {
			return m.bad(ctx, b, FoundDamaged, "other bytes than were stored, in its record")
		}
		return true, nil
	}
	err = m.bytes(ctx, b.Blob)
	kind := FoundDamaged
	switch {
	case err == nil:
		m.mu.Lock()
		defer m.mu.Unlock()
		m.seen.Blobs++
		m.seen.Bytes += b.Size
		return true, nil
	case errors.Is(err, sandlot.ErrNotFound):
		kind = FoundMissing
	case !errors.Is(err, errSource) || !errors.Is(err, sandlot.ErrCorrupt):
		return false, err
	}
	return m.bad(ctx, b, kind, err.Error())
}

// errSource marks what is wrong with the bytes as they are in the source.
var errSource = errors.New("in the source")

// bytes copies the bytes of a blob, unless they stay, and compares what arrived.
func (m *Mover) bytes(ctx context.Context, b sandlot.Blob) error {
	r, err := m.From.Open(ctx, b, 0, -1)
	if err != nil {
		return fmt.Errorf("%w: %w", errSource, err)
	}
	defer r.Close()
	if m.Stay {
		return sourced(digest(b, r))
	}
	read := &hashing{Reader: r, sum: sha256.New()}
	if _, err := m.To.Put(ctx, b.Ref, read); err != nil {
		return unfound(err)
	}
	if read.n != b.Size || sandlot.Digest(read.sum.Sum(nil)) != b.SHA256 {
		return fmt.Errorf("%w: %w: other bytes were read", errSource, sandlot.ErrCorrupt)
	}
	back, err := m.To.Open(ctx, b, 0, -1)
	if err != nil {
		return fmt.Errorf("read back: %w", unfound(err))
	}
	defer back.Close()
	if err := digest(b, back); err != nil {
		return fmt.Errorf("read back: %w", err)
	}
	return nil
}

// unfound keeps a target that lost a blob from looking like a source that has none.
func unfound(err error) error {
	if errors.Is(err, sandlot.ErrNotFound) {
		return fmt.Errorf("%w: %v", sandlot.ErrUnavailable, err)
	}
	return err
}

func sourced(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", errSource, err)
}

// hashing reads on, and knows what was read.
type hashing struct {
	io.Reader
	sum hash.Hash
	n   int64
}

func (h *hashing) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	h.sum.Write(p[:n])
	h.n += int64(n)
	return n, err
}

// digest reads all of a blob, and compares.
func digest(b sandlot.Blob, r io.Reader) error {
	h := sha256.New()
	n, err := io.Copy(h, r)
	if err != nil {
		return err
	}
	if n != b.Size || sandlot.Digest(h.Sum(nil)) != b.SHA256 {
		return fmt.Errorf("%w: other bytes were read", sandlot.ErrCorrupt)
	}
	return nil
}

// bad tells which files have a damaged blob. One that nothing refers to is as good as whole.
func (m *Mover) bad(ctx context.Context, b MovedBlob, kind, detail string) (whole bool, err error) {
	uses, err := m.Records.BlobUses(ctx, b.ID, usesShown)
	if errors.Is(err, sandlot.ErrNotFound) || err == nil && len(uses) == 0 {
		return true, nil // it was collected since, or will be
	}
	if err != nil {
		return false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	v := Verifier{Report: m.Finding}
	err = v.bad(b.Blob, kind, detail, uses)
	m.seen.Damaged += v.seen.Damaged
	return false, err
}
