package meter

import (
	"slices"
	"sync"
	"testing"

	"sandlot/internal/testkit/expect"
)

func TestAHistogramCountsByUpperBound(t *testing.T) {
	h := NewHistogram(1, 2)
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			for _, v := range []float64{0.5, 1, 1.5, 2, 3} {
				h.Observe(v)
			}
		})
	}
	all.Wait()
	count, sum, upTo := h.Read()
	expect.Equal(t, "count", count, 500)
	expect.Equal(t, "sum", sum, 800)
	expect.Same(t, "up to each bound", upTo, map[float64]uint64{1: 200, 2: 400})
}

func TestCountsHaveTheirLabelsAloneAndFromTheStart(t *testing.T) {
	c := NewCounts("a", "b")
	c.Add("a")
	c.Add("a")
	c.Add("from outside")
	expect.Same(t, "labels", slices.Sorted(c.Labels()), []string{"a", "b"})
	expect.Same(t, "counts", []int64{c.Get("a"), c.Get("b"), c.Get("from outside")}, []int64{2, 0, 0})
}

func TestNilMeasuresNothing(t *testing.T) {
	var h *Histogram
	var c *Counts[string]
	h.Observe(1)
	c.Add("a")
	count, _, _ := h.Read()
	if count != 0 || c.Get("a") != 0 || len(slices.Collect(c.Labels())) != 0 {
		t.Error("something was counted")
	}
}
