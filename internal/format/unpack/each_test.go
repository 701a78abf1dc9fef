package unpack

import (
	"slices"
	"testing"
)

// TestEachChangeOfAByteOfAZIPIsReadAsArchiveZIPReadsItOrRefused: the one change of a thousand that matters is not left to a draw.
func TestEachChangeOfAByteOfAZIPIsReadAsArchiveZIPReadsItOrRefused(t *testing.T) {
	t.Parallel()
	for name, whole := range map[string][]byte{"plain": plainZIP(t, file{"a", ""}, file{"b/c", "x"}), "packed": zipOf(t, file{"d/", ""}, file{"a.b", "xyz"})} {
		b := slices.Clone(whole)
		for at, was := range whole {
			for _, changed := range []byte{0, 0xff, was ^ 1, was ^ 2, was ^ 4, was ^ 8, was ^ 0x10, was ^ 0x20, was ^ 0x40, was ^ 0x80} {
				b[at] = changed
				got, err := unzip(b, ample)
				if err != nil {
					continue
				}
				if want, err := library(b); err != nil || !slices.Equal(got, want) {
					t.Errorf("%s, %#x at %d: %v, wanted %v, %v", name, changed, at, shown(got), shown(want), err)
				}
			}
			b[at] = was
		}
	}
}
