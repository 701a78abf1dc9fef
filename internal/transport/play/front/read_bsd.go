//go:build unix && !linux

package front

import "syscall"

// receive reads from a descriptor that does not block.
func receive(fd int, p []byte) (int, error) { return syscall.Read(fd, p) }
