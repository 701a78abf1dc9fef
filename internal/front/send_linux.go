package front

import (
	"io"
	"net"
	"os"
	"syscall"
	"unsafe"
)

// direct returns a writer that writes as c does, deadline included, but does not tell
// the scheduler: the connection does not block, and to prepare for a call that takes
// long costs more, on a busy machine, than most calls. Only one goroutine may write.
func direct(c net.Conn) io.Writer {
	sc, ok := c.(syscall.Conn)
	if !ok {
		return c
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return c
	}
	d := &directWriter{raw: raw}
	d.try = d.send
	return d
}

type directWriter struct {
	raw   syscall.RawConn
	try   func(fd uintptr) bool // made once, for each write needs it
	left  []byte
	flags uintptr // of the send
	err   error
}

// Write implements io.Writer.
func (d *directWriter) Write(p []byte) (int, error) { return d.write(p, 0) }

// WriteMore is Write for bytes that others follow at once: the system may send them together.
func (d *directWriter) WriteMore(p []byte) (int, error) { return d.write(p, syscall.MSG_MORE) }

func (d *directWriter) write(p []byte, flags uintptr) (int, error) {
	d.left, d.flags, d.err = p, flags|syscall.MSG_NOSIGNAL, nil
	err := d.raw.Write(d.try)
	n := len(p) - len(d.left)
	d.left = nil
	if err == nil {
		err = d.err
	}
	return n, err
}

// send writes what is left. It returns false if the connection takes no more now:
// then it is called again when it does.
func (d *directWriter) send(fd uintptr) bool {
	for len(d.left) > 0 {
		n, _, errno := syscall.RawSyscall6(syscall.SYS_SENDTO, fd, uintptr(unsafe.Pointer(unsafe.SliceData(d.left))), uintptr(len(d.left)), d.flags, 0, 0)
		switch errno {
		case 0:
			d.left = d.left[n:]
		case syscall.EINTR:
		case syscall.EAGAIN:
			return false
		default:
			d.err = os.NewSyscallError("send", errno)
			return true
		}
	}
	return true
}
