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
//
// Every connection, also one that net/http serves, keeps a pace: one whose client takes
// less than [LeastRate] is cut. [Clock] sees to it that nobody is cut for the time that the
// process itself was stopped.
//
// On Linux answers are written by one system call for header and body, past Go's
// scheduler (send_linux.go). Elsewhere the connection's own methods are used.
package front

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// A Handler answers plain requests. Its methods are called concurrently.
type Handler interface {
	// Project returns the label of the project that a Host names, in the form that
	// ServeProject takes, and whether requests with that Host are to be answered by
	// ServeProject. All others are net/http's.
	Project(host string) (label string, ok bool)
	// ServeProject answers a request for which Project returned label. The body has come
	// whole. It must not keep the answer, the request or its header beyond its return. A
	// panic ends the connection and nothing else.
	ServeProject(a *Answer, r *http.Request, label string)
}

// Config is what a Listener is made from. Only Handler is needed.
type Config struct {
	Handler Handler
	Slots   Slots         // bounds the connections; nil: no limit
	Clock   *Clock        // tells for how long the process was stopped; nil: it never was
	First   time.Duration // how long a new connection may send nothing; 0: as long as Idle
	Idle    time.Duration // how long a connection may wait for its next request; 0: two minutes

	rest time.Duration // 0: restAfter; a test sets it so that every connection goes on in a new goroutine
}

// A Listener accepts connections, paced as those of Pace, and answers their plain
// requests. It is itself a net.Listener, for an http.Server: Accept returns the
// connections whose next request is not plain, with what was read of it. Its methods
// may be called concurrently.
type Listener struct {
	net.Listener
	paced   pacedListener
	handler Handler
	first   time.Duration
	idle    time.Duration
	rest    time.Duration

	dates     dates
	exchanges sync.Pool // of *exchange

	handed chan net.Conn // without room, so that no connection is left in it when nobody calls Accept any more
	ended  chan struct{} // closed when nothing is accepted any more
	err    error         // why nothing is; set before ended is closed

	closing atomic.Bool
	mu      sync.Mutex
	conns   map[*conn]struct{}
	serving sync.WaitGroup
}

// NewListener begins to accept connections from l, which belongs to the Listener from
// then on. A connection that does not give access to its descriptor (syscall.Conn) is
// net/http's from the start. The Listener must be closed, and somebody must call Accept
// until it fails: a connection that is handed over waits for that.
func NewListener(l net.Listener, c Config) *Listener {
	f := &Listener{
		Listener: l, paced: pacedListener{l, c.Slots, c.Clock}, handler: c.Handler, first: c.First, idle: c.Idle, rest: cmp.Or(c.rest, restAfter),
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

// accept accepts connections and gives each a goroutine, until the listener fails for good. After an
// error that may pass, such as too many open files, it waits and goes on, as net/http does.
func (f *Listener) accept() {
	defer close(f.ended)
	const first, most = 5 * time.Millisecond, time.Second
	wait := first
	for {
		c, err := f.paced.accept()
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

// begin serves a connection in a goroutine of its own, or hands it to net/http if it cannot
// be served here.
func (f *Listener) begin(s *socket) {
	c := newConn(f, s)
	if c == nil {
		go f.hand(s)
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

// hand gives a connection to the caller of Accept, or closes it if there will be none.
func (f *Listener) hand(c net.Conn) {
	select {
	case f.handed <- c:
	case <-f.ended:
		c.Close()
	}
}

// Accept waits for the next connection whose request is not plain. Reading from it yields
// that request from its first byte. After Close it returns an error.
func (f *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-f.handed:
		return c, nil
	case <-f.ended:
		return nil, f.err
	}
}

// Close stops accepting. Connections that are being served go on, each until the answer to
// its request is sent: see Shutdown.
func (f *Listener) Close() error {
	f.closing.Store(true)
	return f.Listener.Close()
}

// Shutdown ends the connections that wait for a request, and returns nil when the others
// have sent the answer that they are at. If ctx ends before, it closes them all and returns
// ctx's error. Close must have been called. Connections that were handed over are not its
// business.
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

// each calls do for every connection that is served here.
func (f *Listener) each(do func(*conn)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for c := range f.conns {
		do(c)
	}
}
