package datafolder

import (
	"sync"
	"time"
)

// A Disk measures how full the disk of a folder is. It may be used concurrently.
type Disk struct {
	Folder string
	Limit  int // percent
	// Usage returns the bytes in use and the free bytes; ok is false if the system does not report them.
	Usage func(folder string) (used, free uint64, ok bool)
	// Unused returns the number of bytes in use that hold nothing, and are filled again.
	Unused func() uint64

	mu   sync.Mutex
	at   time.Time
	full bool
}

// DiskEvery is the time for which a measurement is valid: in a second no disk fills by much.
const DiskEvery = time.Second

// Room reports whether the disk is below its limit, and true if that is unknown: a write finds out whether a disk is
// really full.
func (d *Disk) Room() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if now := time.Now(); now.Sub(d.at) >= DiskEvery {
		d.at, d.full = now, d.Percent() >= d.Limit
	}
	return !d.full
}

// Percent returns how full the disk is; 0 if that is unknown.
func (d *Disk) Percent() int {
	used, free, ok := d.Usage(d.Folder)
	if !ok || used+free == 0 {
		return 0
	}
	return int((used - min(used, d.Unused())) * 100 / (used + free))
}
