package main

import (
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"sandlot/internal/transport/play/front"
)

// A body must move, or its connection is cut: otherwise a stalled client holds a connection, a goroutine and perhaps a
// temporary file for ever. The same holds for every client, even without any other limits. The pace of readers is
// front's.
const (
	// bodyWait is the time in which a body must reach front.LeastRate on average, and the time for its first bytes.
	bodyWait = 10 * time.Second
	// deadlineSlack is the time by which a deadline may be late, so that it is not set anew with every packet.
	deadlineSlack = time.Second
)

// A pacedBody is a request's body that counts its bytes and fails with os.ErrDeadlineExceeded when they come too
// slowly. Only the time spent waiting for the client counts, not the service's work between two reads.
type pacedBody struct {
	io.ReadCloser
	clock    *front.Clock
	set      func(time.Time) error // sets the deadline of the connection
	n        int64                 // bytes read
	moved    int64                 // bytes of the present window
	waited   time.Duration         // time of the present window
	mu       sync.Mutex            // held to set a deadline: another goroutine may end the body
	deadline time.Time             // the deadline that is set
	taken    bool                  // the handler has set a deadline of its own, or the body has come whole
	refused  error                 // the next read returns it; nil: the body goes on
	cutShort atomic.Bool           // refuse has ended the body
	answered func() bool           // whether the answer has begun; nil: no
	cut      error                 // the error that ended the body early, before the answer; nil: none
}

// newPacedBody returns a body with a first deadline, for net/http may read a body that no handler reads.
func newPacedBody(w http.ResponseWriter, r *http.Request, clock *front.Clock) *pacedBody {
	b := &pacedBody{ReadCloser: r.Body, clock: clock, set: http.NewResponseController(w).SetReadDeadline}
	if r.Body == http.NoBody {
		b.taken = true
	} else {
		b.expect(time.Now())
	}
	return b
}

// expect ensures that the client has the rest of its window from now on.
func (b *pacedBody) expect(now time.Time) {
	due := now.Add(bodyWait - b.waited)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.taken || b.refused != nil || !b.deadline.Before(due) {
		return
	}
	b.deadline = due.Add(deadlineSlack)
	_ = b.set(b.deadline) // a connection without deadlines has its own end
}

// Read continues while the client keeps to the least rate.
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
	} else if err != nil {
		if refusal := b.refusal(); refusal != nil {
			return n, refusal
		}
	}
	b.fail(err)
	return n, err
}

// refuse ends a body that has not come whole: the read that waits, or else the next one, returns err. The rest can still
// be discarded afterwards. It may be called while the body is read. It returns false if the body is whole, or read by a
// limit of its own.
func (b *pacedBody) refuse(err error) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.taken {
		return false
	}
	b.refused = err
	b.cutShort.Store(true)
	_ = b.set(time.Unix(1, 0)) // a connection without deadlines has its own end
	return true
}

// refusal returns the error of refuse, which ends the body once; nil: there is none.
func (b *pacedBody) refusal() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	err := b.refused
	if err != nil {
		b.refused, b.taken = nil, true
	}
	return err
}

// fail records that the body ended early. It ignores a wrongly framed body, which came as the client sent it, and the
// end of a body that is discarded after a refusal.
func (b *pacedBody) fail(err error) {
	var network net.Error
	switch {
	case err == nil || err == io.EOF || b.cut != nil || b.answered != nil && b.answered():
	case errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &network), errors.Is(err, net.ErrClosed):
		b.cut = err
	}
}

// ended removes the deadline: from now on net/http checks whether the client is still connected, and a deadline would
// look like its end.
func (b *pacedBody) ended() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.taken {
		b.taken = true
		_ = b.set(time.Time{})
	}
}

// SetReadDeadline is for a handler that chooses its own limit for reading. It may be called while the body is read.
func (b *pacedBody) SetReadDeadline(t time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.taken = true
	return b.set(t)
}
