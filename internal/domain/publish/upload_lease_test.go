package publish

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// deadNodes is a store in which a node that died just now had leased every upload.
type deadNodes struct {
	Store
	until time.Time
}

func (s deadNodes) LeaseUpload(_ context.Context, _ sandlot.Digest, _, _ int64, _ time.Duration) (int64, error) {
	testenv.Pass(10 * time.Millisecond) // as a database takes
	if time.Now().Before(s.until) {
		return 0, sandlot.ErrLeased
	}
	return 1, nil
}

// TestAPartIsSentAgainAfterItsNodeDied: however soon it comes, it waits some seconds, and is not told to come again.
func TestAPartIsSentAgainAfterItsNodeDied(t *testing.T) {
	for after := time.Duration(0); after < 2*leaseLook; after += leaseLook / 10 {
		synctest.Test(t, func(t *testing.T) {
			died := time.Now()
			up := &uploads{store: deadNodes{until: died.Add(UploadLeaseMax)}}
			testenv.Pass(after)
			wait, cancel := context.WithTimeout(t.Context(), waitForUpload)
			defer cancel()
			_, err := up.lease(t.Context(), wait, &completing{call: &partCall{}})
			expect.OK(t, err)
			if took := time.Since(died); took > 10*time.Second {
				t.Errorf("the upload was free %s after its node had died", took)
			}
		})
	}
}
