package picture

import (
	"syscall"
	"time"
)

// ProcessorTime is how long the calling thread was at work. That a machine is busy with other things does not count.
func ProcessorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_THREAD, &u); err != nil {
		return 0 // it fails for wrong arguments alone; the deadline still holds
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
