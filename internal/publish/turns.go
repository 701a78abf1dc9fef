package publish

import (
	"context"
	"io"
	"runtime"
)

// turnAfter is how much content may become without a turn, in bytes. Nearly all
// games are smaller, and take a few milliseconds.
const turnAfter = 1 << 20

// turns are for those who unpack content, of which little on the wire becomes much
// work: one fewer than there are processors, and at least one. So one is free for
// everybody else, however many unpack at once. Where all processors are busy Go looks
// for news of its connections only every 10 ms: with four publishes of 100 MB that
// had been packed to 130 KB at a time, visitors of a machine with two processors waited
// 40 to 44 ms at the 99th percentile without turns, and 9 to 13 ms with them.
//
// They may be used concurrently.
type turns chan struct{}

func newTurns() turns { return make(turns, max(1, runtime.GOMAXPROCS(0)-1)) }

// of returns a reader of r that takes a turn for each read, once it is past turnAfter,
// and fails when ctx ends first. What r waits for all others with it wait for, so it
// must not be a client.
func (t turns) of(ctx context.Context, r io.Reader) io.Reader {
	return &turnReader{ctx: ctx, turns: t, r: r, free: turnAfter}
}

type turnReader struct {
	ctx   context.Context
	turns turns
	r     io.Reader
	free  int // bytes that need no turn yet
}

// Read implements io.Reader.
func (t *turnReader) Read(p []byte) (n int, err error) {
	if t.free > 0 {
		n, err = t.r.Read(p)
		t.free -= n
		return n, err
	}
	select {
	case t.turns <- struct{}{}:
	case <-t.ctx.Done():
		return 0, context.Cause(t.ctx)
	}
	defer func() { <-t.turns }()
	return t.r.Read(p)
}
