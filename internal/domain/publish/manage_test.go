package publish_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// managed is a project with two files, and its owner.
func (w *world) managed() (sandlot.Caller, sandlot.ProjectID) {
	w.t.Helper()
	by := w.account()
	p, _, err := w.Publish(w.t.Context(), by, publish.PublishInput{Content: w.stage(page)})
	expect.OK(w.t, err)
	me := w.owner(by.Account())
	w.putForm(me, p.Project.ID, "a.js", "one")
	return me, p.Project.ID
}

func (w *world) putForm(by sandlot.Caller, id sandlot.ProjectID, name, text string) {
	w.t.Helper()
	expect.OK(w.t, testworld.PutFiles(w.t.Context(), w.Service, by, id, []testworld.File{{Name: name, Content: w.stage(text)}}, publish.Form{Token: "put " + name + text}))
}

// contents are the files of the current version.
func (w *world) contents(by sandlot.Caller, id sandlot.ProjectID) (version int, files map[string]int64) {
	w.t.Helper()
	m, err := w.Manage(w.t.Context(), by, id)
	expect.OK(w.t, err)
	files = map[string]int64{}
	for _, f := range m.Files {
		files[f.Name] = f.Blob.Size
	}
	return m.Project.Version, files
}

// stored counts the blobs on the disk.
func (w *world) stored() (n int) {
	w.t.Helper()
	for _, err := range w.blobs.List(w.t.Context(), time.Now().Add(time.Hour)) {
		expect.OK(w.t, err)
		n++
	}
	return n
}

func TestManage(t *testing.T) {
	t.Parallel()
	t.Run("words are brought into form or refused", func(t *testing.T) {
		w := newWorld(t)
		by, id := w.managed()
		d := publish.Details{Title: "a\u202eb\x00" + strings.Repeat("x", 500), Description: "<b>one\r\ntwo\u202e\x07\u2028three", Threads: true}
		expect.OK(t, w.Describe(t.Context(), by, id, publish.DescribeInput{Details: d}))
		m, err := w.Manage(t.Context(), by, id)
		want := publish.Details{Title: "ab" + strings.Repeat("x", 198), Description: "<b>one\ntwo\nthree", Threads: true}
		if diff := cmp.Diff(want, m.Details); err != nil || diff != "" {
			t.Error(err, diff)
		}
		if p, err := w.Current(t.Context(), nobody(), id); err != nil || !p.Threads {
			t.Errorf("the address does not see it: %v %v", p, err)
		}
		d.Description = strings.Repeat("é", publish.MaxDescription+1)
		expect.Is(t, "too long", w.Describe(t.Context(), by, id, publish.DescribeInput{Details: d}), sandlot.CodeInvalidField)
	})
	t.Run("deleting needs the id, and the address stays gone", func(t *testing.T) {
		w := newWorld(t)
		by, id := w.managed()
		expect.Is(t, "with another id", second(w.DeleteProject(t.Context(), by, string(id), "no")), sandlot.CodeInvalidField)
		expect.Is(t, "with none", second(w.DeleteProject(t.Context(), by, string(id), "")), sandlot.CodeMissingField)
		expect.OK(t, second(w.DeleteProject(t.Context(), by, string(id), " "+string(id)+" ")))
		_, err := w.Current(t.Context(), nobody(), id)
		expect.Is(t, "its address", err, sandlot.CodeProjectNotFound)
	})
}

func TestForms(t *testing.T) {
	t.Parallel()
	t.Run("several files are one version, or none if one is refused", func(t *testing.T) {
		w := newWorld(t)
		by, id := w.managed()
		files := func(names ...string) (list []testworld.File) {
			for _, n := range names {
				list = append(list, testworld.File{Name: n, Content: w.stage(large)})
			}
			return list
		}
		for _, bad := range []string{"../x", "A.JS", "a.js/x", "b/x", ""} {
			var refused publish.FileError
			if err := testworld.PutFiles(t.Context(), w.Service, by, id, files("b", bad), publish.Form{Token: "bad"}); !errors.As(err, &refused) || refused.Name != bad && bad != "b/x" {
				t.Errorf("%q was taken, or another is named: %v", bad, err)
			}
		}
		if version, got := w.contents(by, id); version != 2 || len(got) != 2 {
			t.Errorf("after refusals: version %d with %v", version, got)
		}
		expect.Equal(t, "blobs are left", w.stored(), 0)
		for range 2 { // the same form sent twice
			expect.OK(t, testworld.PutFiles(t.Context(), w.Service, by, id, files("b", "c/d.js"), publish.Form{Token: "good"}))
		}
		if version, got := w.contents(by, id); version != 3 || len(got) != 4 {
			t.Errorf("afterwards: version %d with %v", version, got)
		}
		expect.Equal(t, "blobs are kept", w.stored(), 2)
	})
	t.Run("the primary file moves along, and what it is the API protects", func(t *testing.T) {
		w := newWorld(t)
		by, id := w.managed()
		expect.OK(t, w.ChoosePrimary(t.Context(), by, id, "a.js", publish.Form{Token: "1"}))
		expect.OK(t, w.MoveFile(t.Context(), by, id, "a.js", "lib/b.js", publish.Form{Token: "2"}))
		for _, name := range []string{"lib/b.js", "index.html"} {
			if _, err := w.DeleteFile(t.Context(), by, publish.DeleteInput{Project: string(id), Filename: name}); !errors.Is(err, sandlot.CodePrimaryFileProtected) {
				t.Errorf("the API deletes %s: %v", name, err)
			}
			if err := w.RemoveFiles(t.Context(), by, id, []string{name}, publish.Form{Token: "gone"}); !errors.Is(err, sandlot.CodePrimaryFileProtected) {
				t.Errorf("the website deletes %s: %v", name, err)
			}
		}
		expect.Is(t, "index.html is renamed", w.MoveFile(t.Context(), by, id, "index.html", "x.html", publish.Form{Token: "3"}), sandlot.CodePrimaryFileProtected)
		m, err := w.Manage(t.Context(), by, id)
		if err != nil || m.Project.Primary != "lib/b.js" || m.Project.Version != 4 {
			t.Errorf("%+v, %v", m.Project, err)
		}
	})
	t.Run("a file that is larger than any may be is refused", func(t *testing.T) {
		w := newWorld(t, func(c *publish.Config) { c.MaxFile = int64(len(page)) })
		by, id := w.managed()
		err := testworld.PutFiles(t.Context(), w.Service, by, id, []testworld.File{{Name: "b", Content: w.stage(large)}}, publish.Form{Token: "f"})
		if !errors.Is(err, sandlot.CodeContentTooLarge) || w.stored() != 0 {
			t.Errorf("%v, %d blobs are left", err, w.stored())
		}
	})
	t.Run("a page's word serves several acts, and none without it", func(t *testing.T) {
		w := newWorld(t)
		by, id := w.managed()
		for _, to := range []string{"b.js", "c.js"} {
			from := map[string]string{"b.js": "a.js", "c.js": "b.js"}[to]
			for range 2 {
				expect.OK(t, w.MoveFile(t.Context(), by, id, from, to, publish.Form{Token: "word"}))
			}
		}
		if version, got := w.contents(by, id); version != 4 || got["c.js"] == 0 {
			t.Errorf("after two moves: version %d with %v", version, got)
		}
		for _, word := range []string{"", strings.Repeat("x", 65)} {
			if err := w.RestoreVersion(t.Context(), by, id, 1, publish.Form{Token: word}); !errors.Is(err, sandlot.CodeInvalidField) {
				t.Errorf("by the word %q: %v", word, err)
			}
		}
	})
	t.Run("several files are removed in one version, none with one that is protected", func(t *testing.T) {
		w := newWorld(t)
		by, id := w.managed()
		w.putForm(by, id, "b.js", "two")
		for _, list := range [][]string{{"a.js", "index.html"}, {"a.js", "../x"}} {
			if err := w.RemoveFiles(t.Context(), by, id, list, publish.Form{Token: "bad"}); err == nil {
				t.Errorf("%q are removed", list)
			}
		}
		expect.OK(t, w.RemoveFiles(t.Context(), by, id, []string{"b.js", "a.js", "b.js", "none"}, publish.Form{Token: "all"}))
		if version, got := w.contents(by, id); version != 4 || len(got) != 1 {
			t.Errorf("version %d with %v", version, got)
		}
	})
	t.Run("of two forms made from the same version the second is told", func(t *testing.T) {
		w := newWorld(t)
		by, id := w.managed() // version 2
		seen := func(token string) publish.Form { return publish.Form{Token: token, Seen: 2} }
		for range 2 { // pressed twice it is done once
			expect.OK(t, w.RemoveFiles(t.Context(), by, id, []string{"a.js"}, seen("first")))
		}
		w.unchanged(t, func() {
			for what, err := range map[string]error{
				"put":     testworld.PutFiles(t.Context(), w.Service, by, id, []testworld.File{{Name: "b.js", Content: w.stage("b")}}, seen("put")),
				"move":    w.MoveFile(t.Context(), by, id, "a.js", "b.js", seen("move")),
				"remove":  w.RemoveFiles(t.Context(), by, id, []string{"a.js"}, seen("remove")),
				"primary": w.ChoosePrimary(t.Context(), by, id, "a.js", seen("primary")),
				"restore": w.RestoreVersion(t.Context(), by, id, 1, seen("restore")),
			} {
				expect.Is(t, what, err, sandlot.CodeVersionConflict)
			}
		})
		errs := make([]error, 2)
		var at sync.WaitGroup
		for i := range errs {
			at.Go(func() {
				errs[i] = w.MoveFile(t.Context(), by, id, "index.html", fmt.Sprint(i, ".html"), publish.Form{Token: fmt.Sprint(i), Seen: 3})
			})
		}
		at.Wait()
		if (errs[0] == nil) == (errs[1] == nil) || !errors.Is(errors.Join(errs...), sandlot.CodeVersionConflict) {
			t.Errorf("two at once: %v", errs)
		}
	})
	t.Run("a file that is removed twice is gone once", func(t *testing.T) {
		w := newWorld(t)
		by, id := w.managed()
		for range 2 {
			expect.OK(t, w.RemoveFiles(t.Context(), by, id, []string{"a.js"}, publish.Form{Token: "gone"}))
		}
		if version, _ := w.contents(by, id); version != 3 {
			t.Errorf("version %d", version)
		}
	})
}

func TestWhatWasSeenIsNotReplacedUnseen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by, id := w.managed()
	w.putForm(by, id, "b.js", "two")
	expect.Is(t, "a restore of who saw version 2", w.RestoreVersion(t.Context(), by, id, 1, publish.Form{Token: "old", Seen: 2}), sandlot.CodeVersionConflict)
	if version, files := w.contents(by, id); version != 3 || len(files) != 3 {
		t.Errorf("it is at version %d with %v", version, files)
	}
	for range 2 { // the button pressed twice
		expect.OK(t, w.RestoreVersion(t.Context(), by, id, 1, publish.Form{Token: "new", Seen: 3}))
	}
	m, err := w.Manage(t.Context(), by, id)
	expect.OK(t, err)
	one, two := publish.Details{Title: "one"}, publish.Details{Title: "two"}
	lang := "pt_br"
	for range 2 {
		expect.OK(t, w.Describe(t.Context(), by, id, publish.DescribeInput{Details: one, Lang: &lang, Seen: m.Details.Mark()}))
	}
	meanwhile := publish.Details{Title: "another's", Description: "said meanwhile"}
	w.store.Step = func(step string) (before, after error) {
		if step == "SetDetails" {
			w.store.Step = nil
			err := w.db.Publish().SetDetails(t.Context(), id, meanwhile.Change())
			expect.OK(t, err)
		}
		return nil, nil
	}
	expect.Is(t, "details beside others", w.Describe(t.Context(), by, id, publish.DescribeInput{Details: two, Seen: one.Mark()}), sandlot.CodeVersionConflict)
	loose := meanwhile
	loose.Title = " another's  "
	for range 2 { // which is brought into form
		expect.OK(t, w.Describe(t.Context(), by, id, publish.DescribeInput{Details: loose, Seen: m.Details.Mark()}), "the same again, as it was typed")
	}
	expect.OK(t, w.Describe(t.Context(), by, id, publish.DescribeInput{Details: one, Seen: meanwhile.Mark()}))
	expect.Is(t, "details of who saw others", w.Describe(t.Context(), by, id, publish.DescribeInput{Details: two, Seen: m.Details.Mark()}), sandlot.CodeVersionConflict)
	if m, err = w.Manage(t.Context(), by, id); err != nil || m.Details != one || m.Project.Lang != "pt-BR" {
		t.Errorf("%+v, %v", m, err)
	}
}
