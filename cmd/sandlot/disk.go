package main

import (
	"sync"
	"time"
)

// disk looks how full the disk of a folder is. It may be used concurrently.
type disk struct {
	folder string
	limit  int                             // percent
	used   func(folder string) (int, bool) // percent; false where the system cannot tell

	mu   sync.Mutex
	at   time.Time
	full bool
}

// diskEvery is how long one look is good for: in a second no disk fills by much.
const diskEvery = time.Second

// room reports whether the disk is below its limit. Where that cannot be told it
// is: a disk that is really full is found out by writing.
func (d *disk) room() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if now := time.Now(); now.Sub(d.at) >= diskEvery {
		percent, ok := d.used(d.folder)
		d.at, d.full = now, ok && percent >= d.limit
	}
	return !d.full
}
