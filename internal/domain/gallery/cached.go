package gallery

import (
	"context"
	"sync"
	"time"

	"sandlot/internal/base/turns"
)

// cached keeps one value that many ask for and that is costly to find. One caller at a time finds it anew. Meanwhile the others get the old
// value while that is not twice as old as it may be, and wait otherwise; where it cannot be found they have the same error. It may be used
// concurrently.
type cached[T any] struct {
	keep  time.Duration // how long a value is returned before it is found anew
	turns *turns.Locks[struct{}]

	mu    sync.Mutex
	value T
	at    time.Time // when it was found; zero before
}

func newCached[T any](keep time.Duration) *cached[T] {
	return &cached[T]{keep: keep, turns: turns.NewLocks[struct{}]()}
}

// get returns the value, and calls find for it if it is too old at the time given. If find fails the value before is kept.
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

// age says what may be done with a value.
type age int

const (
	missing age = iota // there is none yet, or it is too old for anybody
	stale              // it is returned while somebody finds a new one
	fresh              // it is returned
)

// peek returns the value and its age.
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

// put keeps a value that was found at a time.
func (s *cached[T]) put(v T, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.value, s.at = v, now
}
