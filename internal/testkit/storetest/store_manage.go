package storetest

import (
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
)

func manageCases() []storeCase {
	return []storeCase{
		{"SetDetails/records a project's details, and makes no version", setDetails},
		{"Versions/newest first, with what each changed", listVersions},
		{"Versions/with the files that only have another name, and the sizes", listRenamed},
		{"EraseVersion/takes its files away, but for those of other versions", eraseVersion},
	}
}

func setDetails(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	same(t, "before", must(s.Management.Details(t.Context(), p.ID))(t), publish.Details{Title: p.Title})
	want := publish.Details{Title: "Pong", Description: "two\nlines", Unlisted: true, Threads: true, Tags: "cats 3d"}
	ok(t, s.Management.SetDetails(t.Context(), p.ID, want.Change()))
	same(t, "after", must(s.Management.Details(t.Context(), p.ID))(t), want)
	got := must(s.Publish.Project(t.Context(), p.ID))(t)
	if got.Version != 1 || !got.Unlisted || !got.Threads || got.Title != "Pong" {
		t.Errorf("the project is %+v", got)
	}
	other, lang, yes := "Other", "de", false
	part := publish.DetailsChange{Title: &other, Lang: &lang, Unlisted: &yes, Expect: 1}
	ok(t, s.Management.SetDetails(t.Context(), p.ID, part))
	want.Title, want.Unlisted = "Other", false
	same(t, "after a part", must(s.Management.Details(t.Context(), p.ID))(t), want)
	part.Expect = 2
	wants(t, "at another version", s.Management.SetDetails(t.Context(), p.ID, part), sandlot.ErrMoved)
	part.Expect, part.Seen = 1, "another"
	ok(t, s.Management.SetDetails(t.Context(), p.ID, part)) // they are so already
	next := "next"
	part.Title = &next
	wants(t, "where others are by now", s.Management.SetDetails(t.Context(), p.ID, part), sandlot.ErrMoved)
	part.Title, part.Seen = &other, ""
	part.Expect, part.By = 0, 1<<40
	wants(t, "by a key that is gone", s.Management.SetDetails(t.Context(), p.ID, part), sandlot.ErrRevoked)
	got = must(s.Publish.Project(t.Context(), p.ID))(t)
	at, text := edit(got), "with a version"
	at.Details = publish.DetailsChange{Description: &text, Unlisted: &want.Threads}
	made := must(s.Management.Rearrange(t.Context(), p.ID, publish.Change{}, at))(t)
	same(t, "read again", must(s.Publish.Project(t.Context(), p.ID))(t), made)
	want.Description, want.Unlisted = text, true
	same(t, "with a version", must(s.Management.Details(t.Context(), p.ID))(t), want)
	want = publish.Details{Title: "Pong"}
	wants(t, "of nothing", s.Management.SetDetails(t.Context(), "never-there", want.Change()), sandlot.ErrNotFound)
	wants(t, "of nothing", drop(s.Management.Details(t.Context(), "never-there")), sandlot.ErrNotFound)
}

func listVersions(t *testing.T, s Stores) {
	p := s.mustPut(t, s.mustProject(t, "pong"), file("a.js", inline("a")))
	p = s.mustPut(t, p, file("a.js", inline("b")))
	p = must(s.Publish.DeleteFile(t.Context(), p.ID, "a.js", edit(p)))(t)
	list := must(s.Management.Versions(t.Context(), p.ID, 0, 9))(t)
	type seen struct {
		N                       int
		Added, Changed, Removed []string
	}
	var got []seen
	for _, v := range list {
		if !v.Known || v.Erased || v.Suffix == "" || v.Primary != "index.html" {
			t.Errorf("version %d is %+v", v.N, v)
		}
		got = append(got, seen{v.N, v.Added, v.Changed, v.Removed})
	}
	same(t, "versions", got, []seen{{4, nil, nil, []string{"a.js"}}, {3, nil, []string{"a.js"}, nil}, {2, []string{"a.js"}, nil, nil}, {1, []string{"index.html"}, nil, nil}})
	page := must(s.Management.Versions(t.Context(), p.ID, 4, 1))(t)
	same(t, "a page", page, list[1:2])
	wants(t, "of nothing", drop(s.Management.Versions(t.Context(), "never-there", 0, 9)), sandlot.ErrNotFound)
}

func listRenamed(t *testing.T, s Stores) {
	p := s.mustPut(t, s.mustProject(t, "pong"), file("a.js", inline("one")))
	p = s.mustPut(t, p, file("b.js", inline("two!")))
	moved := s.fileNamed(t, p, "a.js")
	moved.Name, moved.Folded = "lib/a.js", "lib/a.js"
	c := publish.Change{Drop: []sandlot.File{s.fileNamed(t, p, "a.js"), s.fileNamed(t, p, "b.js")}, Put: []sandlot.File{moved, file("c.js", inline("two!?"))}}
	must(s.Management.Rearrange(t.Context(), p.ID, c, edit(p)))(t)
	list := must(s.Management.Versions(t.Context(), p.ID, 0, 1))(t)
	same(t, "files", list[0].Files, []sandlot.FileChange{
		{Name: "b.js", Before: 4, Size: -1}, {Name: "c.js", Before: -1, Size: 5}, {Name: "lib/a.js", From: "a.js", Before: 3, Size: 3},
	})
	same(t, "as before", list[0].Removed, []string{"a.js", "b.js"})
}

func eraseVersion(t *testing.T, s Stores) {
	p := s.mustPut(t, s.mustProject(t, "pong"), file("a.js", named("one")))
	p = s.mustPut(t, p, file("a.js", named("two")))
	p = s.mustPut(t, p, file("a.js", named("three")))
	ok(t, s.Management.EraseVersion(t.Context(), p.ID, 3, base()))
	wants(t, "the version", drop(s.Publish.Version(t.Context(), p.ID, 3)), sandlot.ErrNotFound)
	wants(t, "its files", drop(s.Publish.Files(t.Context(), p.ID, 3)), sandlot.ErrNotFound)
	same(t, "files of version 2", fileNames(t, s.Publish, p.ID, 2), []string{"a.js", "index.html"})
	same(t, "files of version 4", fileNames(t, s.Publish, p.ID, 4), []string{"a.js", "index.html"})
	same(t, "what may go", s.swept(t), []sandlot.BlobRef{"two"})
	list := must(s.Management.Versions(t.Context(), p.ID, 0, 9))(t)
	for i, want := range []sandlot.VersionChange{{Known: false}, {Erased: true}, {Known: true}, {Known: true}} {
		if list[i].N != 4-i || list[i].Erased != want.Erased || list[i].Known != want.Known {
			t.Errorf("version %d is listed as %+v", 4-i, list[i])
		}
	}
	mistakes, _ := s.mistakes(t)
	same(t, "mistakes", mistakes, nil)
}

// swept returns what may be deleted now.
func (s Stores) swept(t *testing.T) []sandlot.BlobRef {
	t.Helper()
	gone, _, err := s.Upkeep.Sweep(t.Context(), base(), base().Add(aDay), 1000)
	ok(t, err)
	return gone
}
