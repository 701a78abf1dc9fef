package turns

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"

	"sandlot/internal/testkit/expect"
)

func TestLocks(t *testing.T) {
	t.Run("one holder at a time has a key", func(t *testing.T) {
		l, n := NewLocks[string](), 0
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				unlock, err := l.Lock(context.Background(), "a")
				if err != nil {
					t.Error(err)
					return
				}
				n++ // the race detector reports two goroutines here
				unlock()
			})
		}
		all.Wait()
		if n != 50 || len(l.held) != 0 {
			t.Errorf("%d had the key, %d keys are kept", n, len(l.held))
		}
	})
	t.Run("a waiter goes when its context ends, and leaves nothing", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := NewLocks[string]()
			unlock, err := l.Lock(t.Context(), "a")
			expect.OK(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			failed := make(chan error, 1)
			go func() {
				_, err := l.Lock(ctx, "a")
				failed <- err
			}()
			synctest.Wait()
			cancel()
			expect.Is(t, "the waiter", <-failed, context.Canceled)
			expect.Equal(t, "users", l.held["a"].users, 1)
			unlock()
			expect.Equal(t, "keys are kept", len(l.held), 0)
		})
	})
}
