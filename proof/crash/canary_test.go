package main

import (
	"strings"
	"testing"
)

func TestFindPart(t *testing.T) {
	findsPart(t, "0123456789abcdeF")
	findsPart(t, "0123456789ABCDEF")
}

func findsPart(t *testing.T, part string) {
	t.Helper()
	parts := map[string]bool{part: true}
	for _, row := range []string{"", "x", "A9", "a" + strings.Repeat("b", 30), "F" + strings.Repeat("b", 30)} {
		for n := range 20 {
			before := strings.Repeat("Ab 01234567890123456789abcdef\n@[`{\xc1", n%3) + strings.Repeat("-", n) + row
			for _, after := range []string{"", "z", "- and more ABC"} {
				if got := findPart([]byte(before+part+after), parts); got != len(before) {
					t.Errorf("%q in %q is found at %d, not %d", part, before+part+after, got, len(before))
				}
				if got := findPart([]byte(before+part[:7]+"-"+part[7:]+after), parts); got >= 0 {
					t.Errorf("found at %d without being there", got)
				}
			}
		}
	}
}
