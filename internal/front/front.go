// Package front answers the plain requests of a connection itself, and hands the
// connection to net/http as soon as anything else comes.
//
// Nearly all requests to published files are alike: GET, a short header, no body,
// an answer from memory. net/http does for each of them what only the others need.
// So the first look at a request is taken here. If it is plain, and for a host that
// is wanted, the same handler answers it through a small http.ResponseWriter;
// otherwise net/http gets the connection with every byte that was read, and keeps
// it. What "plain" means is strict: whatever is unusual, malformed, encoded, too
// long or not there yet is net/http's, so that only one place judges what is
// hostile.
//
// A connection that waits for its next request holds no buffer here. Ten thousand
// players who say twice a minute that they are there cost little more than their
// sockets.
package front

import (
	"cmp"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Config is what a Listener is made from. All fields but First and Idle are needed.
type Config struct {
	// Handler answers plain requests. It must not keep the request, its header or
	// the response writer beyond its return.
	Handler http.Handler
	// Wants tells whether plain requests with that Host are answered here.
	Wants func(host string) bool
	// First is how long a new connection may send nothing; 0: as long as Idle.
	First time.Duration
	// Idle is how long a connection may wait for its next request; 0: two minutes.
	Idle time.Duration

	rest time.Duration // 0: restAfter; a test moves every connection
}

// A Listener accepts connections and answers their plain requests. It is itself a
// net.Listener, for an http.Server: Accept returns the connections whose next
// request is not plain.
type Listener struct {
	net.Listener
	handler http.Handler
	wants   func(host string) bool
	first   time.Duration
	idle    time.Duration
	rest    time.Duration

	dates     dates
	exchanges sync.Pool // of *exchange

	handed chan net.Conn // without room: no connection is left in it when nobody takes more
	ended  chan struct{} // closed when nothing is accepted any more
	err    error         // why; set before ended is closed

	closing atomic.Bool
	mu      sync.Mutex
	conns   map[*conn]struct{}
	serving sync.WaitGroup
}

// NewListener begins to accept from l. Connections that do not tell their
// descriptor (syscall.Conn) are all handed over.
func NewListener(l net.Listener, c Config) *Listener {
	f := &Listener{
		Listener: l, handler: c.Handler, wants: c.Wants, first: c.First, idle: c.Idle, rest: cmp.Or(c.rest, restAfter),
		handed: make(chan net.Conn), ended: make(chan struct{}), conns: map[*conn]struct{}{},
	}
	f.exchanges.New = func() any { return newExchange() }
	if f.idle == 0 {
		f.idle = 2 * time.Minute
	}
	f.first = cmp.Or(f.first, f.idle)
	go f.accept()
	return f
}

// accept gives each connection a goroutine. After an error that may pass, such as
// too many open files, it waits as net/http does.
func (f *Listener) accept() {
	defer close(f.ended)
	const first, most = 5 * time.Millisecond, time.Second
	wait := first
	for {
		c, err := f.Listener.Accept()
		if err == nil {
			wait = first
			f.begin(c)
			continue
		}
		//lint:ignore SA1019 there is no other way to tell such an error, and net/http does the same.
		if t, ok := err.(net.Error); !ok || !t.Temporary() || f.closing.Load() {
			f.err = err
			return
		}
		time.Sleep(wait)
		wait = min(2*wait, most)
	}
}

// begin serves a connection.
func (f *Listener) begin(nc net.Conn) {
	c := newConn(f, nc)
	if c == nil {
		go f.hand(nc)
		return
	}
	f.mu.Lock()
	f.conns[c] = struct{}{}
	f.mu.Unlock()
	f.serving.Add(1)
	go c.serve()
}

// forget is called when a connection has ended, or is net/http's.
func (f *Listener) forget(c *conn) {
	defer f.serving.Done()
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.conns, c)
}

// hand gives a connection to net/http, or ends it if that takes no more.
func (f *Listener) hand(c net.Conn) {
	select {
	case f.handed <- c:
	case <-f.ended:
		c.Close()
	}
}

// Accept returns the next connection for net/http.
func (f *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-f.handed:
		return c, nil
	case <-f.ended:
		return nil, f.err
	}
}

// Close stops accepting.
func (f *Listener) Close() error {
	f.closing.Store(true)
	return f.Listener.Close()
}

// Shutdown ends the connections that wait, and returns when the others have
// answered the request they are at, or with ctx's error. Nothing is accepted after
// Close, which comes first.
func (f *Listener) Shutdown(ctx context.Context) error {
	f.closing.Store(true)
	f.each(func(c *conn) { c.wake() })
	done := make(chan struct{})
	go func() {
		f.serving.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		f.each(func(c *conn) { c.Close() })
		return ctx.Err()
	}
}

func (f *Listener) each(do func(*conn)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for c := range f.conns {
		do(c)
	}
}

// Direct returns a writer that writes as c does, deadline included, but does not tell
// the scheduler where that can be done. Only one goroutine may write.
func Direct(c net.Conn) io.Writer { return direct(c) }
