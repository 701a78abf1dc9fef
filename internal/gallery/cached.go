package gallery

import (
	"context"
	"sync"
	"time"
)

// cached keeps one value that many ask for and that is costly to find. One caller at a time finds it anew. Meanwhile the others get the old
// value, or wait if there is none yet. It may be used concurrently.
type cached[T any] struct {
	keep time.Duration // how long a value is returned before it is found anew
	turn chan struct{} // full while somebody finds the value

	mu    sync.Mutex
	value T
	at    time.Time // when it was found; zero before
}

func newCached[T any](keep time.Duration) *cached[T] {
	return &cached[T]{keep: keep, turn: make(chan struct{}, 1)}
}

// get returns the value, and calls find for it if it is too old at the time given. If find fails the value before is kept.
func (s *cached[T]) get(ctx context.Context, now time.Time, find func() (T, error)) (T, error) {
	old, age := s.peek(now)
	if age == fresh {
		return old, nil
	}
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	default:
		if age == stale {
			return old, nil
		}
		select {
		case s.turn <- struct{}{}:
			defer func() { <-s.turn }()
		case <-ctx.Done():
			return old, ctx.Err()
		}
	}
	if v, age := s.peek(now); age == fresh {
		return v, nil
	}
	v, err := find()
	if err == nil {
		s.put(v, now)
	}
	return v, err
}

// age says what may be done with a value.
type age int

const (
	missing age = iota // there is none yet
	stale              // it is returned while somebody finds a new one
	fresh              // it is returned
)

// peek returns the value and its age.
func (s *cached[T]) peek(now time.Time) (T, age) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.at.IsZero():
		return s.value, missing
	case now.Sub(s.at).Abs() < s.keep:
		return s.value, fresh
	}
	return s.value, stale
}

// put keeps a value that was found at a time.
func (s *cached[T]) put(v T, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.value, s.at = v, now
}
