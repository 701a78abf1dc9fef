package names

import (
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

func TestEditsCountsWhatIsPutInTakenOutOrChanged(t *testing.T) {
	for _, c := range []struct {
		a, b string
		n    int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"title", "title", 0}, {"titel", "title", 2}, {"tile", "title", 1}, {"player", "prayer", 1}, {"kitten", "sitting", 3}, {"a", strings.Repeat("b", 100), 100}} {
		expect.Equal(t, c.a+" and "+c.b, Edits(c.a, c.b), c.n)
	}
}
