package testenv

import (
	"testing"
	"time"
)

// firstPause and longestPause lie between two questions of Eventually. The pause doubles: what takes a millisecond is seen at once, and
// what takes seconds is not asked about a thousand times.
const (
	firstPause   = time.Millisecond
	longestPause = 50 * time.Millisecond
)

// Poll asks again and again, from the caller's goroutine, until done returns true, and reports whether it did within that time. In a bubble of
// testing/synctest it goes by the bubble's clock.
func Poll(within time.Duration, done func() bool) bool {
	deadline := time.Now().Add(within)
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		late := !time.Now().Before(deadline)
		if done() {
			return true
		}
		if late { // it was asked after the time was over, too
			return false
		}
		time.Sleep(pause)
	}
}

// Eventually returns as soon as done says true, as Poll asks it. If it does not within that time, the test ends, with the reason: what was
// waited for. The time is for a machine that is busy with other things; choose it so that only a fault reaches it.
//
// What may be waited for directly, on a channel or by a call, is not for Eventually.
func Eventually(tb testing.TB, within time.Duration, reason string, done func() bool) {
	tb.Helper()
	if !Poll(within, done) {
		tb.Fatalf("waited %v in vain: %s", within, reason)
	}
}

// Pass lets time pass in a bubble of testing/synctest, where that costs none. Outside of a bubble it panics: there, a test does not wait
// for a clock that it cannot set.
func Pass(d time.Duration) {
	if time.Now().Year() > bubbleYear+1 {
		panic("testenv.Pass outside of a bubble of testing/synctest: use Eventually, or Wait with a reason")
	}
	time.Sleep(d)
}

// bubbleYear is when the clock of every bubble starts, as testing/synctest promises.
const bubbleYear = 2000

// Wait lets that time pass, because the test needs the passing of time itself, and no call reports its end: a limit that
// refills in another process, a file that must be older than another. The reason says which. Prefer a clock that the test moves, or
// testing/synctest.
func Wait(tb testing.TB, d time.Duration, reason string) {
	tb.Helper()
	if reason == "" {
		tb.Fatal("a test must say why it waits")
	}
	time.Sleep(d)
}
