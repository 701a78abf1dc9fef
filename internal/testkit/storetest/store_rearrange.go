package storetest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// many is how many files a change of many has: more than a statement inserts.
const many = 700

func rearrangeCases() []storeCase {
	return []storeCase{
		{"Rearrange/of many files is as of few", rearrangeMany},
		{"Rearrange/of many files that is refused has had no effect, and may be asked for again with the same bytes", rearrangeManyRefused},
		{"Rearrange/of many files is seen wholly or not at all", rearrangeManyWhole},
		{"Rearrange/of many files and other edits beside it come one after the other", rearrangeManyBeside},
		{"Rearrange/of many files is made once under an idempotency record", rearrangeManyOnce},
	}
}

// manyFiles are that many with a name that begins so, which brings its bytes if they
// are to be inline.
func manyFiles(prefix string, n int, blob func(string) sandlot.Blob) []sandlot.File {
	list := make([]sandlot.File, n)
	for i := range list {
		name := fmt.Sprintf("%s/%04d.js", prefix, i)
		list[i] = file(name, blob(name))
	}
	return list
}

// without are the files of a version but its index.html.
func (s Stores) without(t *testing.T, p sandlot.Project) (list []sandlot.File) {
	t.Helper()
	for _, f := range must(s.Publish.Files(t.Context(), p.ID, p.Version))(t) {
		if f.Name != "index.html" {
			list = append(list, sandlot.File{Name: f.Name, Folded: f.Folded, Blob: f.Blob})
		}
	}
	return list
}

// mustMany makes a project of many files.
func (s Stores) mustMany(t *testing.T) sandlot.Project {
	t.Helper()
	p := s.mustProject(t, "pong")
	return must(s.Management.Rearrange(t.Context(), p.ID, publish.Change{Put: manyFiles("a", many, inline)}, edit(p)))(t)
}

func rearrangeMany(t *testing.T, s Stores) {
	p := s.mustMany(t)
	same(t, "version and number of files", []int{p.Version, p.FileCount}, []int{2, many + 1})
	index, old := s.current(t, p, "index.html"), s.without(t, p)
	c := publish.Change{Drop: append([]sandlot.File{index}, old...), Put: []sandlot.File{file("start.html", inline("start"))}, Primary: "start.html"}
	want := map[string]string{"start.html": "start"}
	size := int64(len("start"))
	for i, f := range old {
		name, blob := strings.Replace(f.Name, "a/", "b/", 1), f.Blob // the same bytes elsewhere
		text := f.Name
		switch i % 3 {
		case 1: // other bytes, and the name as before
			name, text = f.Name, "other "+f.Name
			blob = inline(text)
		case 2: // other bytes elsewhere
			text = "new " + f.Name
			blob = inline(text)
		}
		c.Put = append(c.Put, file(name, blob))
		want[name] = text
		size += int64(len(text))
	}
	got := must(s.Management.Rearrange(t.Context(), p.ID, c, edit(p)))(t)
	same(t, "read again", must(s.Publish.Project(t.Context(), p.ID))(t), got)
	same(t, "the totals", []any{got.Version, got.FileCount, got.Size, got.Primary}, []any{3, many + 1, size, "start.html"})
	same(t, "files", texts(t, s.Publish, p.ID, 3), want)
	same(t, "files before", s.without(t, p), old)
	same(t, "near", s.near(t, p.ID, "b"), near10(want, "b/"))
	back := publish.Change{Drop: must(s.Publish.Files(t.Context(), p.ID, 3))(t), Put: append(old, index), Primary: "index.html"}
	p3 := must(s.Management.Rearrange(t.Context(), p.ID, back, edit(got)))(t)
	same(t, "the files of before again", s.without(t, p3), old)
	same(t, "their totals", []any{p3.FileCount, p3.Size}, []any{p.FileCount, p.Size})
	list, _ := s.mistakes(t)
	same(t, "mistakes", list, nil)
	same(t, "what may go", s.sweepAll(t), nil)
}

func (s Stores) near(t *testing.T, id sandlot.ProjectID, folded string) (names []string) {
	t.Helper()
	for _, f := range must(s.Publish.FilesNear(t.Context(), id, folded))(t) {
		names = append(names, f.Name)
	}
	return names
}

// near10 are the first ten of the names that begin so.
func near10(files map[string]string, prefix string) (names []string) {
	for i := 0; len(names) < 10; i++ {
		name := fmt.Sprintf("%s%04d.js", prefix, i)
		if _, there := files[name]; there {
			names = append(names, name)
		}
	}
	return names
}

func rearrangeManyRefused(t *testing.T, s Stores) {
	p := s.mustMany(t)
	before := s.without(t, p)
	put := manyFiles("new", many, named)
	c := publish.Change{Drop: before, Put: put}
	refs := make([]sandlot.BlobRef, len(put))
	for i, f := range put {
		refs[i] = f.Blob.Ref
	}
	missing, twice, gone := c, c, c
	missing.Put = append(put[:many:many], file("missing.js", sandlot.Blob{ID: 1 << 40, Size: 1}))
	twice.Put = append(put[:many:many], file("index.html", inline("taken")))
	gone.Drop = append(before[:many:many], s.current(t, p, "index.html"))
	moved, within := edit(p), edit(p)
	moved.Expect--
	within.Within = publish.Quota{Bytes: 2 * p.Size}
	for _, r := range []struct {
		what string
		c    publish.Change
		at   publish.Edit
		want error
	}{
		{"a recorded blob that is not there", missing, edit(p), sandlot.ErrNotFound},
		{"a name that is taken", twice, edit(p), sandlot.ErrExists},
		{"no primary file", gone, edit(p), sandlot.ErrNoPrimary},
		{"another version", c, moved, sandlot.ErrMoved},
		{"too many bytes", c, within, sandlot.ErrTooManyBytes},
	} {
		err := drop(s.Management.Rearrange(t.Context(), p.ID, r.c, r.at))
		wants(t, r.what, err, r.want)
		wants(t, r.what+" says that it had no effect", err, sandlot.ErrNoEffect)
		same(t, r.what+": the project", must(s.Publish.Project(t.Context(), p.ID))(t), p)
		same(t, r.what+": its files", s.without(t, p), before)
		same(t, r.what+": names without a record", must(s.Upkeep.Unknown(t.Context(), refs))(t), refs)
		list, _ := s.mistakes(t)
		same(t, r.what+": mistakes", list, nil)
	}
	p = must(s.Management.Rearrange(t.Context(), p.ID, c, edit(p)))(t)
	same(t, "in the end", p.FileCount, many+1)
	same(t, "names without a record", must(s.Upkeep.Unknown(t.Context(), refs))(t), nil)
	same(t, "what may go", s.sweepAll(t), nil)
}

// rearrangeManyWhole reads and sweeps while a project has many files of one folder and
// of another in turn.
func rearrangeManyWhole(t *testing.T, s Stores) {
	p := s.mustMany(t)
	const last = 8
	ended := make(chan error, 1)
	go func() {
		var err error
		for p := p; err == nil && p.Version < last; {
			var list []sandlot.File
			if list, err = s.Publish.Files(background(), p.ID, p.Version); err != nil {
				break
			}
			c := publish.Change{}
			for _, f := range list {
				if f.Name != "index.html" {
					c.Drop = append(c.Drop, f)
					c.Put = append(c.Put, file(fmt.Sprintf("v%d/%s", p.Version+1, f.Name[strings.LastIndexByte(f.Name, '/')+1:]), f.Blob))
				}
			}
			p, err = s.Management.Rearrange(background(), p.ID, c, edit(p))
		}
		ended <- err
	}()
	for seen := 0; seen < last && len(ended) == 0; {
		p := must(s.Publish.Project(t.Context(), p.ID))(t)
		files := must(s.Publish.Files(t.Context(), p.ID, p.Version))(t)
		folders, size := map[string]int{}, int64(0)
		for _, f := range files {
			folder, _, _ := strings.Cut(f.Name, "/")
			folders[folder]++
			size += f.Blob.Size
		}
		now := fmt.Sprintf("v%d", p.Version)
		if p.Version == 2 {
			now = "a"
		}
		same(t, "files of each folder", folders, map[string]int{"index.html": 1, now: many})
		same(t, "their size", size, p.Size)
		list, _ := s.mistakes(t)
		same(t, "mistakes", list, nil)
		same(t, "what may go", s.sweepAll(t), nil)
		if p.Version < seen {
			t.Fatalf("version %d was read after %d", p.Version, seen)
		}
		seen = p.Version
	}
	ok(t, <-ended)
}

// rearrangeManyBeside has several want to make the same next version.
func rearrangeManyBeside(t *testing.T, s Stores) {
	p := s.mustMany(t)
	for round := range 4 {
		list := s.without(t, p)
		calls := []func() error{
			func() error {
				return drop(s.Publish.PutFile(background(), p.ID, file("put.js", inline("put")), edit(p)))
			},
			func() error { return drop(s.Publish.DeleteFile(background(), p.ID, list[0].Name, edit(p))) },
		}
		for i := range 3 {
			c := publish.Change{Drop: list, Put: manyFiles(fmt.Sprintf("r%d-%d", round, i), many, inline)}
			calls = append(calls, func() error { return drop(s.Management.Rearrange(background(), p.ID, c, edit(p))) })
		}
		results := make(chan error, len(calls))
		for _, do := range calls {
			go func() { results <- do() }()
		}
		made := 0
		for range calls {
			switch err := <-results; {
			case err == nil:
				made++
			case !errors.Is(err, sandlot.ErrMoved) || !errors.Is(err, sandlot.ErrNoEffect):
				t.Error(err)
			}
		}
		same(t, "versions made", made, 1)
		next := must(s.Publish.Project(t.Context(), p.ID))(t)
		same(t, "the version", next.Version, p.Version+1)
		same(t, "its files", len(must(s.Publish.Files(t.Context(), p.ID, next.Version))(t)), next.FileCount)
		same(t, "those of the one before", s.without(t, p), list)
		found, _ := s.mistakes(t)
		same(t, "mistakes", found, nil)
		p = next
	}
}

func rearrangeManyOnce(t *testing.T, s Stores) {
	p := s.mustMany(t)
	at := edit(p)
	at.Idempotency = &publish.IdempotencyRecord{Key: sum("form"), Project: p.ID, Version: 3, ExpiresAt: base().Add(aDay)}
	c := publish.Change{Put: manyFiles("b", many, inline)}
	results := make(chan error, 2)
	for range 2 {
		go func() { results <- drop(s.Management.Rearrange(background(), p.ID, c, at)) }()
	}
	one, other := <-results, <-results
	if one != nil {
		one, other = other, one
	}
	ok(t, one)
	wants(t, "the other", other, sandlot.ErrAlreadyDone)
	wants(t, "again", drop(s.Management.Rearrange(t.Context(), p.ID, c, at)), sandlot.ErrAlreadyDone)
	same(t, "what was made", must(s.Publish.IdempotencyRecord(t.Context(), sum("form"), base()))(t).Version, 3)
	same(t, "files", must(s.Publish.Project(t.Context(), p.ID))(t).FileCount, 2*many+1)
}
