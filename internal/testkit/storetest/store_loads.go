package storetest

import (
	"sync"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
)

// load adds the loads of one project in a batch of their own, and returns those that were counted before.
func (s Stores) load(t *testing.T, id sandlot.ProjectID, batch int64, loads ...gallery.Load) []gallery.Load {
	t.Helper()
	return must(s.Gallery.AddCounts(t.Context(), map[sandlot.ProjectID]gallery.Counts{id: {Batch: batch, Loads: loads}}))(t)
}

func (s Stores) playsOf(t *testing.T, id sandlot.ProjectID) int64 {
	t.Helper()
	return must(s.Publish.Project(t.Context(), id))(t).Plays
}

// ofProcess is the first batch of a process.
func ofProcess(n int64) int64 { return n * gallery.BatchesOfProcess }

func addLoads(t *testing.T, s Stores) {
	now := today(t)
	p, other := s.mustProject(t, "pong"), s.mustProject(t, "tetra")
	same(t, "of what is new", len(s.load(t, p.ID, ofProcess(1), gallery.Load{ID: 1}, gallery.Load{ID: 1<<63 - 1})), 0)
	again := s.load(t, p.ID, ofProcess(2), gallery.Load{ID: 3}, gallery.Load{ID: 1}, gallery.Load{ID: 1<<63 - 1})
	same(t, "those that were counted", len(again), 2)
	same(t, "plays", s.playsOf(t, p.ID), int64(3))
	same(t, "plays today", must(s.Gallery.PlaysByDay(t.Context(), []sandlot.ProjectID{p.ID}, now, now))(t), map[sandlot.ProjectID][]int64{p.ID: {3}})
	s.load(t, other.ID, ofProcess(3), gallery.Load{ID: 4}, gallery.Load{ID: 4, Ago: time.Minute})
	same(t, "plays of loads of one ID that come together", s.playsOf(t, other.ID), int64(1))
}

func addLoadsAtOnce(t *testing.T, s Stores) {
	a, b := s.mustProject(t, "pong"), s.mustProject(t, "tetra")
	const nodes, visitors, batches = 4, 40, 5
	var all sync.WaitGroup
	for node := range nodes {
		all.Go(func() {
			for batch := range batches {
				counts := map[sandlot.ProjectID]gallery.Counts{a.ID: {Batch: ofProcess(int64(node+1)) + int64(batch)}, b.ID: {Batch: ofProcess(int64(node+1)) + int64(batch)}}
				for v := range visitors {
					visitor := (v*7 + node*13) % visitors // each node has another order
					id := []sandlot.ProjectID{a.ID, b.ID}[visitor%2]
					c := counts[id]
					c.Loads = append(c.Loads, gallery.Load{ID: int64(visitor), Ago: time.Duration(v) * time.Millisecond})
					counts[id] = c
				}
				if _, err := s.Gallery.AddCounts(t.Context(), counts); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	same(t, "plays", s.playsOf(t, a.ID)+s.playsOf(t, b.ID), int64(visitors))
}

func sweepLoads(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	s.load(t, p.ID, ofProcess(1), gallery.Load{ID: 1, Ago: 25 * time.Minute}, gallery.Load{ID: 2})
	sweep := func(at time.Time) {
		_, _, err := s.Upkeep.Sweep(t.Context(), at, base(), 100)
		ok(t, err)
	}
	sweep(base())
	same(t, "counted before", len(s.load(t, p.ID, ofProcess(2), gallery.Load{ID: 1}, gallery.Load{ID: 2})), 2)
	sweep(base().Add(10 * time.Minute))
	same(t, "counted before, when the older one is forgotten", len(s.load(t, p.ID, ofProcess(3), gallery.Load{ID: 1}, gallery.Load{ID: 2})), 1)
}
