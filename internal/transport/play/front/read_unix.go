//go:build unix

package front

import (
	"io"
	"syscall"
)

// canRead reports whether readOnce can be used here.
const canRead = true

// readOnce reads what has come. It returns false if nothing has: then it is called
// again when something did, and in between no buffer is held.
func (c *conn) readOnce(fd uintptr) bool {
	x := c.acquire()
	for {
		n, err := receive(int(fd), x.in[:])
		switch {
		case err == syscall.EINTR:
		case err == syscall.EAGAIN:
			c.release()
			return false
		case err != nil:
			c.err = err
			return true
		case n <= 0:
			c.err = io.EOF
			return true
		default:
			c.got = n
			return true
		}
	}
}
