package publish_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

func TestUpdate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out := w.publish(nobody(), page)
	by, id := w.caller(out.Keys.Account), out.Project.ID
	w.clock.move(time.Minute)
	added := w.put(by, id, "js/app.js", large)
	replaced := w.put(by, id, "index.html", "<p>two")
	t.Run("adds a file: same address, new version", func(t *testing.T) {
		if added.Project.Version != 2 || added.Previous != 1 || !added.Created || added.Project.FileCount != 2 || added.Project.Size != int64(len(page)+len(large)) {
			t.Errorf("%+v", added)
		}
		if added.Addresses.URL != out.Addresses.URL || added.Addresses.Version == out.Addresses.Version {
			t.Errorf("addresses %+v", added.Addresses)
		}
		if !added.Project.UpdatedAt.Equal(w.clock.now()) || !added.Project.CreatedAt.Equal(out.Project.CreatedAt) || added.Project.Title != "Space Cats" {
			t.Errorf("project %+v", added.Project)
		}
	})
	t.Run("replaces a file", func(t *testing.T) {
		if replaced.Project.Version != 3 || replaced.Created || replaced.Project.FileCount != 2 || replaced.File.Blob.Size != 6 {
			t.Errorf("%+v", replaced)
		}
	})
	t.Run("a version never changes", func(t *testing.T) {
		for version, want := range map[int]string{1: page, 2: page, 3: "<p>two"} {
			if got := w.text(id, version, "index.html"); got != want {
				t.Errorf("version %d has %q", version, got)
			}
		}
		files, err := w.Files(t.Context(), id, 1)
		expect.Same(t, "files of version 1", names(files), []string{"index.html"})
		expect.OK(t, err)
	})
	t.Run("a version is found under its secret address alone", func(t *testing.T) {
		p, err := w.AtVersion(t.Context(), nobody(), id, 1, out.Project.Suffix)
		if err != nil || p.Version != 1 {
			t.Errorf("%+v, %v", p, err)
		}
		for _, try := range []struct {
			n      int
			suffix string
		}{{1, replaced.Project.Suffix}, {1, ""}, {4, out.Project.Suffix}, {0, ""}} {
			_, err := w.AtVersion(t.Context(), nobody(), id, try.n, try.suffix)
			refused(t, err, sandlot.CodeProjectNotFound)
		}
	})
	t.Run("title sets the title", func(t *testing.T) {
		title := "Other\x00 Cats"
		up, _, err := w.Update(t.Context(), by, publish.UpdateInput{Project: string(id), Filename: "a", Title: &title, Content: w.stage("a")})
		if err != nil || up.Project.Title != "Other Cats" || up.Project.ID != id {
			t.Errorf("%+v, %v", up.Project, err)
		}
		expect.Same(t, "warnings", codes(up.Warnings), []string{"title_cleaned"})
	})
	t.Run("a file that is not the primary may be empty", func(t *testing.T) {
		if up := w.put(by, id, "empty.txt", ""); w.text(id, up.Project.Version, "empty.txt") != "" || up.File.Blob.Size != 0 {
			t.Errorf("%+v", up.File)
		}
	})
	t.Run("gzip in another file is stored with a warning, unless its name says so", func(t *testing.T) {
		expect.Same(t, "data.bin", codes(w.put(by, id, "data.bin", "\x1f\x8bx").Warnings), []string{"gzip_stored"})
		expect.Same(t, "data.js.gz", codes(w.put(by, id, "data.js.gz", "\x1f\x8bx").Warnings), nil)
	})
	t.Run("a name in NFD hits the file in NFC", func(t *testing.T) {
		w.put(by, id, "caf\u00e9.txt", "one")
		if up := w.put(by, id, "cafe\u0301.txt", "two"); up.Created || up.File.Name != "caf\u00e9.txt" {
			t.Errorf("%+v", up)
		}
	})
	t.Run("the project key works, for its project named", func(t *testing.T) {
		if up := w.put(w.caller(out.Keys.Project), id, "by-project-key.txt", "x"); up.Project.ID != id {
			t.Errorf("%+v", up)
		}
	})
	t.Run("wherever a project_id is taken, its addresses are taken too", func(t *testing.T) {
		for _, ref := range []string{out.Addresses.URL, out.Addresses.Path, out.Addresses.Page} {
			if up := w.put(by, sandlot.ProjectID(ref), "a", "x"); up.Project.ID != id {
				t.Errorf("%s is %s", ref, up.Project.ID)
			}
		}
	})
}

func TestUpdateRefusesAndLeavesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *publish.Config) { c.MaxFiles = 5 })
	out := w.publish(nobody(), page)
	by, id := w.caller(out.Keys.Account), string(out.Project.ID)
	w.put(by, out.Project.ID, "logo.png", "x")
	w.put(by, out.Project.ID, "a/b.js", "x")
	fresh := w.account()
	one := 1
	tests := []struct {
		name string
		by   sandlot.Caller
		in   publish.UpdateInput
		text string
		code sandlot.Code
	}{
		{"row 52: a project key without project_id", w.caller(out.Keys.Project), publish.UpdateInput{Filename: "a.js"}, large, sandlot.CodeProjectIDRequired},
		{"row 54: an account without projects", fresh, publish.UpdateInput{Filename: "a.js"}, large, sandlot.CodeNoProjects},
		{"row 55: an unknown project", by, publish.UpdateInput{Project: "nope-000000", Filename: "a.js"}, large, sandlot.CodeProjectNotFound},
		{"row 55: a path for a project", by, publish.UpdateInput{Project: "../x", Filename: "a.js"}, large, sandlot.CodeProjectNotFound},
		{"row 55: 10 KB for a project", by, publish.UpdateInput{Project: strings.Repeat("x", 10_000), Filename: "a.js"}, large, sandlot.CodeInvalidField},
		{"row 55: a project in capitals", by, publish.UpdateInput{Project: strings.ToUpper(id), Filename: "a.js"}, large, sandlot.CodeProjectNotFound},
		{"row 55: a project in other digits", by, publish.UpdateInput{Project: "space-cats-٠٠٠٠٠٠", Filename: "a.js"}, large, sandlot.CodeProjectNotFound},
		{"row 39: a name that climbs", by, publish.UpdateInput{Project: id, Filename: "../x"}, large, sandlot.CodeInvalidFilename},
		{"no name", by, publish.UpdateInput{Project: id}, large, sandlot.CodeInvalidFilename},
		{"row 47: a name in other case", by, publish.UpdateInput{Project: id, Filename: "Logo.png"}, large, sandlot.CodeFilenameConflict},
		{"row 48: a file where a folder is", by, publish.UpdateInput{Project: id, Filename: "a"}, large, sandlot.CodeFilenameConflict},
		{"row 48: a folder where a file is", by, publish.UpdateInput{Project: id, Filename: "logo.png/x"}, large, sandlot.CodeFilenameConflict},
		{"row 48: a folder where a file is, in other case", by, publish.UpdateInput{Project: id, Filename: "LOGO.png/x/y"}, large, sandlot.CodeFilenameConflict},
		{"row 49: INDEX.HTML", by, publish.UpdateInput{Project: id, Filename: "INDEX.HTML"}, large, sandlot.CodeFilenameConflict},
		{"an empty primary file", by, publish.UpdateInput{Project: id, Filename: "index.html"}, "", sandlot.CodeInvalidField},
		{"no content", by, publish.UpdateInput{Project: id, Filename: "a.js", Content: missing}, "", sandlot.CodeMissingField},
		{"double encoded HTML", by, publish.UpdateInput{Project: id, Filename: "about.htm"}, "\x1f\x8b" + large, sandlot.CodeDoubleEncoded},
		{"a key in a text file", by, publish.UpdateInput{Project: id, Filename: "a.js"}, large + out.Keys.Project.Reveal(), sandlot.CodeKeyInContent},
		{"another digest than declared", by, publish.UpdateInput{Project: id, Filename: "a.js", Declared: publish.Declared{SHA256: "00"}}, large, sandlot.CodeDigestMismatch},
		{"a bad email", by, publish.UpdateInput{Project: id, Filename: "a.js", Email: "@"}, large, sandlot.CodeInvalidEmail},
		{"the project has moved on", by, publish.UpdateInput{Project: id, Filename: "a.js", IfVersion: &one}, large, sandlot.CodeVersionConflict},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w.unchanged(t, func() {
				if !tt.in.Content.Missing {
					tt.in.Content = w.stage(tt.text)
				}
				_, pending, err := w.Update(t.Context(), tt.by, tt.in)
				refused(t, err, tt.code)
				if pending != nil {
					t.Error("it is pending")
				}
			})
		})
	}
	t.Run("row 51: a file too many, but not a new version of one", func(t *testing.T) {
		w.put(by, out.Project.ID, "4", "x")
		w.put(by, out.Project.ID, "5", "x")
		w.unchanged(t, func() {
			_, _, err := w.Update(t.Context(), by, publish.UpdateInput{Project: id, Filename: "6", Content: w.stage(large)})
			refused(t, err, sandlot.CodeQuotaExceeded)
		})
		w.put(by, out.Project.ID, "5", "y")
	})
	t.Run("a name in the way of a folder gets another one of the same type", func(t *testing.T) {
		_, _, err := w.Update(t.Context(), by, publish.UpdateInput{Project: id, Filename: "logo.png/x.js", Content: w.stage("x")})
		if e := refused(t, err, sandlot.CodeFilenameConflict); !slices.Contains(e.Fix.Args, sandlot.Arg{Name: "filename", Value: "logo.png-x-2.js"}) {
			t.Errorf("proposed %v", e.Fix.Args)
		}
	})
	t.Run("a filename that the hint proposes is taken", func(t *testing.T) {
		_, err := w.DeleteFile(t.Context(), by, publish.DeleteInput{Project: id, Filename: "5"})
		expect.OK(t, err)
		for _, name := range []string{"../x", "a", "logo.png/x.js", "Logo.png", "nul.txt", "index.html/a"} {
			_, _, err := w.Update(t.Context(), by, publish.UpdateInput{Project: id, Filename: name, Content: w.stage("x")})
			e := sandlot.AsError(err)
			if e == nil {
				t.Fatalf("%s: %v", name, err)
			}
			for _, a := range e.Fix.Args {
				if a.Name == "filename" {
					w.put(by, out.Project.ID, a.Value.(string), "x")
					if _, err := w.DeleteFile(t.Context(), by, publish.DeleteInput{Project: id, Filename: a.Value.(string)}); err != nil {
						t.Errorf("%s: %v", a.Value, err)
					}
				}
			}
		}
	})
}

func TestIfVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out := w.publish(nobody(), page)
	by, id := w.caller(out.Keys.Account), string(out.Project.ID)
	one, two := 1, 2
	put := func(v *int) error {
		_, _, err := w.Update(t.Context(), by, publish.UpdateInput{Project: id, Filename: "a", IfVersion: v, Content: w.stage(large)})
		return err
	}
	expect.OK(t, put(&one))
	t.Run("412 tells the current version, and the call it proposes works", func(t *testing.T) {
		e := refused(t, put(&one), sandlot.CodeVersionConflict)
		expect.Same(t, "details", e.Details, []sandlot.Detail{{Name: "version", Value: 2}, {Name: "project_id", Value: id}})
	})
	expect.OK(t, put(&two))
	t.Run("a deletion too", func(t *testing.T) {
		w.unchanged(t, func() {
			_, err := w.DeleteFile(t.Context(), by, publish.DeleteInput{Project: id, Filename: "a", IfVersion: &two})
			refused(t, err, sandlot.CodeVersionConflict)
		})
		three := 3
		if _, err := w.DeleteFile(t.Context(), by, publish.DeleteInput{Project: id, Filename: "a", IfVersion: &three}); err != nil {
			t.Error(err)
		}
	})
}

func TestMostRecentlyUpdatedGoesByTheOrderOfCommits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	first, second := w.publish(by, page), w.publish(by, page)
	touch := func() sandlot.ProjectID {
		t.Helper()
		w.clock.move(-time.Hour) // the clock goes backwards all the time
		out, _, err := w.Update(t.Context(), by, publish.UpdateInput{Filename: "a", Content: w.stage("a")})
		expect.OK(t, err)
		return out.Project.ID
	}
	if got := touch(); got != second.Project.ID {
		t.Errorf("%s, want the one published last", got)
	}
	w.clock.move(-time.Hour)
	w.put(by, first.Project.ID, "b", "b")
	if got := touch(); got != first.Project.ID {
		t.Errorf("%s, want the one updated last", got)
	}
	_, err := w.DeleteFile(t.Context(), by, publish.DeleteInput{Project: string(second.Project.ID), Filename: "a"})
	expect.OK(t, err)
	if got := touch(); got != second.Project.ID {
		t.Errorf("%s, want the one whose file was deleted last", got)
	}
	who, err := w.Whoami(t.Context(), by, 10, "")
	if err != nil || len(who.Projects) != 2 || who.Projects[0].Project.ID != second.Project.ID {
		t.Errorf("whoami %+v, %v", who.Projects, err)
	}
}

func TestDeleteFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out := w.publish(nobody(), page)
	by, id := w.caller(out.Keys.Account), out.Project.ID
	w.put(by, id, "assets/logo.png", large)
	remove := func(by sandlot.Caller, name string) (publish.Deleted, error) {
		return w.DeleteFile(t.Context(), by, publish.DeleteInput{Project: string(id), Filename: name})
	}
	refusals := []struct {
		name string
		by   sandlot.Caller
		in   publish.DeleteInput
		code sandlot.Code
	}{
		{"no project", by, publish.DeleteInput{Filename: "assets/logo.png"}, sandlot.CodeProjectIDRequired},
		{"an unknown project", by, publish.DeleteInput{Project: "nope-000000", Filename: "a"}, sandlot.CodeProjectNotFound},
		{"row 56: index.html", by, publish.DeleteInput{Project: string(id), Filename: "index.html"}, sandlot.CodePrimaryFileProtected},
		{"row 56: ./index.html", by, publish.DeleteInput{Project: string(id), Filename: "./index.html"}, sandlot.CodePrimaryFileProtected},
		{"row 56: INDEX.HTML", by, publish.DeleteInput{Project: string(id), Filename: "INDEX.HTML"}, sandlot.CodeFileNotFound},
		{"row 57: an unknown file", by, publish.DeleteInput{Project: string(id), Filename: "nope"}, sandlot.CodeFileNotFound},
		{"row 58: a folder", by, publish.DeleteInput{Project: string(id), Filename: "assets"}, sandlot.CodeFileNotFound},
		{"row 58: a folder with its slash", by, publish.DeleteInput{Project: string(id), Filename: "assets/"}, sandlot.CodeInvalidFilename},
		{"row 58: a pattern", by, publish.DeleteInput{Project: string(id), Filename: "*"}, sandlot.CodeInvalidFilename},
		{"the file in other case", by, publish.DeleteInput{Project: string(id), Filename: "assets/LOGO.png"}, sandlot.CodeFileNotFound},
		{"no file", by, publish.DeleteInput{Project: string(id)}, sandlot.CodeInvalidFilename},
		{"a bad email", by, publish.DeleteInput{Project: string(id), Filename: "assets/logo.png", Email: "a"}, sandlot.CodeInvalidEmail},
	}
	for _, tt := range refusals {
		t.Run(tt.name+" leaves all as it was", func(t *testing.T) {
			w.unchanged(t, func() {
				_, err := w.DeleteFile(t.Context(), tt.by, tt.in)
				refused(t, err, tt.code)
			})
		})
	}
	t.Run("removes exactly one file, as a new version", func(t *testing.T) {
		gone, err := remove(w.caller(out.Keys.Project), "assets/logo.png")
		if err != nil || gone.Project.Version != 3 || gone.Previous != 2 || gone.Filename != "assets/logo.png" || gone.Project.FileCount != 1 || gone.Project.Size != int64(len(page)) {
			t.Errorf("%+v, %v", gone, err)
		}
		left, err := w.Project(t.Context(), by, string(gone.Project.ID))
		expect.OK(t, err)
		expect.Same(t, "files", names(left.Files), []string{"index.html"})
	})
	t.Run("row 57: twice is 404 and says that it is safe", func(t *testing.T) {
		_, err := remove(by, "assets/logo.png")
		if e := refused(t, err, sandlot.CodeFileNotFound); !strings.Contains(e.Fix.Note, "nothing is left to do") {
			t.Errorf("note %q", e.Fix.Note)
		}
	})
	t.Run("the version before still has it", func(t *testing.T) {
		expect.Equal(t, "read", w.text(id, 2, "assets/logo.png"), large)
	})
	t.Run("a folder whose last file went is free for a file", func(t *testing.T) {
		w.put(by, id, "assets", "x")
	})
}

func TestUpdateAgainstAnotherNode(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out := w.publish(nobody(), page)
	by, id := w.caller(out.Keys.Account), out.Project.ID
	other := w.open(publish.Config{Places: local()})
	put := func(s *publish.Service, name string) error {
		c, err := s.Contents.Stage(t.Context(), strings.NewReader(large))
		if err != nil {
			return err
		}
		_, _, err = s.Update(t.Context(), by, publish.UpdateInput{Project: string(id), Filename: name, Content: c})
		return err
	}
	t.Run("an edit is computed again when another node was faster", func(t *testing.T) {
		races := 0
		w.store.Step = func(step string) (error, error) {
			if step == "FilesNear" && races < 3 {
				races++
				w.store.Step, other = nil, w.open(publish.Config{Places: local()})
				if err := put(other, fmt.Sprint("other", races)); err != nil {
					return err, nil
				}
			}
			return nil, nil
		}
		expect.OK(t, put(w.Service, "mine"))
		files, err := w.Files(t.Context(), id, 3)
		if err != nil || races == 0 {
			t.Fatalf("%d races, %v", races, err)
		}
		expect.Same(t, "files", names(files), []string{"index.html", "mine", "other1"})
	})
	t.Run("one that never catches up gives up, and leaves nothing", func(t *testing.T) {
		w.store.Step = func(step string) (error, error) {
			if step == "PutFile" {
				return sandlot.NoEffect(sandlot.ErrMoved), nil
			}
			return nil, nil
		}
		w.unchanged(t, func() { refused(t, put(w.Service, "mine"), sandlot.CodeUnavailable) })
		w.store.Step = nil
	})
	t.Run("an error of the store is no refusal", func(t *testing.T) {
		broken := errors.New("broken")
		w.store.Step = func(step string) (error, error) {
			if step == "FilesNear" {
				return broken, nil
			}
			return nil, nil
		}
		w.unchanged(t, func() {
			if err := put(w.Service, "mine"); !errors.Is(err, broken) || sandlot.AsError(err) != nil {
				t.Errorf("got %v", err)
			}
		})
		w.store.Step = nil
	})
}
