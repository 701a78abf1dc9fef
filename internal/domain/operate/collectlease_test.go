package operate_test

import (
	"context"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// meanwhile is a store in whose sweeps something else happens.
type meanwhile struct {
	operate.SweepStore
	sweeps int
	do     func()
}

func (m *meanwhile) Sweep(ctx context.Context, now, before time.Time, limit int) ([]sandlot.BlobRef, bool, error) {
	m.sweeps++
	if m.do != nil {
		m.do()
	}
	return m.SweepStore.Sweep(ctx, now, before, limit)
}

func collectorOf(w *testworld.World) (*operate.Collector, *meanwhile) {
	records := &meanwhile{SweepStore: w.DB.Upkeep()}
	return &operate.Collector{Records: records, Blobs: w.Disk, Leases: w.DB.Upkeep(), Log: w.Log, Now: w.Now}, records
}

func TestOneNodeCollectsAtATime(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	here, records := collectorOf(w)
	there, others := collectorOf(w.Node(t))
	collect := func(c *operate.Collector) {
		_, err := c.Collect(t.Context())
		expect.OK(t, err)
	}
	records.do = func() {
		_, err := there.Collect(t.Context())
		expect.Is(t, "a round of another node meanwhile", err, sandlot.ErrLeased)
	}
	collect(here)
	expect.Equal(t, "sweeps of another node meanwhile", others.sweeps, 0)
	collect(there)
	expect.Equal(t, "sweeps of another node afterwards", others.sweeps, 1)
	records.do = func() {
		w.Clock.Move(operate.WorkLeaseMax) // as if this node were gone
		collect(there)
	}
	collect(here)
	expect.Equal(t, "sweeps of another node once the lease has lapsed", others.sweeps, 2)
}
