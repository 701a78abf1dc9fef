// Package meter counts and measures the events of the rooms, for monitors of the program: the rooms know no monitor. All
// methods may be called concurrently, and on nil, where they do nothing.
package meter

import (
	"iter"
	"maps"
	"math"
	"slices"
	"sync/atomic"
	"time"
)

// A Histogram counts values by their size.
type Histogram struct {
	bounds []float64      // upper bounds, ascending
	counts []atomic.Int64 // by bound, and of the values above all
	sum    atomic.Uint64  // the bits of a float64
}

// NewHistogram returns a Histogram with these upper bounds, which must ascend.
func NewHistogram(bounds ...float64) *Histogram {
	return &Histogram{bounds: bounds, counts: make([]atomic.Int64, len(bounds)+1)}
}

// Observe counts a value.
func (h *Histogram) Observe(v float64) {
	if h == nil {
		return
	}
	i, _ := slices.BinarySearch(h.bounds, v)
	h.counts[i].Add(1)
	for {
		old := h.sum.Load()
		if h.sum.CompareAndSwap(old, math.Float64bits(math.Float64frombits(old)+v)) {
			return
		}
	}
}

// Since counts the seconds since a time.
func (h *Histogram) Since(t time.Time) { h.Observe(time.Since(t).Seconds()) }

// Read returns the number and the sum of all values, and for each bound the number of values up to it.
func (h *Histogram) Read() (count uint64, sum float64, upTo map[float64]uint64) {
	upTo = map[float64]uint64{}
	if h == nil {
		return 0, 0, upTo
	}
	for i := range h.counts {
		count += uint64(h.counts[i].Load())
		if i < len(h.bounds) {
			upTo[h.bounds[i]] = count
		}
	}
	return count, math.Float64frombits(h.sum.Load()), upTo
}

// Counts counts events by label. The labels are fixed.
type Counts[K comparable] struct{ by map[K]*atomic.Int64 }

// NewCounts returns Counts of these labels, all at 0.
func NewCounts[K comparable](labels ...K) *Counts[K] {
	c := &Counts[K]{map[K]*atomic.Int64{}}
	for _, l := range labels {
		c.by[l] = &atomic.Int64{}
	}
	return c
}

// Add counts an event. An unknown label is not counted.
func (c *Counts[K]) Add(label K) {
	if c == nil {
		return
	}
	if n := c.by[label]; n != nil {
		n.Add(1)
	}
}

// Get returns the count of a label.
func (c *Counts[K]) Get(label K) int64 {
	if c == nil || c.by[label] == nil {
		return 0
	}
	return c.by[label].Load()
}

// Labels returns all labels, in no order.
func (c *Counts[K]) Labels() iter.Seq[K] {
	if c == nil {
		return func(func(K) bool) {}
	}
	return maps.Keys(c.by)
}
