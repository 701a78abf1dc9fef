// Package front answers the plain requests of a connection itself, and hands the connection to net/http as soon as
// another request comes.
//
// Nearly all requests to published files are alike: GET, a short header, no body, an answer from memory. The front reads
// each request first. If it is plain, and for the host of a project, the handler answers it through a small
// http.ResponseWriter; otherwise net/http gets the connection with every byte that was read, and keeps it. "Plain" is
// strict, so that only one place judges hostile input. A connection that waits for its next request holds no buffer.
//
// Every connection, also under net/http, keeps a pace: it is cut if its client takes less than [LeastRate], not
// counting time for which the process was stopped ([Clock]). On Linux answers are written by one system call, past Go's
// scheduler (system_linux.go); elsewhere net/http serves every connection.
package front

import (
	"cmp"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// A Handler answers plain requests. Its methods are called concurrently.
type Handler interface {
	// Project returns the label of the project that a Host names, and whether ServeProject answers requests with that
	// Host. All others are net/http's.
	Project(host string) (label string, ok bool)
	// ServeProject answers a request for which Project returned label. The body has come whole. It must not keep the
	// answer, the request or its header beyond its return. A panic ends the connection and nothing else.
	ServeProject(a *Answer, r *http.Request, label string)
}

// A Config holds the parts and settings of a Listener. Only Handler is needed.
type Config struct {
	Handler Handler
	Slots   Slots         // limits the connections; nil: no limit
	Clock   *Clock        // measures how long the process was stopped; nil: it never was
	First   time.Duration // the longest silence of a new connection; 0: as long as Idle
	Idle    time.Duration // the longest wait of a connection for its next request; 0: two minutes
	TLS     *tls.Config   // ends TLS; nil: connections are plain. Those of HTTP/2 are handed over as *tls.Conn

	rest time.Duration // 0: restAfter; a test sets it so that every connection goes on in a new goroutine
}

// A Listener accepts connections, paced as those of Pace, and answers their plain requests. Its Accept, for an
// http.Server, returns the connections whose next request is not plain, with the bytes read from it. Its methods may be
// called concurrently.
type Listener struct {
	net.Listener
	paced   pacedListener
	handler Handler
	tls     *tls.Config
	first   time.Duration
	idle    time.Duration
	rest    time.Duration

	dates     dates
	exchanges sync.Pool // of *exchange

	handed chan net.Conn // unbuffered, so that no connection is left in it after the last Accept
	ended  chan struct{} // closed when no more connections are accepted
	err    error         // the reason; set before ended is closed

	stopping
	mu      sync.Mutex
	open    map[*socket]*conn // all connections; nil: net/http has it
	serving sync.WaitGroup
}

// NewListener begins to accept connections from l, which belongs to the Listener from then on. The caller must close the
// Listener, and call Accept until it fails: a connection that is handed over waits for that.
func NewListener(l net.Listener, c Config) *Listener {
	f := &Listener{
		Listener: l, paced: pacedListener{l, c.Slots, c.Clock}, handler: c.Handler, tls: c.TLS, idle: cmp.Or(c.Idle, 2*time.Minute),
		rest: cmp.Or(c.rest, restAfter), handed: make(chan net.Conn), ended: make(chan struct{}), open: map[*socket]*conn{},
	}
	f.exchanges.New = func() any { return newExchange() }
	f.first = cmp.Or(c.First, f.idle)
	go f.accept()
	return f
}

// accept accepts connections and gives each a goroutine, until the listener fails for good. After an error that may
// pass, such as too many open files, it waits and goes on, as net/http does.
func (f *Listener) accept() {
	defer close(f.ended)
	const first, most = 5 * time.Millisecond, time.Second
	wait := first
	for {
		err := f.acceptOne()
		if err == nil || errors.Is(err, os.ErrDeadlineExceeded) && !f.closing.Load() {
			wait = first
			continue
		}
		//lint:ignore SA1019 there is no other way to recognize such an error, and net/http does the same.
		if t, ok := err.(net.Error); !ok || !t.Temporary() || f.closing.Load() {
			f.err = err
			return
		}
		time.Sleep(wait)
		wait = min(2*wait, most)
	}
}

// acceptOne accepts a connection while the gate is open.
func (f *Listener) acceptOne() error {
	f.gate.Lock()
	defer f.gate.Unlock()
	c, err := f.paced.accept()
	if err == nil {
		f.begin(c)
	}
	return err
}

// begin serves a connection in its own goroutine, or hands it to net/http if the front cannot serve it.
func (f *Listener) begin(s *socket) {
	s.gone = f.forget
	s.use.opened(time.Now())
	c := newConn(f, s)
	f.mu.Lock()
	f.open[s] = c
	f.mu.Unlock()
	if c == nil {
		go f.hand(s)
		return
	}
	f.serving.Add(1)
	go c.serve()
}

// left marks a connection that the front serves no longer.
func (f *Listener) left(c *conn) {
	defer f.serving.Done()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open[c.socket] != nil {
		f.open[c.socket] = nil
	}
}

func (f *Listener) forget(s *socket) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.open, s)
}

// hand passes a connection to the caller of Accept, or closes it.
func (f *Listener) hand(c net.Conn) {
	select {
	case f.handed <- c:
	case <-f.ended:
		c.Close()
	}
}

// Accept waits for the next connection whose request is not plain. Reads of it begin with that request.
func (f *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-f.handed:
		return c, nil
	case <-f.ended:
		return nil, f.err
	}
}
