package cluster

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
)

// A cutter stands between the nodes and PostgreSQL.
type cutter struct {
	url, to string
	armed   atomic.Int32 // so many commits are not answered
	cuts    atomic.Int32

	mu    sync.Mutex
	conns map[net.Conn]bool
}

// cut starts one before the server of that address.
func cut(t *testing.T, address string) *cutter {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	c := &cutter{to: u.Host, conns: map[net.Conn]bool{}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	u.Host = l.Addr().String()
	c.url = u.String()
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { c.join(conn) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		c.closeAll()
		all.Wait()
	})
	return c
}

func (c *cutter) closeAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.conns {
		conn.Close()
	}
}

// join connects a node to the server until one of them ends.
func (c *cutter) join(in net.Conn) {
	defer in.Close()
	out, err := net.Dial("tcp", c.to)
	if err != nil {
		return
	}
	defer out.Close()
	c.mu.Lock()
	c.conns[in], c.conns[out] = true, true
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.conns, in)
		delete(c.conns, out)
	}()
	var both sync.WaitGroup
	both.Go(func() {
		_, _ = io.Copy(out, in)
		out.Close()
	})
	c.answer(in, out)
	in.Close()
	out.Close()
	both.Wait()
}

// committed is what PostgreSQL says after it has committed: the message CommandComplete.
var committed = []byte("C\x00\x00\x00\x0bCOMMIT\x00")

// answer passes on what the server says, but for the answer to a commit that is to be lost.
func (c *cutter) answer(in io.Writer, out io.Reader) {
	b := make([]byte, 64<<10)
	for {
		n, err := out.Read(b)
		if bytes.Contains(b[:n], committed) && take(&c.armed) {
			c.cuts.Add(1)
			return
		}
		if _, failed := in.Write(b[:n]); failed != nil || err != nil {
			return
		}
	}
}
