package front

import (
	"io"
	"net"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// direct returns a writer for c that keeps its deadline but makes its system calls, which do not block, without Go's
// scheduler: preparing it costs more, on a busy machine, than most calls. Only one goroutine may write.
func direct(c *socket) *directWriter {
	d := &directWriter{c: c}
	d.try = d.send
	return d
}

// A directWriter writes a header and a body in one system call.
type directWriter struct {
	c          *socket
	try        func(fd uintptr) bool // made once, for each write needs it
	head, body []byte                // the rest to write
	flags      uintptr               // of the send
	waited     bool                  // whether the connection took no more for a while
	err        error
}

// writeBoth writes head and body, and returns the number of bytes that the system has accepted. more announces that
// others follow at once: the system may send them together.
func (d *directWriter) writeBoth(head, body []byte, more bool) (int, error) {
	if d.c.raw == nil {
		return d.c.writePlain(head, body)
	}
	d.head, d.body, d.flags, d.waited, d.err = head, body, syscall.MSG_NOSIGNAL, false, nil
	if more {
		d.flags |= syscall.MSG_MORE
	}
	err := d.c.raw.Write(d.try)
	n := len(head) + len(body) - len(d.head) - len(d.body)
	d.head, d.body = nil, nil
	if d.waited {
		d.c.now = time.Now()
	}
	if err == nil {
		err = d.err
	}
	return n, err
}

// send writes the rest. It returns false if the connection takes no more now: the runtime calls it again when it does.
func (d *directWriter) send(fd uintptr) bool {
	for len(d.head)+len(d.body) > 0 {
		n, errno := d.call(fd)
		switch errno {
		case 0:
			d.head, d.body = cut(d.head, d.body, n)
		case syscall.EINTR:
		case syscall.EAGAIN:
			d.waited = true
			return false
		default:
			d.err = os.NewSyscallError("send", errno)
			return true
		}
	}
	return true
}

// call passes the rest to the system, in one call.
func (d *directWriter) call(fd uintptr) (int, syscall.Errno) {
	if len(d.head) == 0 || len(d.body) == 0 {
		left := d.head
		if len(left) == 0 {
			left = d.body
		}
		n, _, errno := syscall.RawSyscall6(syscall.SYS_SENDTO, fd,
			uintptr(unsafe.Pointer(unsafe.SliceData(left))), uintptr(len(left)), d.flags, 0, 0)
		return int(n), errno
	}
	both := [2]syscall.Iovec{{Base: unsafe.SliceData(d.head)}, {Base: unsafe.SliceData(d.body)}}
	both[0].SetLen(len(d.head))
	both[1].SetLen(len(d.body))
	message := syscall.Msghdr{Iov: &both[0], Iovlen: 2}
	n, _, errno := syscall.RawSyscall(syscall.SYS_SENDMSG, fd, uintptr(unsafe.Pointer(&message)), d.flags)
	return int(n), errno
}

// receive reads from a descriptor that does not block, past the scheduler as direct does.
func receive(fd int, p []byte) (int, error) {
	n, _, errno := syscall.RawSyscall(syscall.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)))
	if errno != 0 {
		return -1, errno
	}
	return int(n), nil
}

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
	var n int // 0 after an error
	_ = raw.Control(func(fd uintptr) { n, _ = unix.IoctlGetInt(int(fd), unix.SIOCOUTQ) })
	return int64(n)
}
