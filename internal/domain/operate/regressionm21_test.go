package operate_test

import (
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// TestRegressionM21StraysAreLookedForUnderTheLease: a round of another node is noticed.
func TestRegressionM21StraysAreLookedForUnderTheLease(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	here, records := collectorOf(w)
	there, _ := collectorOf(w.Node(t))
	looks := 0
	records.do = func() {
		looks++
		_, err := there.Strays(t.Context(), w.Now())
		expect.Is(t, "strays beside a round of another node", err, sandlot.ErrLeased)
	}
	_, err := here.Collect(t.Context())
	expect.OK(t, err)
	expect.Equal(t, "looks", looks, 1)
}
