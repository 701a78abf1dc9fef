package gallery

import (
	"context"
	"sync"
	"time"
)

// cached keeps one value that many ask for and that is costly to find. One caller
// at a time finds it anew; the others get the old one meanwhile, or wait for the
// first.
type cached[T any] struct {
	keep time.Duration
	turn chan struct{} // full while somebody finds the value

	mu    sync.Mutex
	value T
	at    time.Time // when it was found; zero before
}

func newCached[T any](keep time.Duration) *cached[T] {
	return &cached[T]{keep: keep, turn: make(chan struct{}, 1)}
}

// get returns the value, through find if it is too old at the time given.
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

type age int

const (
	missing age = iota
	stale
	fresh
)

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

func (s *cached[T]) put(v T, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.value, s.at = v, now
}
