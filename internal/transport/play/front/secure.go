package front

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"time"
)

// A secure is TLS over a socket, which keeps the pace of its records and limits their number.
type secure struct {
	*tls.Conn
	done  bool    // the handshake is over
	first [1]byte // the first byte of a request
}

func newSecure(s *socket, c *tls.Config) *secure { return &secure{Conn: tls.Server(s, c)} }

// writeBoth implements sink: a header and a small body are one record, and so one system call.
func (s *secure) writeBoth(head, body []byte) (int, error) {
	joined := min(len(body), cap(head)-len(head))
	n, err := s.Write(append(head, body[:joined]...))
	if err != nil || joined == len(body) {
		return n, err
	}
	m, err := s.Write(body[joined:])
	return n + m, err
}

// shake makes the handshake, within the longest silence of a new connection. It returns false if the front has no more to
// do with the connection: it has failed, or its client speaks HTTP/2 and net/http has it.
func (c *conn) shake() (goOn bool) {
	ctx, cancel := context.WithTimeout(context.Background(), c.front.first)
	defer cancel()
	if err := c.secure.HandshakeContext(ctx); err != nil {
		if e := (tls.RecordHeaderError{}); errors.As(err, &e) && e.Conn != nil {
			_, _ = io.WriteString(e.Conn, notEncrypted)
		}
		_ = c.socket.Close() // TLS has said why
		return false
	}
	c.secure.done = true
	switch c.secure.ConnectionState().NegotiatedProtocol {
	case "h2":
		c.front.hand(c.secure.Conn)
		return false
	case "", "http/1.1":
		return true
	}
	c.Close() // a challenge of an authority, which needs the handshake alone
	return false
}

// notEncrypted answers a client without TLS, which mostly speaks plain HTTP.
const notEncrypted = "HTTP/1.0 400 Bad Request\r\nContent-Type: text/plain\r\n\r\nThis port speaks https alone.\n"

// readSecure reads the bytes that have arrived, in memory that it takes when the first is there. It returns false when
// the connection or its time has ended.
func (c *conn) readSecure() bool {
	if n, err := c.secure.Read(c.secure.first[:]); n == 0 || err != nil {
		return false
	}
	x := c.acquire()
	x.in[0] = c.secure.first[0]
	// The rest of a request comes in the same record, or at once.
	c.until = time.Now().Add(c.front.first)
	if c.SetReadDeadline(c.until) != nil {
		return false
	}
	n, err := c.secure.Read(x.in[1:])
	c.got = 1 + n
	return err == nil
}

// A sealedConn is a connection with TLS that is handed to net/http for HTTP/1. Reads of it begin with the first byte of
// the request.
type sealedConn struct {
	*tls.Conn
	head []byte
	own  []byte // the line for an answer of net/http; nil once a handler answers
}

// Read returns the bytes that the front has read, and then those of the connection.
func (c *sealedConn) Read(p []byte) (int, error) {
	if len(c.head) == 0 {
		c.head = nil
		return c.Conn.Read(p)
	}
	n := copy(p, c.head)
	c.head = c.head[n:]
	return n, nil
}

// Write writes all of p.
func (c *sealedConn) Write(p []byte) (int, error) {
	if c.own == nil {
		return c.Conn.Write(p)
	}
	if _, err := c.Conn.Write(cover(p, c.own)); err != nil {
		return 0, err
	}
	return len(p), nil
}
