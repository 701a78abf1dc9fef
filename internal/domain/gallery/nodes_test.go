package gallery_test

import (
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// TestAVisitorOfSeveralNodesIsOnePlay: two nodes, each with counters of its own, that share a store.
func TestAVisitorOfSeveralNodesIsOnePlay(t *testing.T) {
	t.Parallel()
	for name, set := range testworld.Sets {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, set)
			type node struct {
				*gallery.Service
				*gallery.Counters
			}
			var nodes [2]node
			for i := range nodes {
				cfg := gallery.Config{Shared: true, Now: w.in.Now}
				counters := gallery.NewCounters(cfg, w.in.DB.Gallery(), w.in.Live, w.in.Log, nil)
				service, err := gallery.New(t.Context(), cfg, w.in.DB.Gallery(), w.in.Another(w.in.Config).Reader, counters)
				expect.OK(t, err)
				nodes[i] = node{service, counters}
			}
			out := w.publish(nobody())
			load := func(n int, visitor gallery.PlayerID) {
				t.Helper()
				nodes[n].Play(t.Context(), nobody(), out.Project.ID, gallery.Player{ID: visitor})
				expect.OK(t, nodes[n].Flush(t.Context()))
			}
			plays := func(what string, want int64) {
				t.Helper()
				for _, n := range nodes {
					_, stats, err := n.Service.Stats(t.Context(), nobody(), out.Addresses.URL)
					expect.OK(t, err)
					expect.Same(t, what, stats, sandlot.Stats{Plays: want})
				}
			}
			load(0, "x")
			load(1, "x")
			load(1, "x")
			load(0, "x")
			plays("of one visitor of two nodes", 1)
			load(1, "y")
			plays("of another visitor, too", 2)
			w.in.Clock.Move(20 * time.Minute)
			load(1, "x")
			load(1, "y")
			load(0, "y")
			plays("20 minutes later", 2)
			w.in.Clock.Move(10*time.Minute + time.Second)
			load(1, "x")
			load(0, "x")
			plays("half an hour after the first, which no load since has prolonged", 3)
		})
	}
}
