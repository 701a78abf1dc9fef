package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/publish"
)

func fileCases() []storeCase {
	return []storeCase{
		{"PutFile/makes the version after at.Expect, in which the file of f's name is f and all others are as before", putFile},
		{"PutFile/if the project is at another version it fails with ErrMoved", putFileMoved},
		{"PutFile/sets the title and an email in the same step", putFileTitle},
		{"PutFile/another file of the same folded name is ErrExists", putFileFolded},
		{"DeleteFile/makes the version after at.Expect, which lacks one file", deleteFile},
		{"DeleteFile/a file that is not there is ErrNotFound", deleteFileMissing},
		{"DeleteFile/if the project is at another version it fails with ErrMoved", deleteFileMoved},
		{"Files/returns the files of a version by name, in byte order", filesInOrder},
		{"Files/with the variants made so far", filesVariants},
		{"Files/of a version never change", filesOfThePast},
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

func putFileMoved(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	now := s.mustPut(t, p, file("a.js", inline("abc")))
	for _, expect := range []int{0, 1, 3} {
		at := edit(now)
		at.Expect = expect
		_, err := s.Publish.PutFile(t.Context(), p.ID, file("b.js", inline("b")), at)
		wants(t, fmt.Sprint("at version ", expect), err, sandlot.ErrMoved)
	}
	same(t, "the project", must(s.Publish.Project(t.Context(), p.ID))(t), now)
}

func putFileTitle(t *testing.T, s Stores) {
	a := s.withEmail(t, "kim")
	p := must(s.Publish.CreateProject(t.Context(), newProject("pong", a.ID)))(t)
	at := edit(p)
	title, j := "Another title", job("new@example.com", base())
	at.Title, at.Email = &title, &publish.NewEmail{Address: j.Address, Job: j}
	p = must(s.Publish.PutFile(t.Context(), p.ID, file("a.js", inline("abc")), at))(t)
	same(t, "title and verified", []any{p.Title, p.Verified}, []any{title, false})
	a.Email, a.EmailVerified, j.Account = j.Address, false, a.ID
	same(t, "the jobs", withoutIDs(must(s.Mail.ClaimJobs(t.Context(), base(), base().Add(time.Minute), account.Busy{}, 9))(t)), []sandlot.Job{j})
	same(t, "the project, read again", must(s.Publish.Project(t.Context(), p.ID))(t), p)
	same(t, "the account", must(s.Publish.Account(t.Context(), a.ID))(t), a)
}

func putFileFolded(t *testing.T, s Stores) {
	p := s.mustPut(t, s.mustProject(t, "pong"), file("logo.png", inline("one")))
	_, err := s.Publish.PutFile(t.Context(), p.ID, sandlot.File{Name: "Logo.png", Folded: "logo.png", Blob: inline("two")}, edit(p))
	wants(t, "the name in another case", err, sandlot.ErrExists)
	same(t, "the files", texts(t, s.Publish, p.ID, 2), map[string]string{"index.html": "<p>pong", "logo.png": "one"})
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

func deleteFileMissing(t *testing.T, s Stores) {
	p := s.mustPut(t, s.mustProject(t, "pong"), file("a.js", inline("abc")))
	for _, name := range []string{"b.js", "A.js", "", "a"} {
		_, err := s.Publish.DeleteFile(t.Context(), p.ID, name, edit(p))
		wants(t, "file "+name, err, sandlot.ErrNotFound)
	}
	p = must(s.Publish.DeleteFile(t.Context(), p.ID, "a.js", edit(p)))(t)
	_, err := s.Publish.DeleteFile(t.Context(), p.ID, "a.js", edit(p))
	wants(t, "a file deleted before", err, sandlot.ErrNotFound)
	same(t, "the project", must(s.Publish.Project(t.Context(), p.ID))(t), p)
}

func deleteFileMoved(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	now := s.mustPut(t, p, file("a.js", inline("abc")))
	_, err := s.Publish.DeleteFile(t.Context(), p.ID, "a.js", edit(p))
	wants(t, "at version 1", err, sandlot.ErrMoved)
	same(t, "the project", must(s.Publish.Project(t.Context(), p.ID))(t), now)
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

func filesOfThePast(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	versions := []map[string]string{texts(t, s.Publish, p.ID, 1)}
	for i, name := range []string{"a.js", "b.js", "a.js", "index.html", "b.js", "a.js"} {
		if i == 4 {
			p = must(s.Publish.DeleteFile(t.Context(), p.ID, name, edit(p)))(t)
		} else {
			p = s.mustPut(t, p, file(name, inline(fmt.Sprint(name, i))))
		}
		versions = append(versions, texts(t, s.Publish, p.ID, p.Version))
	}
	for i, want := range versions {
		same(t, fmt.Sprint("version ", i+1), texts(t, s.Publish, p.ID, i+1), want)
	}
	same(t, "the last one", versions[6], map[string]string{"index.html": "index.html3", "a.js": "a.js5"})
}

func nearCases() []storeCase {
	return []storeCase{
		{"FilesNear/returns the current file whose folded name is folded", func(t *testing.T, s Stores) {
			near(t, s, map[string][]string{"b.js": {"b.js"}, "B.js": nil, "nothing": nil, "readme": {"README"}})
		}},
		{"FilesNear/returns a file that is one of its folders", func(t *testing.T, s Stores) {
			near(t, s, map[string][]string{"b.js/c": {"b.js"}, "b.js/c/d.js": {"b.js"}, "readme/x": {"README"}, "b.jsx/c": nil})
		}},
		{"FilesNear/returns files that lie in it as a folder", func(t *testing.T, s Stores) {
			near(t, s, map[string][]string{"lib": {"lib/a.js", "lib/deep/b.js"}, "lib/deep": {"lib/deep/b.js"}, "li": nil, "lib/d": nil})
		}},
		{"FilesNear/at most ten", nearTen},
		{"FilesNear/does not return files of the past", nearPast},
	}
}

func near(t *testing.T, s Stores, wants map[string][]string) {
	p := s.mustProject(t, "pong")
	for _, name := range []string{"b.js", "lib/a.js", "lib/deep/b.js", "lib-a.js", "lib0", "lic"} {
		p = s.mustPut(t, p, file(name, inline(name)))
	}
	p = s.mustPut(t, p, sandlot.File{Name: "README", Folded: "readme", Blob: inline("r")})
	for folded, want := range wants {
		var got []string
		for _, f := range must(s.Publish.FilesNear(t.Context(), p.ID, folded))(t) {
			got = append(got, f.Name)
			same(t, f.Name, f.Blob, s.fileNamed(t, p, f.Name).Blob)
		}
		same(t, "near "+folded, got, want)
	}
}

func nearTen(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	for i := range 12 {
		p = s.mustPut(t, p, file(fmt.Sprintf("lib/%d.js", i), inline("x")))
	}
	same(t, "the number of files", len(must(s.Publish.FilesNear(t.Context(), p.ID, "lib"))(t)), 10)
}

func nearPast(t *testing.T, s Stores) {
	p := s.mustPut(t, s.mustProject(t, "pong"), file("a.js", inline("a")))
	p = s.mustPut(t, p, file("a.js", inline("b")))
	same(t, "after a replacement", len(must(s.Publish.FilesNear(t.Context(), p.ID, "a.js"))(t)), 1)
	p = must(s.Publish.DeleteFile(t.Context(), p.ID, "a.js", edit(p)))(t)
	same(t, "after a deletion", len(must(s.Publish.FilesNear(t.Context(), p.ID, "a.js"))(t)), 0)
}
