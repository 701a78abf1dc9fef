package play

import (
	"strings"
	"testing"

	"sandlot/internal/testkit/testworld"
)

// TestRegression21AnIconIsAlwaysThere: browsers ask for /favicon.ico by themselves, and a 404 would stand in the game's console.
func TestRegression21AnIconIsAlwaysThere(t *testing.T) {
	t.Parallel()
	const document = "index.html"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string // empty: ours
		kind  string
	}{
		{"none", map[string]string{document: page("one")}, "", "image/svg+xml"},
		{"favicon.ico", map[string]string{document: page("one"), "favicon.ico": "ico", "favicon.svg": "<svg/>"}, "ico", "image/x-icon"},
		{"favicon.svg", map[string]string{document: page("one"), "favicon.svg": "<svg/>", "favicon.png": "png"}, "<svg/>", "image/svg+xml"},
		{"favicon.png", map[string]string{document: page("one"), "favicon.png": "png"}, "png", "image/png"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newWorld(t)
			var files []testworld.File
			for name, content := range c.files {
				files = append(files, s.file(name, content))
			}
			s.put(gameID, files...)
			h := newHandler(s, "localhost")
			for p, target := range map[place]string{onProject: "/favicon.ico", onVersion: "/favicon.ico", onPath: "/favicon.ico"} {
				res := at(h, p, request("GET", target))
				body, want := bodyOf(t, res), c.want
				if want == "" {
					want = string(iconSVG)
				}
				if res.StatusCode != 200 || body != want || !strings.HasPrefix(res.Header.Get("Content-Type"), c.kind) {
					t.Errorf("place %d: %d, %s, %.40q", p, res.StatusCode, res.Header.Get("Content-Type"), body)
				}
			}
			if s.plays() != 0 {
				t.Error("an icon is no play")
			}
		})
	}
}
