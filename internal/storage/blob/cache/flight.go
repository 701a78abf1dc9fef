package cache

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"sandlot"
)

var errClosed = fmt.Errorf("%w: the cache was closed", sandlot.ErrUnavailable)

// A landing is what a flight brings: the bytes of a piece, or the checkpoints of a blob.
type landing struct {
	data   []byte
	points string
	err    error
}

// flights let one fetch what several want at once. A flight goes on while anybody waits for it, whoever began
// it, and ends when nobody does.
type flights struct {
	slots chan struct{} // one for each that is under way

	mu     sync.Mutex
	flying map[any]*flight
	closed bool
	all    sync.WaitGroup
}

type flight struct {
	key     any
	done    chan struct{}
	got     landing // set before done is closed
	waiting int
	end     context.CancelFunc
}

func newFlights(n int) *flights {
	return &flights{slots: make(chan struct{}, n), flying: map[any]*flight{}}
}

// join returns the flight for a key, which begins if there is none. Who joins waits, or leaves.
func (s *flights) join(ctx context.Context, key any, fly func(context.Context) landing) *flight {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f, ok := s.flying[key]; ok {
		f.waiting++
		return f
	}
	f := &flight{key: key, done: make(chan struct{}), waiting: 1}
	alone, end := context.WithCancel(context.WithoutCancel(ctx))
	f.end = end
	if s.closed {
		f.got = landing{err: errClosed}
		close(f.done)
		return f
	}
	s.flying[key] = f
	s.all.Go(func() {
		defer end()
		got := landing{err: context.Canceled}
		select {
		case s.slots <- struct{}{}:
			if alone.Err() == nil {
				got = fly(alone)
			}
			<-s.slots
		case <-alone.Done():
		}
		s.land(f, got)
	})
	return f
}

func (s *flights) land(f *flight, got landing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flying[f.key] == f {
		delete(s.flying, f.key)
	}
	f.got = got
	close(f.done)
}

// wait returns what a flight brings, or the error of ctx.
func (s *flights) wait(ctx context.Context, f *flight) landing {
	defer s.leave(f)
	select {
	case <-f.done:
		if errors.Is(f.got.err, context.Canceled) {
			return landing{err: errClosed} // nothing else ends a flight that somebody waits for
		}
		return f.got
	case <-ctx.Done():
		return landing{err: ctx.Err()}
	}
}

// leave ends a flight that nobody waits for any more.
func (s *flights) leave(f *flight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.waiting--; f.waiting > 0 {
		return
	}
	if s.flying[f.key] == f {
		delete(s.flying, f.key) // who comes now gets a flight of its own
	}
	f.end()
}

// busy tells whether half of the slots are taken: what nobody waits for yet is not begun then.
func (s *flights) busy() bool { return len(s.slots) > cap(s.slots)/2 }

// close ends all flights and waits until they have.
func (s *flights) close() {
	s.mu.Lock()
	s.closed = true
	for _, f := range s.flying {
		f.end()
	}
	s.mu.Unlock()
	s.all.Wait()
}
