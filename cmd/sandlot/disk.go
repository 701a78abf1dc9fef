package main

import (
	"sync"
	"time"
)

// A disk measures how full the disk of a folder is. It may be used concurrently.
type disk struct {
	folder string
	limit  int // percent
	// usage returns the bytes in use and those that are free; ok is false if the system does not report them.
	usage func(folder string) (used, free uint64, ok bool)
	// unused returns the number of bytes in use that hold nothing, and are filled again.
	unused func() uint64

	mu   sync.Mutex
	at   time.Time
	full bool
}

// diskEvery is the time for which a measurement is valid: in a second no disk fills by much.
const diskEvery = time.Second

// room reports whether the disk is below its limit, and true if that is unknown: a write finds out whether a disk is
// really full.
func (d *disk) room() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if now := time.Now(); now.Sub(d.at) >= diskEvery {
		d.at, d.full = now, d.percent() >= d.limit
	}
	return !d.full
}

// percent returns how full the disk is; 0 if that is unknown.
func (d *disk) percent() int {
	used, free, ok := d.usage(d.folder)
	if !ok || used+free == 0 {
		return 0
	}
	return int((used - min(used, d.unused())) * 100 / (used + free))
}
