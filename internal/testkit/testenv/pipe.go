package testenv

import (
	"net"
	"net/http"
	"sync"
	"testing"
)

// A Pipe is a client's connection to a server without a network, for the clock of testing/synctest. What runs on it by Go is waited for
// when its test ends.
type Pipe struct {
	net.Conn
	sync.WaitGroup
}

// ServePipe has a server serve one connection, through a listener that wrap stands before, until the test ends.
func ServePipe(tb testing.TB, server *http.Server, wrap func(net.Listener) net.Listener) *Pipe {
	tb.Helper()
	inside, outside := net.Pipe()
	p := &Pipe{Conn: outside}
	listener := make(oneConn, 1)
	listener <- inside
	done := make(chan struct{})
	go func() { _ = server.Serve(wrap(listener)); close(done) }()
	tb.Cleanup(func() {
		outside.Close()
		server.Close()
		<-done
		p.Wait()
	})
	return p
}

// oneConn is a listener that accepts one connection.
type oneConn chan net.Conn

func (l oneConn) Accept() (net.Conn, error) {
	if c, ok := <-l; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (l oneConn) Close() error { close(l); return nil }
func (oneConn) Addr() net.Addr { return &net.TCPAddr{} }
