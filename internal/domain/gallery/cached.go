package gallery

import (
	"context"
	"sync"
	"time"

	"sandlot/internal/base/turns"
)

// cached holds one value that is costly to compute and often needed. One caller at a time computes it again. Meanwhile
// the others get the old value until it is twice its permitted age, and wait after that; if the computation fails they
// get the same error. It may be used concurrently.
type cached[T any] struct {
	keep  time.Duration // how long a value is returned before it is computed again
	turns *turns.Locks[struct{}]

	mu    sync.Mutex
	value T
	at    time.Time // when it was computed; zero before the first time
}

func newCached[T any](keep time.Duration) *cached[T] {
	return &cached[T]{keep: keep, turns: turns.NewLocks[struct{}]()}
}

// get returns the value, and calls find if the value is too old at the given time. If find fails, the previous value is
// kept.
func (s *cached[T]) get(ctx context.Context, now time.Time, find func() (T, error)) (T, error) {
	v, age := s.peek(now)
	if age == fresh || age == stale && s.turns.Full(struct{}{}) {
		return v, nil
	}
	err := s.turns.Do(ctx, struct{}{}, nil, func() (err error) {
		if v, age = s.peek(now); age == fresh {
			return nil
		}
		if v, err = find(); err == nil {
			s.put(v, now)
		}
		return err
	})
	return v, err
}

// age is the state of a value: whether it may still be returned.
type age int

const (
	missing age = iota // there is none yet, or it is too old to be returned
	stale              // returned while another caller computes a new one
	fresh              // returned
)

func (s *cached[T]) peek(now time.Time) (T, age) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := now.Sub(s.at).Abs()
	switch {
	case s.at.IsZero() || old >= 2*s.keep:
		return s.value, missing
	case old < s.keep:
		return s.value, fresh
	}
	return s.value, stale
}

// put stores a value that was computed at a given time.
func (s *cached[T]) put(v T, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.value, s.at = v, now
}
