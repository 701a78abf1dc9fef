package main

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"
	"time"

	"sandlot/internal/front"
)

// Both sides of a connection must move, or it is cut: without that a client
// that stalls holds a connection, a goroutine and perhaps a temporary file for
// ever. The limits apply to every client, also to those that have no other.
const (
	// leastRate is far below any line that is in use, in bytes a second, and so much that 100 MB end within some 28 hours.
	leastRate = 1 << 10
	// bodyWait is the time in which a body must bring leastRate on average. It is also what a client has for its first bytes.
	bodyWait = 10 * time.Second
	// answerWait is the same for a reader. It is longer, because a full window of a slow line opens seldom.
	answerWait = 20 * time.Second
	// deadlineSlack is how much later than asked a deadline may be, so that it is not set anew with every packet.
	deadlineSlack = time.Second
)

// pacedBody is a request's body that counts its bytes and fails with
// os.ErrDeadlineExceeded when they come too slowly. Only the time spent waiting
// for the client counts, not what the service does between two reads.
type pacedBody struct {
	io.ReadCloser
	clock    *sleepClock
	set      func(time.Time) error // sets the deadline of the connection
	n        int64                 // bytes read
	moved    int64                 // bytes of the present window
	waited   time.Duration         // time of the present window
	mu       sync.Mutex            // held to set a deadline: what ends a body may come from elsewhere
	deadline time.Time             // the one that is set
	taken    bool                  // the handler has set a deadline of its own
	answered func() bool           // whether the answer has begun; nil: not
	cut      error                 // what ended the body before its end and before the answer; nil: nothing
}

// newPacedBody begins with a deadline, for net/http may read a body that no
// handler asks for.
func newPacedBody(w http.ResponseWriter, r *http.Request, clock *sleepClock) *pacedBody {
	b := &pacedBody{ReadCloser: r.Body, clock: clock, set: http.NewResponseController(w).SetReadDeadline}
	if r.Body == http.NoBody {
		b.taken = true
	} else {
		b.expect(time.Now())
	}
	return b
}

// expect makes sure that the client has the rest of its window from now on.
func (b *pacedBody) expect(now time.Time) {
	due := now.Add(bodyWait - b.waited)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.taken || !b.deadline.Before(due) {
		return
	}
	b.deadline = due.Add(deadlineSlack)
	_ = b.set(b.deadline) // a connection without deadlines has its own end
}

// Read reads on while the client keeps to the least rate.
func (b *pacedBody) Read(p []byte) (int, error) {
	begun, slept := time.Now(), b.clock.total()
	b.expect(begun)
	n, err := b.ReadCloser.Read(p)
	b.n += int64(n)
	b.moved += int64(n)
	b.waited += max(0, time.Since(begun)-(b.clock.total()-slept))
	if b.moved >= leastRate*int64(bodyWait/time.Second) {
		b.moved, b.waited = 0, 0
	}
	if err == io.EOF {
		b.ended()
	}
	b.fail(err)
	return n, err
}

// fail notes that the body ended before its end, if it was that: a body that is framed
// wrongly came as the client sent it, and what is thrown away behind a refusal is
// missed by nobody.
func (b *pacedBody) fail(err error) {
	var network net.Error
	switch {
	case err == nil || err == io.EOF || b.cut != nil || b.answered != nil && b.answered():
	case errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &network), errors.Is(err, net.ErrClosed):
		b.cut = err
	}
}

// ended takes the deadline away: from now on net/http watches whether the client is
// still there, which a deadline would deny.
func (b *pacedBody) ended() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.taken {
		b.taken = true
		_ = b.set(time.Time{})
	}
}

// SetReadDeadline is for a handler that knows better how long it will read. It may be
// called while the body is read.
func (b *pacedBody) SetReadDeadline(t time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.taken = true
	return b.set(t)
}

// pacedListener makes connections that end when their reader stalls, as many as
// there may be.
type pacedListener struct {
	net.Listener
	conns *connections // nil: no limit
	clock *sleepClock
}

// Accept waits for the next connection. Those that are too many are closed.
func (l pacedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if l.conns.take(c) {
			return &pacedConn{Conn: c, to: front.Direct(c), wait: answerWait, conns: l.conns, reads: sleepyDeadline{clock: l.clock}}, nil
		}
		_ = c.Close() // nothing was sent on it
	}
}

// pacedConn is a connection whose Write fails with os.ErrDeadlineExceeded when
// the other side takes less than leastRate. As net/http has it, only one
// goroutine writes at a time. It has no ReadFrom: what is served is checked as
// it is read, so that no file goes to the connection directly.
type pacedConn struct {
	net.Conn
	conns    *connections
	closing  closing
	to       io.Writer // the connection
	wait     time.Duration
	deadline time.Time
	written  int64         // bytes that the system has accepted
	before   int64         // bytes that the other side had taken when the deadline was set
	slept    time.Duration // what the clock of reads told then
	reads    sleepyDeadline
}

// Close may be called more than once, and while others read and write.
func (c *pacedConn) Close() error {
	if c.closing.first() {
		c.conns.give(c.Conn)
	}
	return c.Conn.Close()
}

// Read reads. A deadline that passed while the process slept has not passed.
func (c *pacedConn) Read(p []byte) (n int, err error) {
	for {
		n, err = c.Conn.Read(p)
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) || !c.reads.putOff(c.Conn.SetReadDeadline) {
			return n, err
		}
	}
}

// SetReadDeadline sets when reads fail.
func (c *pacedConn) SetReadDeadline(t time.Time) error {
	return c.reads.put(t, c.Conn.SetReadDeadline)
}

// SetDeadline sets when reads and writes fail.
func (c *pacedConn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.Conn.SetWriteDeadline(t))
}

// writePiece bounds what one deadline is for.
const writePiece = 64 << 10

// Write writes p in pieces, each of which begins with at least half of the wait.
func (c *pacedConn) Write(p []byte) (n int, err error) { return c.write(p, false) }

// WriteMore is Write for bytes that others follow at once: a short packet is not sent of them before those.
func (c *pacedConn) WriteMore(p []byte) (n int, err error) { return c.write(p, true) }

func (c *pacedConn) write(p []byte, more bool) (n int, err error) {
	for {
		c.extend()
		end := min(len(p), n+writePiece)
		m, err := c.send(p[n:end], more || end < len(p))
		n += m
		c.written += int64(m)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded) && (c.moves() || c.reads.clock.total() > c.slept):
			c.deadline = time.Time{}
		case err != nil || n == len(p):
			return n, err
		}
	}
}

func (c *pacedConn) send(p []byte, more bool) (int, error) {
	if w, ok := c.to.(interface{ WriteMore([]byte) (int, error) }); ok && more {
		return w.WriteMore(p)
	}
	return c.to.Write(p)
}

// CloseWrite is for net/http, which ends its side first after a refusal, so that
// the client still reads it.
func (c *pacedConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}

// SyscallConn tells the connection's descriptor, to wait for bytes without a
// buffer for them. Writing to it would go past the pace.
func (c *pacedConn) SyscallConn() (syscall.RawConn, error) {
	if sc, ok := c.Conn.(syscall.Conn); ok {
		return sc.SyscallConn()
	}
	return nil, errors.ErrUnsupported
}

// extend sets the deadline when half of it is over: most answers pass without.
func (c *pacedConn) extend() {
	now := time.Now()
	if c.deadline.Sub(now) > c.wait/2 {
		return
	}
	c.deadline, c.before, c.slept = now.Add(c.wait), c.taken(), c.reads.clock.total()
	_ = c.Conn.SetWriteDeadline(c.deadline) // fails on a closed connection, as the write will
}

// moves reports, at a deadline, whether the other side has taken enough since it
// was set: leastRate for the half of the wait that every piece has.
func (c *pacedConn) moves() bool {
	return c.taken()-c.before >= leastRate*int64(c.wait/2)/int64(time.Second)
}

// taken is how much the other side has taken. The system wakes a writer only
// when a good part of its buffer is free, which on a slow line can take minutes;
// so what it still holds is left out, where it tells.
func (c *pacedConn) taken() int64 { return c.written - unsent(c.Conn) }
