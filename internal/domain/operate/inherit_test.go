package operate

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// fakeLease is the lease of one work; 0 is one that was ended.
type fakeLease struct {
	mu    sync.Mutex
	until time.Time
	fail  error // of each call
}

func (f *fakeLease) LeaseWork(_ context.Context, _ string, held int64, length time.Duration) (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.fail != nil:
		return 99, f.fail
	case time.Now().Before(f.until) && held != f.until.UnixMicro():
		return 99, sandlot.ErrLeased
	case length == 0:
		f.until = time.Time{}
		return 0, nil
	}
	f.until = time.Now().Add(length)
	return f.until.UnixMicro(), nil
}

func (f *fakeLease) InheritWork(ctx context.Context, work string, length time.Duration) (int64, error) {
	if f.ended() && f.fail == nil {
		return 0, sandlot.ErrNotFound
	}
	return f.LeaseWork(ctx, work, 0, length)
}

func (f *fakeLease) ended() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.until.IsZero()
}

// TestACollectorGoesOnWhereAnotherNodeDied: it does not wait until its next hour for what a dead node had leased, and makes no
// round of its own after another's that came to its end.
func TestACollectorGoesOnWhereAnotherNodeDied(t *testing.T) {
	for name, dies := range map[string]bool{"died": true, "came to its end": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				leases := &fakeLease{}
				held, err := leases.LeaseWork(t.Context(), collectWork, 0, WorkLeaseMax)
				expect.OK(t, err)
				records := &fakeSweep{}
				c := collector(records, &fakeBlobs{})
				c.Leases = leases
				ctx, stop := context.WithCancel(t.Context())
				ended := make(chan struct{})
				go func() { c.Run(ctx); close(ended) }()
				testenv.Pass(WorkLeaseMax / 2)
				expect.Equal(t, "rounds meanwhile", records.sweeps.Load(), int64(0))
				rounds := int64(1)
				if !dies {
					_, err := leases.LeaseWork(t.Context(), collectWork, held, 0)
					expect.OK(t, err)
					rounds = 0
				}
				testenv.Pass(WorkLeaseMax/2 + 2*time.Minute)
				synctest.Wait()
				expect.Equal(t, "rounds once the lease had lapsed or was ended", records.sweeps.Load(), rounds)
				testenv.Pass(time.Hour)
				synctest.Wait()
				expect.Equal(t, "rounds an hour later", records.sweeps.Load(), rounds+1)
				stop()
				<-ended
				expect.Equal(t, "the lease was ended", leases.ended(), true)
			})
		})
	}
}

// TestALeaseThatCannotBeRenewedIsStillHeld: the next try renews the same one.
func TestALeaseThatCannotBeRenewedIsStillHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leases := &fakeLease{}
		c := collector(&fakeSweep{}, &fakeBlobs{})
		c.Leases = leases
		expect.OK(t, c.hold(t.Context()))
		testenv.Pass(collectRenew)
		leases.fail = errors.New("the database is away")
		expect.Is(t, "while it is away", c.hold(t.Context()), leases.fail)
		leases.fail = nil
		expect.OK(t, c.hold(t.Context()))
		c.letGo(t.Context())
		expect.Equal(t, "the lease was ended", leases.until.IsZero(), true)
	})
}
