package storetest

import (
	"strings"
	"testing"

	"sandlot/internal/publish"
)

func treeCases() []storeCase {
	return []storeCase{
		{"CreateProject/version 1 has all its files", createTree},
		{"CreateProject/p.Files without p.Primary are ErrNoPrimary", createNoPrimary},
	}
}

// spooled is inline, but that the bytes wait in a file.
func spooled(text string) publish.Blob {
	b := inline(text)
	b.Inline, b.Spooled = nil, publish.NewSpooled(strings.NewReader("before"+text+"after"), int64(len("before")), len(text))
	return b
}

// tree is a project whose files bring their bytes in each of the ways.
func tree(id string, owner publish.AccountID) (np publish.NewProject, want map[string]string) {
	np = newProject(id, owner)
	np.Files = []publish.File{file("a.js", inline("a")), file("b/c.js", spooled("c")), file("empty", spooled("")), file("start.html", spooled("<p>start"))}
	np.Primary = "start.html"
	return np, map[string]string{"a.js": "a", "b/c.js": "c", "empty": "", "start.html": "<p>start"}
}

func createTree(t *testing.T, s Stores) {
	np, want := tree("pong", s.mustAccount(t, newAccount("kim")).ID)
	p := must(s.Publish.CreateProject(t.Context(), np))(t)
	same(t, "the totals", []any{p.Version, p.FileCount, p.Size, p.Primary}, []any{1, 4, int64(10), "start.html"})
	same(t, "read again", must(s.Publish.Project(t.Context(), p.ID))(t), p)
	same(t, "its files", texts(t, s.Publish, p.ID, 1), want)
	same(t, "version 1", must(s.Publish.Version(t.Context(), p.ID, 1))(t).Primary, "start.html")
	list, _ := s.mistakes(t)
	same(t, "mistakes", list, nil)
	same(t, "what may go", s.sweepAll(t), nil)
}

func createNoPrimary(t *testing.T, s Stores) {
	np, _ := tree("pong", s.mustAccount(t, newAccount("kim")).ID)
	np.Primary = "index.html"
	wants(t, "without it", drop(s.Publish.CreateProject(t.Context(), np)), publish.ErrNoPrimary)
}
