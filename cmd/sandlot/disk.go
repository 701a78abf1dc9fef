package main

import (
	"sync"
	"time"
)

// disk looks how full the disk of a folder is. It may be used concurrently.
type disk struct {
	folder string
	limit  int // percent
	// usage tells the bytes in use and those that are free; ok is false where the system cannot tell.
	usage func(folder string) (used, free uint64, ok bool)
	// unused tells how many of the bytes in use hold nothing, and are filled again.
	unused func() uint64

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
		d.at, d.full = now, d.percent() >= d.limit
	}
	return !d.full
}

// percent is how full the disk is; 0 where that cannot be told.
func (d *disk) percent() int {
	used, free, ok := d.usage(d.folder)
	if !ok || used+free == 0 {
		return 0
	}
	return int((used - min(used, d.unused())) * 100 / (used + free))
}
