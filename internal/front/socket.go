package front

import (
	"errors"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// LeastRate is what each side of a connection has to take or bring on average, in
	// bytes a second. It is far below any line in use, and enough that 100 MB end within
	// 28 hours.
	LeastRate = 1 << 10
	// answerWait is the time in which a reader must take LeastRate on average. A full
	// window of a slow line opens seldom, so it is longer than what bodies get.
	answerWait = 20 * time.Second
	// writePiece bounds the bytes that one deadline is for.
	writePiece = 64 << 10
)

// Slots bounds the connections there may be. Its methods are called concurrently.
type Slots interface {
	// Take reports whether a connection may stay. Give is called once for each that may.
	Take(c net.Conn) bool
	// Give is called when a connection that was taken is closed.
	Give(c net.Conn)
}

// Pace returns a listener whose connections cannot be held by clients that stall:
// their Write fails with os.ErrDeadlineExceeded when the other side takes less than
// LeastRate for 20 s. Connections for which slots has no room are closed at once. A
// nil slots is no limit, a nil clock knows of no sleep.
func Pace(l net.Listener, slots Slots, clock *Clock) net.Listener {
	return pacedListener{l, slots, clock}
}

type pacedListener struct {
	net.Listener
	slots Slots
	clock *Clock
}

// Accept waits for the next connection that may stay.
func (l pacedListener) Accept() (net.Conn, error) {
	c, err := l.accept()
	if err != nil {
		return nil, err
	}
	return c, nil
}

func (l pacedListener) accept() (*socket, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if l.slots == nil || l.slots.Take(c) {
			return newSocket(c, l.slots, l.clock), nil
		}
		_ = c.Close() // nothing was sent on it
	}
}

// A socket is a connection that is cut when its reader stalls. As with net/http,
// only one goroutine writes at a time. It has no ReadFrom: what is served is
// checked as it is read, so that no file goes to the connection directly.
type socket struct {
	net.Conn
	raw    syscall.RawConn // nil: it does not tell its descriptor
	to     *directWriter
	slots  Slots // nil: no limit
	closed atomic.Bool
	reads  sleepyDeadline

	wait     time.Duration // in which a reader must take LeastRate
	now      time.Time     // about when the last write ended: when it began, unless it had to wait
	deadline time.Time     // of writes
	written  int64         // bytes that the system has accepted
	before   int64         // bytes that the other side had taken when the deadline was set
	slept    time.Duration // what the clock told then
}

func newSocket(c net.Conn, slots Slots, clock *Clock) *socket {
	s := &socket{Conn: c, slots: slots, wait: answerWait, reads: sleepyDeadline{clock: clock}}
	if sc, ok := c.(syscall.Conn); ok {
		s.raw, _ = sc.SyscallConn() // nil if it is closed
	}
	s.to = direct(s)
	return s
}

// Close may be called more than once, and while others read and write.
func (s *socket) Close() error {
	if s.slots != nil && s.closed.CompareAndSwap(false, true) {
		s.slots.Give(s.Conn)
	}
	return s.Conn.Close()
}

// Read reads. A deadline that passed while the process slept has not passed.
func (s *socket) Read(p []byte) (n int, err error) {
	for {
		n, err = s.Conn.Read(p)
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) || !s.reads.putOff(s.Conn.SetReadDeadline) {
			return n, err
		}
	}
}

// SetReadDeadline sets when reads fail.
func (s *socket) SetReadDeadline(t time.Time) error {
	return s.reads.put(t, s.Conn.SetReadDeadline)
}

// SetDeadline sets when reads and writes fail.
func (s *socket) SetDeadline(t time.Time) error {
	return errors.Join(s.SetReadDeadline(t), s.Conn.SetWriteDeadline(t))
}

// CloseWrite is for net/http, which ends its side first after a refusal, so that
// the client still reads it.
func (s *socket) CloseWrite() error {
	if half, ok := s.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}

// Write writes all of p, as long as the reader keeps its pace.
func (s *socket) Write(p []byte) (int, error) { return s.writeBoth(p, nil) }

// writeBoth writes head and then body, with as few calls of the system as can be,
// and returns how many bytes of both were accepted. Each piece begins with at least
// half of the wait.
func (s *socket) writeBoth(head, body []byte) (n int, err error) {
	for {
		s.extend()
		h := head[:min(len(head), writePiece)]
		b := body[:0]
		if len(h) == len(head) {
			b = body[:min(len(body), writePiece-len(h))]
		}
		more := len(h) < len(head) || len(b) < len(body)
		m, err := s.to.writeBoth(h, b, more)
		n += m
		s.written += int64(m)
		head, body = cut(head, body, m)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded) && (s.moves() || s.reads.clock.Slept() > s.slept):
			s.deadline = time.Time{}
		case err != nil || len(head)+len(body) == 0:
			return n, err
		}
	}
}

// cut takes the first n bytes off two slices that are one after the other.
func cut(head, body []byte, n int) (restHead, restBody []byte) {
	h := min(n, len(head))
	return head[h:], body[n-h:]
}

// extend sets the deadline when half of it is over: most answers pass without.
func (s *socket) extend() {
	s.now = time.Now()
	if s.deadline.Sub(s.now) > s.wait/2 {
		return
	}
	s.deadline, s.before, s.slept = s.now.Add(s.wait), s.taken(), s.reads.clock.Slept()
	_ = s.Conn.SetWriteDeadline(s.deadline) // fails on a closed connection, as the write will
}

// moves reports, at a deadline, whether the other side has taken enough since it
// was set: LeastRate for the half of the wait that every piece has.
func (s *socket) moves() bool {
	return s.taken()-s.before >= LeastRate*int64(s.wait/2)/int64(time.Second)
}

// taken is how much the other side has taken. The system wakes a writer only when a
// good part of its buffer is free, which on a slow line can take minutes. So what
// the system still holds does not count, where it tells.
func (s *socket) taken() int64 { return s.written - unsent(s.Conn) }

// writePlain writes by the connection's own method.
func (s *socket) writePlain(head, body []byte) (n int, err error) {
	for _, p := range [...][]byte{head, body} {
		if len(p) > 0 && err == nil {
			var m int
			m, err = s.Conn.Write(p)
			n += m
		}
	}
	s.now = time.Now()
	return n, err
}
