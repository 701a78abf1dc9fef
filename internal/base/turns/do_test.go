package turns

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestAFailureIsOfAllWhoWaitForIt: and not of later callers, nor is the failure of a caller that has left.
func TestAFailureIsOfAllWhoWaitForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, broken := NewLocks[string](), errors.New("broken")
		var tries atomic.Int32
		try := func() error {
			tries.Add(1)
			testenv.Pass(5 * time.Second)
			return broken
		}
		begun := time.Now()
		errs := make(chan error)
		for range 50 {
			go func() { errs <- l.Do(t.Context(), "a", nil, try) }()
		}
		for range 50 {
			expect.Is(t, "a failure", <-errs, broken)
		}
		expect.Equal(t, "tries", tries.Load(), int32(1))
		expect.Equal(t, "how long all took", time.Since(begun), 5*time.Second)
		expect.OK(t, l.Do(t.Context(), "a", nil, func() error { return nil }))

		// Who goes away fails for nobody else.
		ctx, leave := context.WithCancel(t.Context())
		go func() {
			errs <- l.Do(ctx, "a", nil, func() error { <-ctx.Done(); return ctx.Err() })
		}()
		synctest.Wait()
		done := 0
		go func() { errs <- l.Do(t.Context(), "a", nil, func() error { done++; return nil }) }()
		go func() { errs <- l.Do(t.Context(), "a", nil, func() error { done++; return nil }) }()
		synctest.Wait()
		leave()
		failed := 0
		for range 3 {
			if err := <-errs; err != nil {
				expect.Is(t, "a failure", err, context.Canceled)
				failed++
			}
		}
		expect.Equal(t, "failures where one left", failed, 1)
		expect.Equal(t, "work done where one left", done, 2)
		expect.Equal(t, "keys that are kept", len(l.held), 0)
	})
}
