package names_test

import (
	"slices"
	"testing"

	"sandlot/internal/format/names"
)

func TestRegressionM53ThePageForWhatIsNotFoundIsNotTheProjects(t *testing.T) {
	for _, c := range []struct {
		want string
		list []string
	}{
		{"game.html", []string{"404.html", "game.html"}},
		{"", []string{"404.html", "a.js"}},
		{"", []string{"404.html", "game/index.html"}},
		{"", []string{"404.html", "a.html", "b.html"}},
		{"index.html", []string{"404.html", "index.html"}},
		{"game.html", []string{"game.html", "help.htm"}},
	} {
		if got := names.Page(c.list); got != c.want {
			t.Errorf("Page(%q) = %q, want %q", c.list, got, c.want)
		}
	}
	if got := names.Candidates([]string{"404.html", "a.html", "b/404.html"}, 3); !slices.Equal(got, []string{"a.html"}) {
		t.Errorf("%q", got)
	}
}
