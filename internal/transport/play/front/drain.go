package front

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// A Listener stops in steps that break no request: Drain, Quiet, Shutdown, Close.

// stopping is how far a Listener is on its way to its end.
type stopping struct {
	draining atomic.Bool // every answer is the last of its connection
	closing  atomic.Bool // no connection waits for a request any more
	gate     sync.Mutex  // held to accept a connection, and while none is accepted
	pausing  sync.Mutex  // held to change paused: a Close of net/http may come at any time
	paused   bool        // pause holds the gate
}

const (
	// freshFor is the time for which a new connection counts as one whose request is on its way.
	freshFor = time.Second
	// longer is the age from which a request is not waited for while connections queue up.
	longer = 100 * time.Millisecond
	// pauseMost is the longest time for which connections queue up while shorter requests end.
	pauseMost = 500 * time.Millisecond
	// lookEvery is the interval of looks at the connections.
	lookEvery = 5 * time.Millisecond
)

// A use is the current activity of a connection. Its methods may be called concurrently. The zero value waits for a
// request.
type use struct{ since atomic.Int64 } // Unix nanoseconds of the request's beginning; negated: of a new connection's; 0: it waits

func (u *use) opened(now time.Time) { u.since.Store(-now.UnixNano()) }
func (u *use) began(now time.Time)  { u.since.Store(now.UnixNano()) }
func (u *use) ended()               { u.since.Store(0) }

// follow follows a connection that net/http serves.
func (u *use) follow(state http.ConnState) {
	switch state {
	case http.StateActive:
		u.began(time.Now())
	case http.StateIdle, http.StateHijacked, http.StateClosed:
		u.ended()
	}
}

// busyFor returns the age of the request under way, and false if there is none. A fresh connection counts as a request.
func (u *use) busyFor(now time.Time) (age time.Duration, busy bool) {
	since := u.since.Load()
	if since < 0 {
		age = time.Duration(now.UnixNano() + since)
		return age, age < freshFor
	}
	return time.Duration(now.UnixNano() - since), since > 0
}

// Drain makes each answer the last of its connection. Connections that wait for a request go on waiting: a client may be
// sending one just now.
func (f *Listener) Drain() { f.draining.Store(true) }

// Quiet stops accepting at a moment at which no connection of the listeners has a request under way, and returns nil. A
// new connection has one for a second, for it should send at once. Until then they accept connections, but for half a
// second at most while only requests that have just begun are under way. If ctx ends before, Quiet returns its error, and
// the listeners accept further connections. The clients that connect after Quiet wait in the sockets' queues. It must not
// be called concurrently with itself or Close.
func Quiet(ctx context.Context, all ...*Listener) error {
	for {
		if _, oldest := busy(all); oldest < longer && pausedUntilIdle(ctx, all) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookEvery):
		}
	}
}

// pausedUntilIdle stops accepting and waits until nothing is under way. If that takes too long, it accepts again and
// returns false.
func pausedUntilIdle(ctx context.Context, all []*Listener) bool {
	for _, f := range all {
		f.pause()
	}
	for end := time.Now().Add(pauseMost); ; time.Sleep(lookEvery) {
		if n, _ := busy(all); n == 0 {
			return true
		}
		if ctx.Err() != nil || time.Now().After(end) {
			break
		}
	}
	for _, f := range all {
		f.resume()
	}
	return false
}

// busy returns the number of connections with something under way, and the greatest age of that.
func busy(all []*Listener) (n int, oldest time.Duration) {
	for _, f := range all {
		f.mu.Lock()
		now := time.Now()
		for s := range f.open {
			if age, yes := s.use.busyFor(now); yes {
				n, oldest = n+1, max(oldest, age)
			}
		}
		f.mu.Unlock()
	}
	return n, oldest
}

// pause returns when no connection is being accepted, and none will be until resume.
func (f *Listener) pause() {
	f.pausing.Lock()
	defer f.pausing.Unlock()
	if !f.paused {
		f.interrupt(time.Unix(1, 0))
		f.gate.Lock()
		f.paused = true
	}
}

func (f *Listener) resume() {
	f.pausing.Lock()
	defer f.pausing.Unlock()
	if f.paused {
		f.interrupt(time.Time{})
		f.paused = false
		f.gate.Unlock()
	}
}

// interrupt sets the deadline of accepting. Without one a connection more is accepted.
func (f *Listener) interrupt(at time.Time) {
	if l, ok := f.Listener.(interface{ SetDeadline(time.Time) error }); ok {
		_ = l.SetDeadline(at) // fails on a closed listener, which accepts nothing
	}
}

// Shutdown stops accepting, ends the connections that wait for a request, and returns nil when the others have sent
// their current answer or were handed over. If ctx ends before, it closes them all and returns ctx's error.
func (f *Listener) Shutdown(ctx context.Context) error {
	f.pause()
	f.draining.Store(true)
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

// Close closes the listener, and ends Accept. Connections in service continue until the answer to their request is sent.
func (f *Listener) Close() error {
	f.draining.Store(true)
	f.closing.Store(true)
	err := f.Listener.Close()
	f.resume()
	return err
}

// each calls do with the connections that the front serves, outside of the lock: do may close them.
func (f *Listener) each(do func(*conn)) {
	f.mu.Lock()
	list := make([]*conn, 0, len(f.open))
	for _, c := range f.open {
		if c != nil {
			list = append(list, c)
		}
	}
	f.mu.Unlock()
	for _, c := range list {
		do(c)
	}
}
