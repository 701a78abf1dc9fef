package inspect

import (
	"bytes"
	"crypto/sha256"
	"math"
	"testing"
	"time"

	"sandlot/internal/testkit/testenv"
)

// TestSoakRegression01ALookForWhatQuarantineBlocksIsCheap: text full of addresses costs little more than any other, for
// a kilobyte of gzip holds it, and the owner's key may ask again and again.
func TestSoakRegression01ALookForWhatQuarantineBlocksIsCheap(t *testing.T) {
	testenv.Unraced(t)
	const most = 100 // times the hash of the same bytes; without a bound it is a thousand
	for name, piece := range map[string]string{
		"addresses": `"//a.bc`, "addresses with a scheme": "http://a.bc ", "addresses behind a comment": `;"//a.bc/`, "addresses in tags": `<a "//a.bc`,
		"slashes": "/", "slashes in quotes": `"//`, "names without a dot": `"//ab`, "other hosts": "(//aa.bc(//ab.bc(//ac.bc",
	} {
		t.Run(name, func(t *testing.T) {
			text := append([]byte("fetch("), bytes.Repeat([]byte(piece), BlockedSample/len(piece)-1)...)
			hash, look := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
			for round := 0; round < 2 || round < 10 && look > most*hash; round++ { // other users of the core slow one of them down at times
				hash = min(hash, leastCPU(3, func() { sha256.Sum256(text) }))
				look = min(look, leastCPU(1, func() { Blocked(text) }))
			}
			if look > most*hash {
				t.Errorf("the look takes %v, the hash %v", look, hash)
			}
		})
	}
}
