//go:build unix

package front

import (
	"io"
	"syscall"
)

// canRead reports whether readOnce can be used here.
const canRead = true

// readOnce reads the bytes that have arrived. It returns false if there are none: the runtime calls it again when some
// arrive, and no buffer is held in between.
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
