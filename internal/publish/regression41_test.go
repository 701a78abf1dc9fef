package publish_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sandlot/internal/expect"
	"sandlot/internal/publish"
)

// TestRegression41PartsAreLinear sends an upload of many parts: what a call costs, and
// what it answers, does not grow with the parts that came before.
func TestRegression41PartsAreLinear(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	const parts, sample = 2000, 200
	var want strings.Builder
	var first, last []time.Duration
	largest := 0
	send := func(n int) {
		p := part{id: "u", n: n, text: fmt.Sprintf("<p>%d", n)}
		want.WriteString(p.text)
		began := time.Now()
		pending := w.waits(by, p)
		switch took := time.Since(began); {
		case n <= sample:
			first = append(first, took)
		case n > parts-sample:
			last = append(last, took)
		}
		text, err := json.Marshal(pending)
		expect.OK(t, err)
		largest = max(largest, len(text))
		if pending.ReceivedCount != n || pending.MissingCount != 0 || len(pending.Received) != min(n, 100) || len(pending.Missing) != 0 {
			t.Fatalf("after part %d: %d received, %d missing, %d listed", n, pending.ReceivedCount, pending.MissingCount, len(pending.Received))
		}
	}
	for n := 1; n <= parts; n++ {
		send(n)
	}
	t.Run("the last parts take no longer than the first", func(t *testing.T) {
		// Those in the middle: one that the machine kept waiting says nothing.
		slices.Sort(first)
		slices.Sort(last)
		if first, last := first[sample/2], last[sample/2]; last > 5*first {
			t.Errorf("one of the first %d took %v, of the last %v", sample, first, last)
		}
	})
	t.Run("no answer has more than 100 numbers of a kind", func(t *testing.T) {
		if largest > 2000 {
			t.Errorf("an answer of %d bytes", largest)
		}
		pending := w.waits(by, part{id: "u", total: publish.MaxParts})
		if len(pending.Received) != 100 || len(pending.Missing) != 100 || pending.Missing[0] != parts+1 || pending.ReceivedCount != parts || pending.MissingCount != publish.MaxParts-parts {
			t.Errorf("%d and %d listed, %d received, %d missing", len(pending.Received), len(pending.Missing), pending.ReceivedCount, pending.MissingCount)
		}
	})
	t.Run("all of them make the file", func(t *testing.T) {
		w.waits(by, part{id: "v", n: 1, text: "a"})
		w.waits(by, part{id: "v", n: 3, text: "c"})
		out := w.completes(by, part{id: "v", n: 2, total: 3, text: "b"})
		expect.Same(t, "the file", w.text(out.Project.ID, 1, "index.html"), "abc")
	})
}
