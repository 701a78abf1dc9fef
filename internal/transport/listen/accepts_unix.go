//go:build unix

package listen

import (
	"os"
	"syscall"
)

// accepts reports whether a file is a stream socket that listens.
func accepts(f *os.File) bool {
	raw, err := f.SyscallConn()
	if err != nil {
		return false
	}
	on := 0
	_ = raw.Control(func(fd uintptr) { on, _ = syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_ACCEPTCONN) }) // 0 after an error
	return on != 0
}
