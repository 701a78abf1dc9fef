// Package turns orders calls inside one process: locks by key, and turns for heavy work.
package turns

import (
	"context"
	"io"
	"runtime"
)

// Free is how many bytes may be unpacked without a turn. Nearly all games are smaller, and take a few milliseconds.
const Free = 1 << 20

// Turns are for calls that unpack content, where few bytes on the wire become much work: one turn fewer than there are
// processors, and at least one. So one processor is free for everybody else, however many unpack at once. When all
// processors are busy, Go polls its connections only every 10 ms: with four publishes of 100 MB packed to 130 KB at a
// time, visitors of a machine with two processors waited 40 to 44 ms at the 99th percentile without turns, and 9 to 13
// ms with them.
//
// They may be used concurrently.
type Turns chan struct{}

// New returns Turns for the processors that Go uses.
func New() Turns { return make(Turns, max(1, runtime.GOMAXPROCS(0)-1)) }

// Of returns a reader of r that takes a turn for each read, once it is past Free, and fails when ctx ends first. All
// others with a turn wait for everything that r waits for, so r must not wait for a client.
func (t Turns) Of(ctx context.Context, r io.Reader) io.Reader {
	return t.Client().Work(ctx, r)
}

// A Client lets work that reads from a client use turns: it releases the turn while it waits for the client. One
// goroutine at a time reads through it.
type Client struct {
	turns   Turns
	free    int // bytes that need no turn yet
	held    bool
	working bool // in a reader that Work returned
}

// Client returns a new Client.
func (t Turns) Client() *Client { return &Client{turns: t, free: Free} }

// Work returns a reader of r that takes a turn for each read, once Free bytes have come through all such readers. A
// reader on top of another shares its turn.
func (t *Client) Work(ctx context.Context, r io.Reader) io.Reader {
	return readerFunc(func(p []byte) (int, error) {
		if t.working {
			return r.Read(p)
		}
		t.working = true
		defer func() { t.working = false }()
		if t.free > 0 {
			n, err := r.Read(p)
			t.free -= n
			return n, err
		}
		if err := t.take(ctx); err != nil {
			return 0, err
		}
		defer t.give()
		return r.Read(p)
	})
}

// Wait returns a reader of r that needs no turn, for the source below a reader that Work returned.
func (t *Client) Wait(ctx context.Context, r io.Reader) io.Reader {
	return readerFunc(func(p []byte) (int, error) {
		if !t.held {
			return r.Read(p)
		}
		t.give()
		n, err := r.Read(p)
		if taken := t.take(ctx); taken != nil {
			return 0, taken
		}
		return n, err
	})
}

func (t *Client) take(ctx context.Context) error {
	select {
	case t.turns <- struct{}{}:
		t.held = true
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// give releases the turn if it is held.
func (t *Client) give() {
	if t.held {
		t.held = false
		<-t.turns
	}
}

// readerFunc is an io.Reader.
type readerFunc func(p []byte) (int, error)

// Read implements io.Reader.
func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
