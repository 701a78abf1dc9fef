package datafolder

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// A Reserve is disk space for steps that free space or protect people: a file, which such a step cuts when it finds the
// disk full, whichever process takes it. Until it can be made whole again nothing else gets the space. It may be used
// concurrently.
type Reserve struct {
	name string

	mu    sync.Mutex
	whole bool      // the result of the last check
	tried time.Time // time of the last attempt to make it whole
}

const (
	// ReserveName is the name of the file.
	ReserveName = "reserve"
	// ReserveBytes is room for some forty deletions: each writes at most a dozen pages of 16 KiB.
	ReserveBytes = 8 << 20
	// OperatorBytes is the part for the operator alone: owners could use up the rest, and keep a harmful project
	// online.
	OperatorBytes = 2 << 20
	// ReserveEvery is the interval between attempts on a full disk, and the time in which the process that cut the file
	// may use the space.
	ReserveEvery = time.Second
)

// ReserveOf returns the reserve of a data folder.
func ReserveOf(folder string) *Reserve { return &Reserve{name: filepath.Join(folder, ReserveName)} }

// Spend frees the service's part.
func (r *Reserve) Spend() { r.cut(OperatorBytes) }

// SpendAll frees the operator's part, too.
func (r *Reserve) SpendAll() { r.cut(0) }

func (r *Reserve) cut(left int64) {
	if info, err := os.Stat(r.name); err == nil && info.Size() > left {
		_ = os.Truncate(r.name, left) // after an error the step fails as it did before
	}
}

// Room reports whether the reserve is whole, and makes it whole if there is space for it.
func (r *Reserve) Room() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	info, err := os.Stat(r.name)
	if err == nil {
		r.whole = info.Size() == ReserveBytes
	}
	if r.whole {
		return true // or another process has removed it, which says nothing of the disk
	}
	now := time.Now()
	if now.Sub(r.tried) < ReserveEvery || err == nil && now.Sub(info.ModTime()).Abs() < ReserveEvery {
		return false
	}
	r.tried = now
	return r.keep() == nil
}

// keep makes the file whole. After an error it is unchanged.
func (r *Reserve) keep() error {
	f, err := os.OpenFile(r.name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("reserve: %w", err)
	}
	defer f.Close()
	had, err := f.Seek(0, io.SeekEnd)
	if err != nil || had >= ReserveBytes {
		return err
	}
	// Random bytes take their space on compressing file systems, too.
	_, err = io.CopyN(f, rand.NewChaCha8([32]byte{}), ReserveBytes-had)
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		_ = f.Truncate(had)
		return fmt.Errorf("reserve: %w", err)
	}
	return nil
}
