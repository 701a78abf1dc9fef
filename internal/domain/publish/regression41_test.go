package publish_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// sendFirstParts sends the first parts of upload u, and returns how long each took. It checks what each answer says.
func (w *world) sendFirstParts(by sandlot.Caller, parts int) (took []time.Duration) {
	w.t.Helper()
	for n := 1; n <= parts; n++ {
		began := time.Now()
		pending := w.waits(by, part{id: "u", n: n, text: fmt.Sprintf("<p>%d", n)})
		took = append(took, time.Since(began))
		text, err := json.Marshal(pending)
		expect.OK(w.t, err)
		if pending.ReceivedCount != n || pending.MissingCount != 0 || len(pending.Received) != min(n, 100) || len(pending.Missing) != 0 || len(text) > 2000 {
			w.t.Fatalf("after part %d: %d received, %d missing, %d listed, in an answer of %d bytes", n, pending.ReceivedCount, pending.MissingCount, len(pending.Received), len(text))
		}
	}
	return took
}

func TestRegression41NoAnswerHasMoreThan100NumbersOfAKind(t *testing.T) {
	t.Parallel()
	const parts = 150
	w := newWorld(t)
	by := w.account()
	w.sendFirstParts(by, parts)
	pending := w.waits(by, part{id: "u", total: publish.MaxParts})
	if len(pending.Received) != 100 || len(pending.Missing) != 100 || pending.Missing[0] != parts+1 || pending.ReceivedCount != parts || pending.MissingCount != publish.MaxParts-parts {
		t.Errorf("%d and %d listed, %d received, %d missing", len(pending.Received), len(pending.Missing), pending.ReceivedCount, pending.MissingCount)
	}
}

func TestSoakRegression41TheLastPartsTakeNoLongerThanTheFirst(t *testing.T) {
	const parts, sample = 2000, 200
	w := newWorld(t)
	took := w.sendFirstParts(w.account(), parts)
	// Those in the middle: one that the machine kept waiting says nothing.
	first, last := slices.Sorted(slices.Values(took[:sample])), slices.Sorted(slices.Values(took[parts-sample:]))
	if first, last := first[sample/2], last[sample/2]; last > 5*first {
		t.Errorf("one of the first %d took %v, of the last %v", sample, first, last)
	}
}
