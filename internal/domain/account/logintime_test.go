package account_test

import (
	"fmt"
	"testing"
	"time"
)

// TestSoakTheTimeOfALoginDoesNotTell compares pairs: whatever slows the machine slows
// both of a pair. If the two kinds take the same time each is the slower one in
// about half of the pairs; that one of them is in fewer than a sixth happens once in 10^12 runs.
func TestSoakTheTimeOfALoginDoesNotTell(t *testing.T) {
	w := newWorld(t)
	w.member("known@example.org")
	asked := 0
	measure := func(email string) time.Duration {
		asked++
		by := fmt.Sprintf("203.0.113.%d", asked) // each of a network of its own, for one asks three times a day
		start := time.Now()
		w.askFrom(by, email, "")
		return time.Since(start)
	}
	const pairs = 120
	slower := 0
	for i := range pairs {
		// In turns, for the first of two may be slower always.
		var known, unknown time.Duration
		if i%2 == 0 {
			known = measure("known@example.org")
			unknown = measure("other@example.org")
		} else {
			unknown = measure("other@example.org")
			known = measure("known@example.org")
		}
		if known > unknown {
			slower++
		}
	}
	if slower < pairs/6 || slower > pairs*5/6 {
		t.Errorf("a known address took longer in %d of %d pairs", slower, pairs)
	}
}
