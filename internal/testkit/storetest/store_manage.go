package storetest

import (
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
)

func manageCases() []storeCase {
	return []storeCase{
		{"SetDetails/records a project's details, and makes no version", setDetails},
		{"Rearrange/makes a version with what is dropped and put, and all else as before", rearrange},
		{"Rearrange/a version that moved on is ErrMoved, and nothing changed", rearrangeMoved},
		{"Rearrange/a file to drop, or a recorded blob, that is not there is ErrNotFound", rearrangeMissing},
		{"Rearrange/a version that would lack its primary file is ErrNoPrimary, and so is one by DeleteFile", noPrimary},
		{"Rearrange/an owner that would have more bytes than within is ErrTooManyBytes", rearrangeWithin},
		{"Versions/newest first, with what each changed", listVersions},
		{"Version/has the primary file that it was left with", versionPrimary},
		{"Versions/with the files that only have another name, and the sizes", listRenamed},
		{"Version/knows the version whose files it has again, and so do Versions", restoredFrom},
		{"EraseVersion/takes its files away, but for those of other versions", eraseVersion},
		{"EraseVersion/files of several versions go with the last of them", eraseSeveral},
		{"EraseVersion/the current version is ErrMoved", eraseCurrent},
		{"EraseVersion/a second call has no further effect", eraseTwice},
	}
}

func noPrimary(t *testing.T, s Stores) {
	p := s.mustPut(t, s.mustProject(t, "pong"), file("a.js", inline("a")))
	index := s.current(t, p, "index.html")
	for what, c := range map[string]publish.Change{
		"dropped":               {Drop: []sandlot.File{index}},
		"dropped for another":   {Drop: []sandlot.File{index}, Put: []sandlot.File{file("b.html", inline("b"))}},
		"one that is not there": {Primary: "none.html"},
		"one that is dropped":   {Drop: []sandlot.File{s.current(t, p, "a.js")}, Primary: "a.js"},
	} {
		wants(t, what, drop(s.Management.Rearrange(t.Context(), p.ID, c, edit(p))), sandlot.ErrNoPrimary)
	}
	wants(t, "deleted", drop(s.Publish.DeleteFile(t.Context(), p.ID, "index.html", edit(p))), sandlot.ErrNoPrimary)
	same(t, "the project", must(s.Publish.Project(t.Context(), p.ID))(t), p)
	c := publish.Change{Drop: []sandlot.File{index}, Put: []sandlot.File{file("index.html", inline("new"))}, Primary: "a.js"}
	same(t, "the primary file of one that has it", must(s.Management.Rearrange(t.Context(), p.ID, c, edit(p)))(t).Primary, "a.js")
}

// current is a file of the current version.
func (s Stores) current(t *testing.T, p sandlot.Project, name string) sandlot.File {
	t.Helper()
	for _, f := range must(s.Publish.Files(t.Context(), p.ID, p.Version))(t) {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("there is no %s", name)
	return sandlot.File{}
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

func rearrange(t *testing.T, s Stores) {
	p := s.mustPut(t, s.mustProject(t, "pong"), file("a.js", inline("a")))
	a := s.current(t, p, "a.js")
	c := publish.Change{
		Drop: []sandlot.File{a}, Primary: "start.html",
		Put: []sandlot.File{{Name: "lib/a.js", Folded: "lib/a.js", Blob: a.Blob}, file("start.html", inline("start"))},
	}
	got := must(s.Management.Rearrange(t.Context(), p.ID, c, edit(p)))(t)
	same(t, "read again", must(s.Publish.Project(t.Context(), p.ID))(t), got)
	same(t, "files", texts(t, s.Publish, p.ID, 3), map[string]string{"index.html": "<p>pong", "lib/a.js": "a", "start.html": "start"})
	same(t, "files before", texts(t, s.Publish, p.ID, 2), map[string]string{"index.html": "<p>pong", "a.js": "a"})
	if got.Version != 3 || got.FileCount != 3 || got.Size != 7+1+5 || got.Primary != "start.html" {
		t.Errorf("the project is %+v", got)
	}
	list, _ := s.mistakes(t)
	same(t, "mistakes", list, nil)
}

func rearrangeMoved(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	moved := s.mustPut(t, p, file("a.js", inline("a")))
	c := publish.Change{Put: []sandlot.File{file("b.js", inline("b"))}}
	wants(t, "at an old version", drop(s.Management.Rearrange(t.Context(), p.ID, c, edit(p))), sandlot.ErrMoved)
	same(t, "the project", must(s.Publish.Project(t.Context(), p.ID))(t), moved)
}

func rearrangeMissing(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	for what, c := range map[string]publish.Change{
		"file": {Drop: []sandlot.File{file("never.js", sandlot.Blob{})}, Put: []sandlot.File{file("b.js", inline("b"))}},
		"name": {Drop: []sandlot.File{{Name: "Index.html", Folded: "index.html"}}, Put: []sandlot.File{file("index.html", inline("b"))}},
		"blob": {Put: []sandlot.File{file("b.js", inline("b")), file("c.js", sandlot.Blob{ID: 1 << 40, Size: 1})}},
	} {
		wants(t, what, drop(s.Management.Rearrange(t.Context(), p.ID, c, edit(p))), sandlot.ErrNotFound)
	}
	same(t, "the project", must(s.Publish.Project(t.Context(), p.ID))(t), p)
}

func rearrangeWithin(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	at := edit(p)
	at.Within = publish.Quota{Bytes: p.Size + 2}
	c := publish.Change{Put: []sandlot.File{file("b.js", inline("three"))}}
	wants(t, "with 5 bytes more", drop(s.Management.Rearrange(t.Context(), p.ID, c, at)), sandlot.ErrTooManyBytes)
	c.Put[0].Blob = inline("ab")
	must(s.Management.Rearrange(t.Context(), p.ID, c, at))(t)
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
	moved := s.current(t, p, "a.js")
	moved.Name, moved.Folded = "lib/a.js", "lib/a.js"
	c := publish.Change{Drop: []sandlot.File{s.current(t, p, "a.js"), s.current(t, p, "b.js")}, Put: []sandlot.File{moved, file("c.js", inline("two!?"))}}
	must(s.Management.Rearrange(t.Context(), p.ID, c, edit(p)))(t)
	list := must(s.Management.Versions(t.Context(), p.ID, 0, 1))(t)
	same(t, "files", list[0].Files, []sandlot.FileChange{
		{Name: "b.js", Before: 4, Size: -1}, {Name: "c.js", Before: -1, Size: 5}, {Name: "lib/a.js", From: "a.js", Before: 3, Size: 3},
	})
	same(t, "as before", list[0].Removed, []string{"a.js", "b.js"})
}

func versionPrimary(t *testing.T, s Stores) {
	p := s.mustPut(t, s.mustProject(t, "pong"), file("a.html", inline("a")))
	p = must(s.Management.Rearrange(t.Context(), p.ID, publish.Change{Primary: "a.html"}, edit(p)))(t)
	p = s.mustPut(t, p, file("b.html", inline("b")))
	for n, want := range []string{"index.html", "index.html", "a.html", "a.html"} {
		same(t, "primary file", must(s.Publish.Version(t.Context(), p.ID, n+1))(t).Primary, want)
	}
}

func restoredFrom(t *testing.T, s Stores) {
	p := s.mustPut(t, s.mustProject(t, "pong"), file("a.js", inline("a")))
	at := edit(p)
	at.RestoredFrom = 1
	p = must(s.Management.Rearrange(t.Context(), p.ID, publish.Change{Drop: []sandlot.File{s.current(t, p, "a.js")}}, at))(t)
	at = edit(p)
	at.RestoredFrom = 2
	p = must(s.Management.Rearrange(t.Context(), p.ID, publish.Change{Put: manyFiles("b", many, inline)}, at))(t)
	p = must(s.Management.Rearrange(t.Context(), p.ID, publish.Change{}, edit(p)))(t)
	list := must(s.Management.Versions(t.Context(), p.ID, 0, 9))(t)
	for n, want := range []int{0, 0, 1, 2, 0} {
		same(t, "restored from", must(s.Publish.Version(t.Context(), p.ID, n+1))(t).RestoredFrom, want)
		same(t, "restored from, listed", list[len(list)-n-1].RestoredFrom, want)
	}
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

func eraseSeveral(t *testing.T, s Stores) {
	p := s.mustPut(t, s.mustProject(t, "pong"), file("a.js", named("one")))
	p = s.mustPut(t, p, file("b.js", named("other")))
	p = s.mustPut(t, p, file("a.js", named("two")))
	ok(t, s.Management.EraseVersion(t.Context(), p.ID, 2, base()))
	same(t, "with version 3 there", s.swept(t), nil)
	ok(t, s.Management.EraseVersion(t.Context(), p.ID, 3, base()))
	same(t, "with it gone", s.swept(t), []sandlot.BlobRef{"one"})
	same(t, "files of version 4", fileNames(t, s.Publish, p.ID, 4), []string{"a.js", "b.js", "index.html"})
}

// swept returns what may be deleted now.
func (s Stores) swept(t *testing.T) []sandlot.BlobRef {
	t.Helper()
	gone, _, err := s.Upkeep.Sweep(t.Context(), base(), base().Add(aDay), 1000)
	ok(t, err)
	return gone
}

func eraseCurrent(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	wants(t, "the current", s.Management.EraseVersion(t.Context(), p.ID, 1, base()), sandlot.ErrMoved)
	wants(t, "one that is not there", s.Management.EraseVersion(t.Context(), p.ID, 2, base()), sandlot.ErrNotFound)
	same(t, "files", fileNames(t, s.Publish, p.ID, 1), []string{"index.html"})
}

func eraseTwice(t *testing.T, s Stores) {
	p := s.mustPut(t, s.mustProject(t, "pong"), file("a.js", named("one")))
	for range 2 {
		ok(t, s.Management.EraseVersion(t.Context(), p.ID, 1, base()))
	}
}
