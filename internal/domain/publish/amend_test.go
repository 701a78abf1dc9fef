package publish_test

import (
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

func TestAmend(t *testing.T) {
	t.Parallel()
	yes, no, title, text, lang := true, false, "T\u202ewo", "One\r\ntwo", "de_DE.UTF-8"
	primary := func(name string) *string { return &name }
	t.Run("what is said is recorded without a version, and all else is as before", func(t *testing.T) {
		w := newWorld(t)
		by, id := w.history()
		v, err := w.Amend(t.Context(), by, string(id), publish.AmendInput{Title: &title, Lang: &lang, About: publish.About{Listed: &no, Threads: &yes}})
		expect.OK(t, err)
		if v.Project.Version != 3 || v.Project.Title != "Two" || !v.Project.Unlisted || !v.Project.Threads || v.Project.Lang != "de-DE" || len(v.Files) != 2 || len(v.Warnings) != 2 {
			t.Errorf("%+v", v)
		}
		v, err = w.Amend(t.Context(), by, string(id), publish.AmendInput{About: publish.About{Description: &text}})
		expect.OK(t, err)
		if *v.About != (publish.Details{Title: "Two", Description: "One\ntwo", Unlisted: true, Threads: true}) || v.Project.Lang != "de-DE" {
			t.Errorf("%+v", v.About)
		}
	})
	t.Run("the runtime is what its owner says, also with another primary file", func(t *testing.T) {
		w := newWorld(t)
		by, id := w.history()
		for _, c := range []struct {
			word    string
			primary *string
			want    sandlot.Runtime
		}{{"read", nil, sandlot.RuntimeRead}, {"off", primary("a.js"), sandlot.RuntimeOff}, {"on", nil, sandlot.RuntimeOn}} {
			v, err := w.Amend(t.Context(), by, string(id), publish.AmendInput{Runtime: &c.word, Primary: c.primary})
			expect.OK(t, err)
			expect.Equal(t, c.word, v.Project.Runtime, c.want)
			p, err := w.Reader.Current(t.Context(), sandlot.Caller{}, id)
			expect.OK(t, err)
			expect.Equal(t, c.word+" shows at once", p.Runtime, c.want)
		}
	})
	t.Run("another primary file makes a version, with what else is said in the same step", func(t *testing.T) {
		w := newWorld(t)
		by, id := w.history()
		var steps []string
		w.store.Step = func(step string) (before, after error) {
			if step == "Rearrange" || step == "SetDetails" {
				steps = append(steps, step)
			}
			return nil, nil
		}
		v, err := w.Amend(t.Context(), by, string(id), publish.AmendInput{Primary: primary("a.js"), Title: &title, About: publish.About{Description: &text, Listed: &no}})
		expect.OK(t, err)
		w.store.Step = nil
		expect.Same(t, "steps", steps, []string{"Rearrange"})
		if v.Project.Version != 4 || v.Project.Primary != "a.js" || v.Project.Title != "Two" || v.About.Description != "One\ntwo" || !v.Project.Unlisted {
			t.Errorf("%+v", v)
		}
		v, err = w.Amend(t.Context(), by, string(id), publish.AmendInput{Primary: primary("a.js"), About: publish.About{Listed: &yes}})
		expect.OK(t, err)
		if v.Project.Version != 4 || v.Project.Unlisted {
			t.Errorf("what is as it is already made a version: %+v", v.Project)
		}
	})
	t.Run("what is refused changes nothing at all", func(t *testing.T) {
		w := newWorld(t)
		by, id := w.history()
		w.put(by, id, "empty.txt", "")
		three, long, bad := 3, strings.Repeat("x", publish.MaxDescription+1), "not a language at all"
		for what, c := range map[string]struct {
			in    publish.AmendInput
			code  sandlot.Code
			field string
		}{
			"nothing":                {publish.AmendInput{}, sandlot.CodeMissingField, ""},
			"only a version":         {publish.AmendInput{IfVersion: &three}, sandlot.CodeMissingField, ""},
			"a file that is not":     {publish.AmendInput{Title: &title, Primary: primary("none.html")}, sandlot.CodeFileNotFound, "primary_file"},
			"an empty file":          {publish.AmendInput{Title: &title, Primary: primary("empty.txt")}, sandlot.CodeInvalidField, "primary_file"},
			"no name":                {publish.AmendInput{Title: &title, Primary: primary("../x")}, sandlot.CodeInvalidFilename, "primary_file"},
			"another version":        {publish.AmendInput{Title: &title, Primary: primary("a.js"), IfVersion: &three}, sandlot.CodeVersionConflict, "if_version"},
			"another version, words": {publish.AmendInput{Title: &title, IfVersion: &three}, sandlot.CodeVersionConflict, "if_version"},
			"too long a description": {publish.AmendInput{Title: &title, About: publish.About{Description: &long}}, sandlot.CodeInvalidField, "description"},
			"no language":            {publish.AmendInput{Title: &title, Lang: &bad}, sandlot.CodeInvalidField, "lang"},
			"no runtime":             {publish.AmendInput{Title: &title, Runtime: &bad}, sandlot.CodeInvalidField, "runtime"},
			"an empty runtime":       {publish.AmendInput{Title: &title, Runtime: new("")}, sandlot.CodeInvalidField, "runtime"},
		} {
			w.unchanged(t, func() {
				_, err := w.Amend(t.Context(), by, string(id), c.in)
				if e := refused(t, err, c.code); e.Field != c.field {
					t.Errorf("%s: the field at fault is %q", what, e.Field)
				}
			})
		}
	})
	t.Run("a key that was revoked since it was looked up changes nothing", func(t *testing.T) {
		w := newWorld(t)
		by, id := w.history()
		w.in.Exec("UPDATE keys SET revoked_at = 1")
		for _, in := range []publish.AmendInput{{Title: &title}, {Title: &title, Primary: primary("a.js")}} {
			_, err := w.Amend(t.Context(), by, string(id), in)
			refused(t, err, sandlot.CodeInvalidKey)
		}
		p, err := w.db.Publish().Project(t.Context(), id)
		if err != nil || p.Title == "Two" || p.Version != 3 {
			t.Errorf("%+v, %v", p, err)
		}
	})
}
