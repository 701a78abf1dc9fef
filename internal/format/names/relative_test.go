package names_test

import (
	"slices"
	"testing"

	"sandlot/internal/format/names"
)

func TestRelative(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ list, want []string }{
		{[]string{"a/b/index.html", "a/b/js/x.js"}, []string{"index.html", "js/x.js"}},
		{[]string{"a/bc/x", "a/b/x"}, []string{"bc/x", "b/x"}},
		{[]string{"x", "a/x"}, []string{"x", "a/x"}},
		{[]string{"a/x"}, []string{"x"}},
	} {
		if got := names.Relative(c.list); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.list, got, c.want)
		}
	}
}
