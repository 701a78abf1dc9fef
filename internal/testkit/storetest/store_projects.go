package storetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/publish"
)

func (s Stores) fileNamed(t *testing.T, p sandlot.Project, name string) sandlot.File {
	t.Helper()
	for _, f := range must(s.Publish.Files(t.Context(), p.ID, p.Version))(t) {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("%s has no file %s", p.ID, name)
	return sandlot.File{}
}

func ids(list []sandlot.Project) (ids []sandlot.ProjectID) {
	for _, p := range list {
		ids = append(ids, p.ID)
	}
	return ids
}

func listProjects(t *testing.T, s Stores) {
	a := s.mustAccount(t, newAccount("kim"))
	s.mustProject(t, "of-another")
	var first sandlot.Project
	for i, id := range []string{"one", "two", "three"} {
		p := must(s.Publish.CreateProject(t.Context(), newProject(id, a.ID)))(t)
		if i == 0 {
			first = p
		}
	}
	s.mustPut(t, first, file("a.js", inline("a")))
	addCounts(t, s, map[sandlot.ProjectID]gallery.Counts{"two": {Plays: 1}})
	list := must(s.Publish.Projects(t.Context(), a.ID, 0, 10))(t)
	same(t, "the order", ids(list), []sandlot.ProjectID{"one", "three", "two"})
	for _, p := range list {
		same(t, string(p.ID), p, must(s.Publish.Project(t.Context(), p.ID))(t))
	}
	mustRemove(t, s, "three")
	same(t, "without a deleted one", ids(must(s.Publish.Projects(t.Context(), a.ID, 0, 10))(t)), []sandlot.ProjectID{"one", "two"})
	lee := s.mustAccount(t, newAccount("lee"))
	same(t, "of an account without any", len(must(s.Publish.Projects(t.Context(), lee.ID, 0, 10))(t)), 0)
}

func putFile(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	at := edit(p)
	at.At = base().Add(time.Minute)
	got := must(s.Publish.PutFile(t.Context(), p.ID, file("a.js", inline("abc")), at))(t)
	want := p
	want.Version, want.Suffix, want.Size, want.FileCount = 2, at.Suffix, p.Size+3, 2
	want.Seq, want.Change, want.UpdatedAt = got.Seq, got.Change, at.At
	same(t, "the answer", got, want)
	same(t, "the project", must(s.Publish.Project(t.Context(), p.ID))(t), want)
	same(t, "version 2", texts(t, s.Publish, p.ID, 2), map[string]string{"index.html": "<p>pong", "a.js": "abc"})

	got = s.mustPut(t, got, file("a.js", inline("replaced")))
	same(t, "version and totals after a replacement", []any{got.Version, got.Size, got.FileCount}, []any{3, p.Size + 8, 2})
	same(t, "version 3", texts(t, s.Publish, p.ID, 3), map[string]string{"index.html": "<p>pong", "a.js": "replaced"})
}

func deleteFile(t *testing.T, s Stores) {
	p := s.mustPut(t, s.mustProject(t, "pong"), file("a.js", inline("abc")))
	p = s.mustPut(t, p, file("b.js", inline("b")))
	at := edit(p)
	got := must(s.Publish.DeleteFile(t.Context(), p.ID, "a.js", at))(t)
	want := p
	want.Version, want.Suffix, want.Size, want.FileCount = 4, at.Suffix, p.Size-3, 2
	want.Seq, want.Change, want.UpdatedAt = got.Seq, got.Change, at.At
	same(t, "the answer", got, want)
	same(t, "the project", must(s.Publish.Project(t.Context(), p.ID))(t), want)
	same(t, "version 4", texts(t, s.Publish, p.ID, 4), map[string]string{"index.html": "<p>pong", "b.js": "b"})
	got = s.mustPut(t, got, file("a.js", inline("again")))
	same(t, "version 5, with the name again", texts(t, s.Publish, p.ID, 5),
		map[string]string{"index.html": "<p>pong", "b.js": "b", "a.js": "again"})
}

func filesInOrder(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	for _, name := range []string{"é.js", "b/c.js", "Z.js", "b.js", "B-.js"} {
		p = s.mustPut(t, p, sandlot.File{Name: name, Folded: strings.ToLower(name), Blob: inline(name)})
	}
	want := []string{"B-.js", "Z.js", "b.js", "b/c.js", "index.html", "é.js"}
	same(t, "the names", fileNames(t, s.Publish, p.ID, p.Version), want)
	past := s.mustPut(t, p, file("b.js", inline("replaced")))
	s.mustPut(t, past, file("0.js", inline("0")))
	same(t, "the names, of a version of the past", fileNames(t, s.Publish, p.ID, p.Version), want)

	f := s.fileNamed(t, p, "b/c.js")
	same(t, "a file", f,
		sandlot.File{
			Name: "b/c.js", Folded: "b/c.js", Blob: sandlot.Blob{ID: f.Blob.ID, Size: 6, SHA256: sum("b/c.js"), Text: true},
			Since: 3,
		})
	b := named("stored-elsewhere")
	p = must(s.Publish.Project(t.Context(), p.ID))(t)
	p = s.mustPut(t, p, file("big.wasm", b))
	b.ID = s.fileNamed(t, p, "big.wasm").Blob.ID
	big := file("big.wasm", b)
	big.Since = p.Version
	same(t, "a file whose bytes are elsewhere", s.fileNamed(t, p, "big.wasm"), big)
}

func filesVariants(t *testing.T, s Stores) {
	p := s.mustPut(t, s.mustProject(t, "pong"), file("a.js", inline("abc")))
	blob := s.fileNamed(t, p, "a.js").Blob
	variants := []sandlot.Variant{{Encoding: "br", Blob: inline("b")}, {Encoding: "gzip", Blob: named("packed"), CRC32: 0xfedcba98}}
	ok(t, s.Variants.PutVariants(t.Context(), blob.ID, variants))
	check := func(what string) {
		t.Helper()
		f := s.fileNamed(t, p, "a.js")
		same(t, what+": squeezed", f.Squeezed, true)
		for i := range f.Variants {
			want := variants[i]
			want.Blob.ID, want.Blob.Inline = f.Variants[i].Blob.ID, nil
			same(t, what+": variant "+want.Encoding, f.Variants[i], want)
		}
		same(t, what+": the number of variants", len(f.Variants), 2)
		same(t, what+": the bytes of one", text(t, s.Publish, f.Variants[0].Blob), "b")
		same(t, what+": of a file without", s.fileNamed(t, p, "index.html").Squeezed, false)
	}
	check("in the current version")
	s.mustPut(t, p, file("b.js", inline("b")))
	check("in a version of the past")
}

func near(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	list := []sandlot.File{{Name: "README", Folded: "readme", Blob: inline("r")}}
	for _, name := range []string{"b.js", "lib/a.js", "lib/deep/b.js", "lib-a.js", "lib0", "lic", "gone"} {
		list = append(list, file(name, inline(name)))
	}
	p = must(s.Management.Rearrange(t.Context(), p.ID, publish.Change{Put: append(list, manyFiles("many", 12, inline)...)},
		edit(p)))(t)
	p = must(s.Publish.DeleteFile(t.Context(), p.ID, "gone", edit(p)))(t)
	for folded, want := range map[string][]string{
		"b.js": {"b.js"}, "B.js": nil, "nothing": nil, "readme": {"README"}, "gone": nil,
		"b.js/c": {"b.js"}, "b.js/c/d.js": {"b.js"}, "readme/x": {"README"}, "b.jsx/c": nil,
		"lib": {"lib/a.js", "lib/deep/b.js"}, "lib/deep": {"lib/deep/b.js"}, "li": nil, "lib/d": nil,
	} {
		var got []string
		for _, f := range must(s.Publish.FilesNear(t.Context(), p.ID, folded))(t) {
			got = append(got, f.Name)
			same(t, f.Name, f.Blob, s.fileNamed(t, p, f.Name).Blob)
		}
		same(t, "near "+folded, got, want)
	}
	same(t, "of many", len(must(s.Publish.FilesNear(t.Context(), p.ID, "many"))(t)), 10)
}

func quotaAtOnce(t *testing.T, s Stores) {
	a := s.mustAccount(t, newAccount("kim"))
	create := func(i int) error {
		np := newProject(fmt.Sprint("pong-", i), a.ID)
		np.Within = publish.Quota{Projects: 7}
		return drop(s.Publish.CreateProject(background(), np))
	}
	same(t, "projects made", atOnce(t, 20, sandlot.ErrTooManyProjects, create), 7)
	mustRemove(t, s, must(s.Publish.Projects(t.Context(), a.ID, 0, 1))(t)[0].ID)
	ok(t, create(20))
	wants(t, "one more again", create(21), sandlot.ErrTooManyProjects)
}
