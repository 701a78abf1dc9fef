package publish

import (
	"context"
	"log/slog"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// leases counts the calls of LeaseUpload that take or renew a lease, and those that end one.
type leases struct {
	Store
	taken, ended int
}

func (s *leases) LeaseUpload(ctx context.Context, _ sandlot.Digest, _, _ int64, length time.Duration) (int64, error) {
	if length == 0 {
		s.ended++
	} else if s.taken++; s.taken > 100 {
		runtime.Goexit() // else the test would never end
	}
	return 1, ctx.Err()
}

// TestRegressionM07APanicLeavesNobodyWhoRenewsALease has an upload panic while its parts are put together.
func TestRegressionM07APanicLeavesNobodyWhoRenewsALease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &leases{}
		up := &uploads{store: store, log: slog.New(slog.DiscardHandler)}
		func() {
			defer func() { expect.Equal(t, "panic", recover(), any("broken")) }()
			_ = up.complete(t.Context(), t.Context(), &completing{call: &partCall{}}, func(context.Context, *completing) error { panic("broken") })
		}()
		testenv.Pass(time.Hour)
		expect.Equal(t, "leases taken or renewed", store.taken, 1)
		expect.Equal(t, "leases ended", store.ended, 1)
	})
}

func TestRegressionM07NobodyRenewsALeaseWhenItsTimeIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		store := &leases{}
		up := &uploads{store: store, log: slog.New(slog.DiscardHandler)}
		go up.keep(ctx, &completing{call: &partCall{}}, 1, nil)
		testenv.Pass(time.Hour)
		synctest.Wait()
		if store.taken > 30 {
			t.Errorf("renewed %d times in a minute", store.taken)
		}
	})
}
