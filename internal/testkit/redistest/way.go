package redistest

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Way is a slow connection to a server. It ends with the test.
type Way struct {
	listener net.Listener
	to       string
	delay    atomic.Int64
	ended    chan struct{}
	running  sync.WaitGroup
	mu       sync.Mutex
	open     map[net.Conn]bool
}

// NewWay returns a way to an address, without a delay yet.
func NewWay(tb testing.TB, to string) *Way {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	w := &Way{listener: l, to: to, ended: make(chan struct{}), open: map[net.Conn]bool{}}
	w.running.Go(w.accept)
	tb.Cleanup(w.close)
	return w
}

// URL returns the URL of the way's beginning.
func (w *Way) URL() string { return "redis://" + w.listener.Addr().String() }

// Delay sets the delay of the server's bytes from now on.
func (w *Way) Delay(d time.Duration) { w.delay.Store(int64(d)) }

// Cut closes the open connections.
func (w *Way) Cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.open {
		c.Close()
	}
}

func (w *Way) close() {
	close(w.ended)
	w.listener.Close()
	w.Cut()
	w.running.Wait()
}

func (w *Way) accept() {
	for {
		in, err := w.listener.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", w.to)
		if err != nil {
			in.Close()
			continue
		}
		w.hold(in, out)
		w.running.Go(func() { w.pass(out, in, false) })
		w.running.Go(func() { w.pass(in, out, true) })
	}
}

func (w *Way) hold(list ...net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range list {
		w.open[c] = true
	}
}

// pass copies bytes, and closes both ends when one ends.
func (w *Way) pass(to, from net.Conn, slowly bool) {
	defer func() {
		to.Close()
		from.Close()
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.open, to)
		delete(w.open, from)
	}()
	b := make([]byte, 64<<10)
	for {
		n, err := from.Read(b)
		if slowly && n > 0 {
			select {
			case <-time.After(time.Duration(w.delay.Load())):
			case <-w.ended:
			}
		}
		if _, failed := to.Write(b[:n]); failed != nil || err != nil {
			return
		}
	}
}

// Liar starts a server that answers every command with the same bytes. It ends with the test.
func Liar(tb testing.TB, answer string) (url string) {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() { lie(c, answer) })
		}
	})
	tb.Cleanup(func() {
		l.Close()
		running.Wait()
	})
	return "redis://" + l.Addr().String()
}

// lie answers until the client disconnects.
func lie(c net.Conn, answer string) {
	defer c.Close()
	b := make([]byte, 4<<10)
	for {
		if _, err := c.Read(b); err != nil {
			return
		}
		if _, err := io.WriteString(c, answer); err != nil {
			return
		}
	}
}
