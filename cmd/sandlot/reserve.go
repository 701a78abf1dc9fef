package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"sync"
	"time"
)

// A reserve is room on the disk that is kept for deletions: a file, cut to nothing
// when a deletion finds the disk full. Until it can be made whole again nothing
// else gets the room. It may be used concurrently.
type reserve struct {
	name string

	mu    sync.Mutex
	whole bool
	tried time.Time // to make it whole
}

const (
	reserveName = "reserve"
	// reserveBytes are some forty deletions: each writes at most a dozen pages of 16 KiB.
	reserveBytes = 8 << 20
	// reserveEvery bounds how often a full disk is tried.
	reserveEvery = time.Second
)

// spend frees the room.
func (r *reserve) spend() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.whole, r.tried = false, time.Now()
	_ = os.Truncate(r.name, 0) // without the file there is nothing to free
}

// room reports whether the reserve is whole, and makes it so if there is room for it.
func (r *reserve) room() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := time.Now(); !r.whole && now.Sub(r.tried) >= reserveEvery {
		r.tried = now
		r.whole = r.keep() == nil
	}
	return r.whole
}

// keep makes the file whole. After an error it takes no room.
func (r *reserve) keep() error {
	f, err := os.OpenFile(r.name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("reserve for deletions: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() == reserveBytes {
		return nil
	}
	// What is random takes its room on file systems that compress, too.
	_, err = io.CopyN(f, rand.NewChaCha8([32]byte{}), reserveBytes)
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		_ = f.Truncate(0)
		return fmt.Errorf("reserve for deletions: %w", err)
	}
	return nil
}
