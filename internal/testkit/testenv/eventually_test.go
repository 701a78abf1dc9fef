package testenv

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestEventuallyEndsATestThatWaitsInVain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := outcome(t, t.Name(), func(tb testing.TB) {
			Eventually(tb, time.Minute, "the snow to fall", func() bool { return false })
		})
		if want := "failed: waited 1m0s in vain: the snow to fall"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
