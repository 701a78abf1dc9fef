package picture

import (
	"syscall"
	"time"
)

// ProcessorTime returns how long the calling thread was at work. Time in which the machine does other work does not
// count.
func ProcessorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_THREAD, &u); err != nil {
		return 0 // it fails only for wrong arguments; the deadline still holds
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
