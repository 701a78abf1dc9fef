package publish

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// named is a store in which each renewal names a lease anew, and takes the name that was last given alone.
type named struct {
	Store
	last, wrong int64
}

func (s *named) LeaseUpload(_ context.Context, _ sandlot.Digest, _, lease int64, _ time.Duration) (int64, error) {
	if lease != s.last {
		s.wrong++
	}
	s.last++
	return s.last, nil
}

// TestRegressionM21ALeaseIsRenewedAndEndedUnderItsNewName: under an older one the store knows nobody.
func TestRegressionM21ALeaseIsRenewedAndEndedUnderItsNewName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &named{}
		up := &uploads{store: store, log: slog.New(slog.DiscardHandler)}
		err := up.complete(t.Context(), t.Context(), &completing{call: &partCall{}}, func(context.Context, *completing) error {
			testenv.Pass(4*leaseRenew + time.Second)
			return sandlot.ErrUnavailable
		})
		expect.Is(t, "what the upload was used for", err, sandlot.ErrUnavailable)
		expect.Equal(t, "leases", store.last, 6)
		expect.Equal(t, "of another name", store.wrong, 0)
	})
}
