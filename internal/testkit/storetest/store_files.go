package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sandlot/internal/domain/publish"

	"sandlot"
)

func fileCases() []storeCase {
	return []storeCase{
		{"PutFile/makes the version after at.Expect, in which the file of f's name is f and all others are as before", putFile},
		{"DeleteFile/makes the version after at.Expect, which lacks one file", deleteFile},
		{"Files/returns the files of a version by name, in byte order", filesInOrder},
		{"Files/with the variants made so far", filesVariants},
		{"FilesWith/is Files with the variants of one encoding alone", filesWithOne},
	}
}

func putFile(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	at := edit(p)
	at.At = base().Add(time.Minute)
	got := must(s.Publish.PutFile(t.Context(), p.ID, file("a.js", inline("abc")), at))(t)
	want := p
	want.Version, want.Suffix, want.Size, want.FileCount, want.Seq, want.Change, want.UpdatedAt = 2, at.Suffix, p.Size+3, 2, got.Seq, got.Change, at.At
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
	want.Version, want.Suffix, want.Size, want.FileCount, want.Seq, want.Change, want.UpdatedAt = 4, at.Suffix, p.Size-3, 2, got.Seq, got.Change, at.At
	same(t, "the answer", got, want)
	same(t, "the project", must(s.Publish.Project(t.Context(), p.ID))(t), want)
	same(t, "version 4", texts(t, s.Publish, p.ID, 4), map[string]string{"index.html": "<p>pong", "b.js": "b"})
	got = s.mustPut(t, got, file("a.js", inline("again")))
	same(t, "version 5, with the name again", texts(t, s.Publish, p.ID, 5), map[string]string{"index.html": "<p>pong", "b.js": "b", "a.js": "again"})
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
	same(t, "a file", f, sandlot.File{Name: "b/c.js", Folded: "b/c.js", Blob: sandlot.Blob{ID: f.Blob.ID, Size: 6, SHA256: sum("b/c.js"), Text: true}, Since: 3})
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

func filesWithOne(t *testing.T, s Stores) {
	p := s.mustPut(t, s.mustProject(t, "pong"), file("a.js", inline("abc")))
	variants := []sandlot.Variant{{Encoding: "br", Blob: inline("b")}, {Encoding: "gzip", Blob: inline("packed")}}
	ok(t, s.Variants.PutVariants(t.Context(), s.fileNamed(t, p, "a.js").Blob.ID, variants))
	p = s.mustPut(t, p, file("b.js", inline("b")))
	for n := 1; n <= p.Version; n++ {
		all := must(s.Publish.Files(t.Context(), p.ID, n))(t)
		for _, encoding := range []string{"gzip", "zstd", ""} {
			want := slices.Clone(all)
			for i := range want {
				want[i].Variants = slices.DeleteFunc(slices.Clone(want[i].Variants), func(v sandlot.Variant) bool { return v.Encoding != encoding })
				if len(want[i].Variants) == 0 {
					want[i].Variants = nil
				}
			}
			same(t, fmt.Sprint(encoding, " in version ", n), must(s.Publish.FilesWith(t.Context(), p.ID, n, encoding))(t), want)
		}
	}
	wants(t, "of a version that is not there", drop(s.Publish.FilesWith(t.Context(), p.ID, 99, "gzip")), sandlot.ErrNotFound)
}

func nearCases() []storeCase {
	return []storeCase{
		{"FilesNear/returns the current file of that folded name, one that is a folder of it, and those that lie in it, at most ten", near},
	}
}

func near(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	list := []sandlot.File{{Name: "README", Folded: "readme", Blob: inline("r")}}
	for _, name := range []string{"b.js", "lib/a.js", "lib/deep/b.js", "lib-a.js", "lib0", "lic", "gone"} {
		list = append(list, file(name, inline(name)))
	}
	p = must(s.Management.Rearrange(t.Context(), p.ID, publish.Change{Put: append(list, manyFiles("many", 12, inline)...)}, edit(p)))(t)
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
