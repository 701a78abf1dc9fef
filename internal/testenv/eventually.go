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

// Eventually returns as soon as done says true, which it asks again and again from the goroutine of the test. If it does not within that
// time, the test ends, with the reason: what was waited for. The time is for a machine that is busy with other things; choose it so that
// only a fault reaches it. In a bubble of testing/synctest it waits by the bubble's clock.
//
// What may be waited for directly, on a channel or by a call, is not for Eventually.
func Eventually(tb testing.TB, within time.Duration, reason string, done func() bool) {
	tb.Helper()
	started := time.Now()
	for pause := firstPause; !done(); pause = min(2*pause, longestPause) {
		if time.Since(started) > within {
			tb.Fatalf("waited %v in vain: %s", within, reason)
		}
		time.Sleep(pause)
	}
}

// Wait lets that time pass, because the passing of time itself is what the test needs and no call would tell when it is over: a limit that
// refills in another process, a file that must be older than another. The reason says which. Prefer a clock that the test moves, or
// testing/synctest.
func Wait(tb testing.TB, d time.Duration, reason string) {
	tb.Helper()
	if reason == "" {
		tb.Fatal("a test must say why it waits")
	}
	time.Sleep(d)
}
