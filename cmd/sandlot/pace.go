package main

import (
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"sandlot/internal/transport/play/front"
)

// A body must move, or its connection is cut: without that a client that stalls holds
// a connection, a goroutine and perhaps a temporary file for ever. The same holds for
// every client, also for those that have no other limits. Readers are front's.
const (
	// bodyWait is the time in which a body must bring front.LeastRate on average. It is also what a client has for its first bytes.
	bodyWait = 10 * time.Second
	// deadlineSlack is how much later than asked a deadline may be, so that it is not set anew with every packet.
	deadlineSlack = time.Second
)

// pacedBody is a request's body that counts its bytes and fails with
// os.ErrDeadlineExceeded when they come too slowly. Only the time spent waiting
// for the client counts, not what the service does between two reads.
type pacedBody struct {
	io.ReadCloser
	clock    *front.Clock
	set      func(time.Time) error // sets the deadline of the connection
	n        int64                 // bytes read
	moved    int64                 // bytes of the present window
	waited   time.Duration         // time of the present window
	mu       sync.Mutex            // held to set a deadline: what ends a body may come from elsewhere
	deadline time.Time             // the one that is set
	taken    bool                  // the handler has set a deadline of its own
	answered func() bool           // whether the answer has begun; nil: not
	cut      error                 // what ended the body before its end and before the answer; nil: nothing
}

// newPacedBody begins with a deadline, for net/http may read a body that no
// handler asks for.
func newPacedBody(w http.ResponseWriter, r *http.Request, clock *front.Clock) *pacedBody {
	b := &pacedBody{ReadCloser: r.Body, clock: clock, set: http.NewResponseController(w).SetReadDeadline}
	if r.Body == http.NoBody {
		b.taken = true
	} else {
		b.expect(time.Now())
	}
	return b
}

// expect makes sure that the client has the rest of its window from now on.
func (b *pacedBody) expect(now time.Time) {
	due := now.Add(bodyWait - b.waited)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.taken || !b.deadline.Before(due) {
		return
	}
	b.deadline = due.Add(deadlineSlack)
	_ = b.set(b.deadline) // a connection without deadlines has its own end
}

// Read reads on while the client keeps to the least rate.
func (b *pacedBody) Read(p []byte) (int, error) {
	begun, slept := time.Now(), b.clock.Slept()
	b.expect(begun)
	n, err := b.ReadCloser.Read(p)
	b.n += int64(n)
	b.moved += int64(n)
	b.waited += max(0, time.Since(begun)-(b.clock.Slept()-slept))
	if b.moved >= front.LeastRate*int64(bodyWait/time.Second) {
		b.moved, b.waited = 0, 0
	}
	if err == io.EOF {
		b.ended()
	}
	b.fail(err)
	return n, err
}

// fail notes that the body ended before its end, if it was that: a body that is framed
// wrongly came as the client sent it, and what is thrown away behind a refusal is
// missed by nobody.
func (b *pacedBody) fail(err error) {
	var network net.Error
	switch {
	case err == nil || err == io.EOF || b.cut != nil || b.answered != nil && b.answered():
	case errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &network), errors.Is(err, net.ErrClosed):
		b.cut = err
	}
}

// ended takes the deadline away: from now on net/http watches whether the client is
// still there, which a deadline would deny.
func (b *pacedBody) ended() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.taken {
		b.taken = true
		_ = b.set(time.Time{})
	}
}

// SetReadDeadline is for a handler that knows better how long it will read. It may be
// called while the body is read.
func (b *pacedBody) SetReadDeadline(t time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.taken = true
	return b.set(t)
}
