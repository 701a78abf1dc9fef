package publish

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
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
				n++ // the race detector tells if two are here
				unlock()
			})
		}
		all.Wait()
		if n != 50 || len(l.held) != 0 {
			t.Errorf("%d had the key, %d keys are kept", n, len(l.held))
		}
	})
	t.Run("another key is not waited for", func(t *testing.T) {
		l := NewLocks[string]()
		unlockA, err := l.Lock(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		unlockB, err := l.Lock(t.Context(), "b")
		if err != nil {
			t.Fatal(err)
		}
		unlockA()
		unlockB()
		if len(l.held) != 0 {
			t.Errorf("%d keys are kept", len(l.held))
		}
	})
	t.Run("a waiter goes when its context ends, and leaves nothing", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := NewLocks[string]()
			unlock, err := l.Lock(t.Context(), "a")
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			failed := make(chan error, 1)
			go func() {
				_, err := l.Lock(ctx, "a")
				failed <- err
			}()
			synctest.Wait()
			cancel()
			if err := <-failed; !errors.Is(err, context.Canceled) {
				t.Errorf("the waiter got %v", err)
			}
			if l.held["a"].users != 1 {
				t.Errorf("%d users, want the holder alone", l.held["a"].users)
			}
			unlock()
			if len(l.held) != 0 {
				t.Errorf("%d keys are kept", len(l.held))
			}
		})
	})
	t.Run("a key given back goes to one that waits", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := NewLocks[string]()
			unlock, err := l.Lock(t.Context(), "a")
			if err != nil {
				t.Fatal(err)
			}
			got := make(chan func(), 1)
			go func() {
				if next, err := l.Lock(t.Context(), "a"); err == nil {
					got <- next
				}
			}()
			synctest.Wait()
			if len(got) != 0 {
				t.Error("two have the key")
			}
			unlock()
			(<-got)()
			if len(l.held) != 0 {
				t.Errorf("%d keys are kept", len(l.held))
			}
		})
	})
}
