package front

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// LeastRate is the least rate at which a client has to take an answer, and to send a body, on average, in bytes a
	// second: 100 MB take no more than 28 hours.
	LeastRate = 1 << 10
	// answerWait is the time in which a reader must reach LeastRate on average. A full window opens seldom.
	answerWait = 20 * time.Second
	// writePiece is the largest piece that one deadline covers, in bytes.
	writePiece = 64 << 10
)

// Slots limits the number of connections. Its methods are called concurrently.
type Slots interface {
	// Take reports whether a connection may stay. Any other is closed without an answer.
	Take(c net.Conn) bool
	// Give is called once for each connection that Take accepted, when it is closed.
	Give(c net.Conn)
}

// Pace returns a listener whose connections stalled clients cannot hold. A Write fails with os.ErrDeadlineExceeded when
// the client has taken less than LeastRate on average for 20 s, not counting time for which the process was stopped.
// Connections for which slots has no room are closed at once. Both slots and clock may be nil.
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

// accept is Accept with the concrete type of the connection.
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

// A socket is a connection that is cut when its client stalls. Only one goroutine may write at a time, as with
// net/http. It has no ReadFrom: all bytes are checked while they are read, so no file goes to the connection directly.
type socket struct {
	net.Conn
	raw     syscall.RawConn // nil if the connection does not give access to its descriptor
	to      *directWriter
	slots   Slots // nil: no limit
	closed  atomic.Bool
	lingers atomic.Bool
	use     use
	gone    func(*socket) // called once, when it is closed; nil: nobody counts it
	reads   sleepyDeadline
	own     []byte // the line for an answer of net/http; nil once a handler answers

	wait     time.Duration // time in which a reader must take LeastRate
	now      time.Time     // about the end of the last write: its beginning, unless it had to wait
	deadline time.Time     // of writes
	written  int64         // bytes that the system has accepted
	before   int64         // bytes that the other side had taken when the deadline was set
	slept    time.Duration // the clock's total at that time
}

// newSocket returns a socket for a connection that slots accepted.
func newSocket(c net.Conn, slots Slots, clock *Clock) *socket {
	s := &socket{Conn: c, slots: slots, wait: answerWait, reads: sleepyDeadline{clock: clock}}
	if sc, ok := c.(syscall.Conn); ok {
		s.raw, _ = sc.SyscallConn() // nil if it is closed
	}
	s.to = direct(s)
	return s
}

// Close closes the connection and gives its slot back. It may be called more than once, while others read and write.
// After Linger it returns at once, and the connection ends later.
func (s *socket) Close() error {
	first := s.closed.CompareAndSwap(false, true)
	switch {
	case !s.lingers.Load():
		return s.end(first)
	case first:
		go s.linger()
	}
	return nil
}

// end closes the connection; first is true once.
func (s *socket) end(first bool) error {
	if first && s.slots != nil {
		s.slots.Give(s.Conn)
	}
	if first && s.gone != nil {
		s.gone(s)
	}
	return s.Conn.Close()
}

// lingerMost is the longest time for which a connection lingers: a client that does not read the answer to a body
// meanwhile is not waited for.
const lingerMost = 2 * time.Second

// linger closes this side of the connection, and discards the client's bytes until it closes its own: a close while
// bytes arrive would reset the connection, and the client would not see the answer.
func (s *socket) linger() {
	_ = s.CloseWrite()
	_ = s.Conn.SetReadDeadline(time.Now().Add(lingerMost)) // both fail on a closed connection, as the reads will
	_, _ = io.Copy(io.Discard, s.Conn)
	_ = s.end(true)
}

// Linger makes the connection of a request, whose body is not read to its end, linger when it is closed: it closes this
// side first, and discards the client's bytes for 2 s. It counts as a request under way meanwhile. With HTTP/2 the
// answer must be the last of the connection, which other requests share. The server must be one of Cover, and ctx the
// request's.
func Linger(ctx context.Context) {
	if s, ok := ctx.Value(socketKey{}).(*socket); ok {
		s.lingers.Store(true)
	}
}

// Read implements net.Conn. A deadline that passed while the process was stopped is put off.
func (s *socket) Read(p []byte) (n int, err error) {
	for {
		n, err = s.Conn.Read(p)
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) || !s.reads.putOff(s.Conn.SetReadDeadline) {
			return n, err
		}
	}
}

// SetReadDeadline implements net.Conn.
func (s *socket) SetReadDeadline(t time.Time) error {
	return s.reads.put(t, s.Conn.SetReadDeadline)
}

// SetDeadline implements net.Conn.
func (s *socket) SetDeadline(t time.Time) error {
	return errors.Join(s.SetReadDeadline(t), s.Conn.SetWriteDeadline(t))
}

// CloseWrite is for net/http, which after a refusal closes its own side first.
func (s *socket) CloseWrite() error {
	if half, ok := s.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}

// Write writes all of p, and fails if the client falls below LeastRate.
func (s *socket) Write(p []byte) (int, error) {
	if s.own == nil {
		return s.writeBoth(p, nil)
	}
	if _, err := s.writeBoth(cover(p, s.own), nil); err != nil {
		return 0, err
	}
	return len(p), nil
}

// writeBoth writes head and then body in as few system calls as possible. It returns the number of bytes that the system
// has accepted, and fails if the client falls below LeastRate. Each piece has at least half of the wait.
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

// cut drops the first n bytes of head and body taken together.
func cut(head, body []byte, n int) (restHead, restBody []byte) {
	h := min(n, len(head))
	return head[h:], body[n-h:]
}

// extend sets the deadline of writes if less than half of the wait is left.
func (s *socket) extend() {
	s.now = time.Now()
	if s.deadline.Sub(s.now) > s.wait/2 {
		return
	}
	s.deadline, s.before, s.slept = s.now.Add(s.wait), s.taken(), s.reads.clock.Slept()
	_ = s.Conn.SetWriteDeadline(s.deadline) // fails on a closed connection, as the write will
}

// moves reports, at a deadline, whether the client has taken enough since it was set: LeastRate for half of the wait.
func (s *socket) moves() bool {
	return s.taken()-s.before >= LeastRate*int64(s.wait/2)/int64(time.Second)
}

// taken returns the number of bytes that the client has taken. Those that the system still holds do not count: it wakes a
// writer only when a good part of its buffer is free, which on a slow line can take minutes.
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

// Cover adds a line, with its line break, to the header of the answers that net/http gives before any handler, such as
// 400, 417 and 431. The server must serve connections of a Listener or of Pace.
func Cover(server *http.Server, line string) {
	handler := server.Handler
	server.ConnState = func(c net.Conn, state http.ConnState) { // called between requests, and when a handler takes the connection
		if state != http.StateHijacked {
			*ownLine(c) = []byte(line)
		}
		if s := socketOf(c); !s.lingers.Load() {
			s.use.follow(state)
		}
	}
	server.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		ctx = context.WithValue(ctx, socketKey{}, socketOf(c))
		return context.WithValue(ctx, lineKey{}, ownLine(c))
	}
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*r.Context().Value(lineKey{}).(*[]byte) = nil
		handler.ServeHTTP(w, r)
	})
}

// socketKey is the key of a request's *socket in its context.
type socketKey struct{}

// socketOf returns the socket of a connection that net/http serves.
func socketOf(c net.Conn) *socket {
	switch c := c.(type) {
	case *handedConn:
		return c.socket
	case *sealedConn:
		return socketOf(c.NetConn())
	case *tls.Conn:
		return socketOf(c.NetConn())
	}
	return c.(*socket)
}

// lineKey is the key of the line of a request's connection in its context.
type lineKey struct{}

// ownLine returns the place of the line of a connection that net/http serves. HTTP/2, whose answers before any handler
// are those to a header that is too large, has none.
func ownLine(c net.Conn) *[]byte {
	switch c := c.(type) {
	case *handedConn:
		return &c.own
	case *sealedConn:
		return &c.own
	case *socket:
		return &c.own
	}
	return new([]byte)
}

// cover returns an answer of net/http with the missing line.
func cover(answer, line []byte) []byte {
	status, rest, ok := bytes.Cut(answer, []byte("\r\n"))
	if !ok {
		return answer
	}
	return bytes.Join([][]byte{status, []byte("\r\n"), line, rest}, nil)
}
