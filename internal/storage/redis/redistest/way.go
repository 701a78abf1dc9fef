package redistest

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Way is a way to a server on which what is sent takes a while. It ends with the test.
type Way struct {
	listener net.Listener
	to       string
	delay    atomic.Int64
	ended    chan struct{}
	running  sync.WaitGroup
	mu       sync.Mutex
	open     map[net.Conn]bool
}

// NewWay makes a way to an address, on which nothing takes longer yet.
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

// URL is where the way begins.
func (w *Way) URL() string { return "redis://" + w.listener.Addr().String() }

// Delay sets how long what the server sends from now on takes.
func (w *Way) Delay(d time.Duration) { w.delay.Store(int64(d)) }

// Cut ends the connections that are open.
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

// pass sends on what comes, and ends both when one ends.
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

// Liar is a server that answers every question with the same bytes. It ends with the test.
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

// lie answers until whoever asks goes away.
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
