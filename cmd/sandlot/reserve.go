package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// A reserve is room on the disk that is kept for steps which free room or protect people: a file, cut when such a step
// finds the disk full, by whichever process takes it. Until it can be made whole again nothing
// else gets the room. It may be used concurrently.
type reserve struct {
	name string

	mu    sync.Mutex
	whole bool      // when it was last there
	tried time.Time // to make it whole
}

const (
	reserveName = "reserve"
	// reserveBytes are some forty deletions: each writes at most a dozen pages of 16 KiB.
	reserveBytes = 8 << 20
	// operatorBytes of them are for the operator alone: owners could use up the rest, and keep online what has to go.
	operatorBytes = 2 << 20
	// reserveEvery bounds how often a full disk is tried, and is the time in which the process that cut the file may use the room.
	reserveEvery = time.Second
)

// reserveOf is the reserve of a data folder.
func reserveOf(folder string) *reserve { return &reserve{name: filepath.Join(folder, reserveName)} }

// spend frees the room that the service has.
func (r *reserve) spend() { r.cut(operatorBytes) }

// spendAll frees the operator's room, too.
func (r *reserve) spendAll() { r.cut(0) }

func (r *reserve) cut(left int64) {
	if info, err := os.Stat(r.name); err == nil && info.Size() > left {
		_ = os.Truncate(r.name, left) // then the step fails as it did
	}
}

// room reports whether the reserve is whole, and makes it so if there is room for it.
func (r *reserve) room() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	info, err := os.Stat(r.name)
	if err == nil {
		r.whole = info.Size() == reserveBytes
	}
	if r.whole {
		return true // or somebody has removed it, which says nothing of the disk
	}
	now := time.Now()
	if now.Sub(r.tried) < reserveEvery || err == nil && now.Sub(info.ModTime()).Abs() < reserveEvery {
		return false
	}
	r.tried = now
	return r.keep() == nil
}

// keep makes the file whole. After an error it is as it was.
func (r *reserve) keep() error {
	f, err := os.OpenFile(r.name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("reserve: %w", err)
	}
	defer f.Close()
	had, err := f.Seek(0, io.SeekEnd)
	if err != nil || had >= reserveBytes {
		return err
	}
	// What is random takes its room on file systems that compress, too.
	_, err = io.CopyN(f, rand.NewChaCha8([32]byte{}), reserveBytes-had)
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		_ = f.Truncate(had)
		return fmt.Errorf("reserve: %w", err)
	}
	return nil
}
