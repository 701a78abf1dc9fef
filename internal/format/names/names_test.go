package names

import (
	"math/rand/v2"
	"testing"
)

// seeded returns a repeatable Rand.
func seeded(seed uint64) Rand {
	return rand.New(rand.NewPCG(seed, seed)).IntN
}

// smallest and largest return the ends of a Rand's range.
func smallest(int) int  { return 0 }
func largest(n int) int { return n - 1 }

func TestWords(t *testing.T) {
	if len(adjectives) < 100 || len(nouns) < 200 {
		t.Errorf("%d adjectives and %d nouns, want 100 and 200", len(adjectives), len(nouns))
	}
	seen := map[string]bool{}
	for _, word := range append(append([]string{}, adjectives...), nouns...) {
		switch {
		case seen[word]:
			t.Errorf("%q is there twice", word)
		case len(word) > 10 || len(word) < 2 || !onlyOf(word, "abcdefghijklmnopqrstuvwxyz"):
			t.Errorf("%q is not two to ten lower-case letters", word)
		}
		seen[word] = true
	}
}
