package heads

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestAgeGrowsWhileHeadsCannotBeConfirmed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &numbers{err: errors.New("no answer")}
		h := testHeads(n)
		s := &source{version: 1}
		version(t, h, s.load)
		testenv.Pass(3 * time.Second)
		if h.Confirm(t.Context()) == nil {
			t.Fatal("it was confirmed")
		}
		expect.Equal(t, "age", h.Age(), 3*time.Second)
		n.become(nil, 0, nil)
		expect.OK(t, h.Confirm(t.Context()))
		expect.Equal(t, "age after it was confirmed", h.Age(), 0)
	})
}
