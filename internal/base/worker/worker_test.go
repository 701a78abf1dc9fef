package worker

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"sandlot/internal/testkit/expect"
)

func TestEveryCallsAtOnceAndAfterEachPauseUntilItsContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 150*time.Second)
		defer cancel()
		begun := time.Now()
		var called []time.Duration
		Every(ctx, time.Minute, func() { called = append(called, time.Since(begun)) })
		expect.Same(t, "called after", called, []time.Duration{0, time.Minute, 2 * time.Minute})
		expect.Equal(t, "it returned after", time.Since(begun), 150*time.Second)
	})
}

func TestWaitTellsWhetherTheContextLived(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		begun := time.Now()
		if !Wait(ctx, time.Minute) || time.Since(begun) != time.Minute {
			t.Errorf("it waited %v of a minute", time.Since(begun))
		}
		time.AfterFunc(time.Second, cancel)
		if Wait(ctx, time.Minute) || time.Since(begun) != time.Minute+time.Second {
			t.Error("it did not end with the context")
		}
		if Wait(ctx, 0) {
			t.Error("it says that an ended context lives")
		}
	})
}

func TestFlushUntilIsWithinFiveSecondsAndOnceMoreInTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		begun := time.Now()
		var called []time.Duration
		FlushUntil(ctx, "it", func(context.Context) error { called = append(called, time.Since(begun)); return nil }, slog.New(slog.DiscardHandler))
		expect.Same(t, "called after", called, []time.Duration{2 * time.Second, 4 * time.Second, 5 * time.Second})
	})
}
