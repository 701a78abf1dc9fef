package front

import (
	"bytes"
	"net/http"
	"time"
)

// A conn is a connection that the front serves. One goroutine at a time uses it; only wake and Close may be called by
// others.
type conn struct {
	*socket
	sink   sink    // takes answers: the socket, or secure over it
	secure *secure // nil: the connection is plain
	front  *Listener
	remote string
	got    int                // bytes read into the exchange, from the beginning of a request
	x      *exchange          // nil while the connection waits
	err    error              // of the last read
	read   func(uintptr) bool // made once, for each read needs it
	until  time.Time          // the read deadline that is set
	asked  time.Time          // start of its last wait for a request
	posted bool               // the last request was a POST
}

// newConn returns a conn, or nil if the front cannot serve the connection.
func newConn(f *Listener, s *socket) *conn {
	c := &conn{socket: s, sink: s, front: f, remote: s.RemoteAddr().String()}
	if f.tls != nil {
		c.secure = newSecure(s, f.tls)
		c.sink = c.secure
		return c
	}
	if s.raw == nil || !canRead {
		return nil
	}
	c.read = c.readOnce
	return c
}

// restAfter is the pause between two requests after which a connection counts as mostly waiting.
const restAfter = 100 * time.Millisecond

// serve answers one plain request after another. As in net/http, a panic ends its connection and no more. A connection
// that mostly waits goes on in a new goroutine: one that has run a handler keeps its stack of 8 KiB or more.
func (c *conn) serve() {
	moved := false
	defer func() {
		if recover() != nil {
			c.Close()
		}
		if !moved {
			c.front.left(c)
		}
	}()
	if c.secure != nil && !c.secure.done && !c.shake() {
		return
	}
	for answered := false; ; answered = true {
		now := c.now // reading the clock is not free
		if !answered {
			now = time.Now()
		}
		rests := now.Sub(c.asked) > c.front.rest
		c.asked = now
		if answered && rests && c.got == 0 {
			c.release()
			moved = true
			go c.serve()
			return
		}
		if !c.fill(now) {
			break
		}
		if !c.plain() {
			c.handOver()
			return
		}
		if !c.answer() {
			break
		}
	}
	c.release()
	c.Close()
}

// idleSlack is the time by which a waiting connection may end early, so that its deadline is not set with each request.
const idleSlack = 5 * time.Second

// fill waits for bytes of a request, unless there are some. It returns false when the connection or its time has ended.
func (c *conn) fill(now time.Time) bool {
	if c.got > 0 {
		return true // more than one request came at once
	}
	wait := c.front.idle
	if c.until.IsZero() {
		wait = c.front.first // a new connection should send at once
	}
	if c.until.Sub(now) < wait-idleSlack {
		c.until = now.Add(wait)
		if c.SetReadDeadline(c.until) != nil {
			return false
		}
	}
	// Checked after the deadline was set, for Shutdown does it in the opposite order.
	if c.front.closing.Load() {
		return false
	}
	if c.secure != nil {
		return c.readSecure()
	}
	return c.raw.Read(c.read) == nil && c.err == nil && c.got > 0
}

// wake ends the connection if it waits for a request.
func (c *conn) wake() { _ = c.SetReadDeadline(time.Unix(1, 0)) }

// plain reports whether the received bytes begin with a whole plain request for a host that the front serves.
func (c *conn) plain() bool {
	if !c.x.parse(c.x.in[:c.got]) {
		return false
	}
	label, wanted := c.front.handler.Project(c.x.request.Host)
	c.x.label = label
	return wanted
}

// answer lets the handler answer the parsed request. It returns false if the connection has to end.
func (c *conn) answer() (goOn bool) {
	c.x.begin(c)
	c.use.began(c.x.answer.now)
	defer func() {
		// The handler has logged the panic, if it logs any; the client must see that the answer is incomplete.
		if recover() != nil {
			goOn = false
		}
	}()
	c.front.handler.ServeProject(&c.x.answer, &c.x.request, c.x.label)
	goOn = c.x.answer.finish()
	c.posted = c.x.request.Method == http.MethodPost
	c.got = copy(c.x.in[:], c.x.in[c.x.used:c.got])
	c.use.ended()
	return goOn && !c.front.draining.Load()
}

// handOver passes the connection and the bytes read from it to net/http, which sets its own deadlines. Line breaks after
// a POST, which old clients send (RFC 9112, 2.2), are skipped as net/http does.
func (c *conn) handOver() {
	rest := c.x.in[:c.got]
	if c.posted {
		rest = bytes.TrimLeft(rest, "\r\n")
	}
	head := bytes.Clone(rest)
	c.use.began(time.Now())
	c.release()
	if c.SetReadDeadline(time.Time{}) != nil {
		c.Close()
		return
	}
	if c.secure != nil {
		c.front.hand(&sealedConn{Conn: c.secure.Conn, head: head})
		return
	}
	c.front.hand(&handedConn{socket: c.socket, head: head})
}

// Close closes the connection. Over TLS the client learns that nothing is missing.
func (c *conn) Close() error {
	if c.secure != nil {
		return c.secure.Close()
	}
	return c.socket.Close()
}

// release returns the exchange to the pool: a waiting connection needs none.
func (c *conn) release() {
	if c.x != nil {
		c.x.clear()
		c.front.exchanges.Put(c.x)
		c.x = nil
	}
}

// acquire takes an exchange for the bytes that are about to come.
func (c *conn) acquire() *exchange {
	if c.x == nil {
		c.x = c.front.exchanges.Get().(*exchange)
	}
	return c.x
}

// A handedConn is a connection that is handed to net/http. Reads of it begin with the first byte of the request.
type handedConn struct {
	*socket
	head []byte
}

// Read returns the bytes that the front has read, and then those of the connection.
func (c *handedConn) Read(p []byte) (int, error) {
	if len(c.head) == 0 {
		c.head = nil
		return c.socket.Read(p)
	}
	n := copy(p, c.head)
	c.head = c.head[n:]
	return n, nil
}
