package testenv

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// Seed returns what a run is to be drawn from: SANDLOT_TEST_SEED, which repeats one, or else
// another each time. The test says which it was.
func Seed(tb testing.TB) uint64 {
	tb.Helper()
	text := os.Getenv("SANDLOT_TEST_SEED")
	if text == "" {
		return uint64(time.Now().UnixNano())
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		tb.Fatal("SANDLOT_TEST_SEED: ", err)
	}
	return n
}
