package night

import (
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// TestASmallNight proves that a night measures: a page that no check finds is seen all the time, the rule of three networks ends that
// at once, a verified address ends a hold, and honest makers have figures of their own.
func TestASmallNight(t *testing.T) {
	t.Parallel()
	for name, parts := range testworld.Sets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			people := usual
			people.crewVerifies = 0.4
			n := pass(t, parts, scene{
				habits: people, seed: 37, watched: 2 * time.Hour, phishing: some(phishing, 24), honest: some(honest, 10),
			})
			m := n.cleanUp()
			t.Log("\n" + n.table(m))
			few := func(way string, proved bool) figures {
				return n.crewFigures(func(r *resident) bool { return r.Way == way && (r.proves > 0) == proved })
			}
			clear, verified, picture := few("clear", false), few("clear", true), few("picture", false)
			expect.Equal(t, "fields of unverified accounts that were seen", clear.seen, 0)
			expect.Equal(t, "that all of verified ones were seen", verified.seen == verified.pages && verified.pages > 0, true)
			expect.Equal(t, "that all pictures were seen", picture.seen == picture.pages && picture.pages > 0, true)
			counted := 0
			for _, r := range n.crews() {
				if r.counted.IsZero() {
					continue
				}
				counted++
				expect.Equal(t, "the time after the report from a third network", r.afterThat, 0)
				expect.Equal(t, "that it was seen until then", r.first.Add(r.seen).Equal(r.counted), true)
			}
			expect.Equal(t, "that some were held by reports", counted > 2, true)
			f := n.makerFigures()
			expect.Equal(t, "refused makers", f.refused, 0)
			expect.Equal(t, "held without a field", f.heldUnjustly, 0)
			expect.Equal(t, "held with one", f.heldField, f.withField)
			expect.Equal(t, "the attacked new maker", f.attackedFor > 50*time.Hour, true)
			expect.Equal(t, "the attacked old maker", f.oldHeld, 0)
			expect.Same(t, "Monday", []int{m.unfound, m.honest, m.again, m.refused}, []int{0, 0, 24, 24})
		})
	}
}
