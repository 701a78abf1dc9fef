package front

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// unsent returns the number of bytes that the system holds and that the other side of a TCP connection has not
// acknowledged (SIOCOUTQ, tcp(7)); 0 if it is unknown.
func unsent(c net.Conn) int64 {
	sc, ok := c.(syscall.Conn)
	if !ok {
		return 0
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return 0
	}
	var n int
	// After an error n is 0.
	_ = raw.Control(func(fd uintptr) { n, _ = unix.IoctlGetInt(int(fd), unix.SIOCOUTQ) })
	return int64(n)
}
