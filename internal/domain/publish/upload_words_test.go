package publish_test

import (
	"slices"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

func warned(t *testing.T, warnings []sandlot.Warning, code, words string) {
	t.Helper()
	if !slices.ContainsFunc(warnings, func(w sandlot.Warning) bool { return w.Code == code && strings.Contains(w.Message, words) }) {
		t.Errorf("no %s about %s in %v", code, words, warnings)
	}
}

func TestMessagesOfAPublishInParts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	send := func(p part, change func(*publish.PublishInput)) (publish.Published, *publish.Pending) {
		t.Helper()
		in := publish.PublishInput{Content: w.content(p), Part: p.input(), Title: p.title, Email: p.email, Handle: p.handle}
		if change != nil {
			change(&in)
		}
		out, pending, err := w.Publish(t.Context(), by, in)
		expect.OK(t, err)
		return out, pending
	}
	t.Run("what a later part says of the whole is ignored with a warning", func(t *testing.T) {
		_, pending := send(part{id: "a", n: 1, text: page, title: "One"}, nil)
		expect.Same(t, "warnings of part 1", codes(pending.Warnings), nil)
		_, pending = send(part{id: "a", n: 3, text: "x"}, func(in *publish.PublishInput) {
			in.Title, in.Handle, in.Email, in.Lang = "Two", "ada", "not an address", "xx-invalid-tag-"
		})
		expect.Same(t, "warnings", codes(pending.Warnings), []string{"metadata_ignored"})
		warned(t, pending.Warnings, "metadata_ignored", "title, handle, email, lang")
		out, _ := send(part{id: "a", n: 2, text: "y", last: false, total: 3, title: "Three"}, nil)
		warned(t, out.Warnings, "metadata_ignored", "title")
		expect.Same(t, "title", out.Project.Title, "One")
	})
	t.Run("the final answer repeats what part 1 was warned of, once", func(t *testing.T) {
		_, pending := send(part{id: "b", n: 1, text: page + "b", title: "b\x00"}, nil)
		expect.Same(t, "warnings of part 1", codes(pending.Warnings), []string{"title_cleaned"})
		out, _ := send(part{id: "b", n: 2, last: true, text: "x"}, nil)
		expect.Same(t, "warnings at the end", codes(out.Warnings), []string{"title_cleaned"})
		out, _ = send(part{id: "c", n: 1, last: true, text: page + "c", title: "c\x00"}, nil)
		expect.Same(t, "warnings of a single part", codes(out.Warnings), []string{"title_cleaned"})
		out, _ = send(part{id: "c", n: 1, last: true, text: page + "c", title: "c\x00"}, nil)
		expect.Same(t, "warnings of a single part sent again", codes(out.Warnings), []string{"title_cleaned"})
		send(part{id: "d", n: 1, text: page + "d", title: "d\x00"}, nil)
		out, _ = send(part{id: "d", total: 1}, nil)
		expect.Same(t, "warnings when the total completes it", codes(out.Warnings), []string{"title_cleaned"})
	})
	t.Run("a completed upload tells that another file needs another upload_id", func(t *testing.T) {
		_, _, err := w.Publish(t.Context(), by, publish.PublishInput{Content: w.stage("other bytes"), Part: part{id: "b", n: 2}.input()})
		if e := refused(t, err, sandlot.CodeUploadCompleted); !strings.Contains(e.Fix.Note, "Use a new upload_id for another file") {
			t.Errorf("note %q", e.Fix.Note)
		}
	})
}

func TestMessagesOfAnUpdateInParts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out := w.publish(nobody(), page)
	account, scoped, id := w.caller(out.Keys.Account), w.caller(out.Keys.Project), out.Project.ID
	other := w.publish(account, page).Project.ID
	begin := func(upload string) {
		t.Helper()
		title := "a\x00b"
		version := 1
		in := publish.UpdateInput{Project: string(id), Filename: "big.js", Title: &title, IfVersion: &version, Content: w.stage("one"), Part: part{id: upload, n: 1}.input()}
		_, _, err := w.Update(t.Context(), account, in)
		expect.OK(t, err)
	}
	later := func(by sandlot.Caller, upload string, project string, change func(*publish.UpdateInput)) (publish.Updated, *publish.Pending, error) {
		in := publish.UpdateInput{Project: project, Content: w.stage("two"), Part: part{id: upload, n: 3}.input()}
		if change != nil {
			change(&in)
		}
		return w.Update(t.Context(), by, in)
	}
	begin("u")
	t.Run("a project key must name its project with every part", func(t *testing.T) {
		w.unchanged(t, func() {
			_, _, err := later(scoped, "u", "", nil)
			e := refused(t, err, sandlot.CodeProjectIDRequired)
			expect.Same(t, "proposal", e.Fix, sandlot.Fix{Op: sandlot.OpSame, Args: []sandlot.Arg{{Name: "project_id", Value: string(id)}}})
			_, _, err = later(scoped, "u", string(other), nil)
			refused(t, err, sandlot.CodeWrongProject)
			_, _, err = later(scoped, "u", "no-such-000000", nil)
			refused(t, err, sandlot.CodeProjectNotFound)
		})
		if _, _, err := later(scoped, "u", "http://localhost:8080/p/"+string(id), nil); err != nil {
			t.Error(err)
		}
	})
	t.Run("an account key may leave it out, but not name another project than part 1", func(t *testing.T) {
		if _, _, err := later(account, "u", "", nil); err != nil {
			t.Error(err)
		}
		w.unchanged(t, func() {
			_, _, err := later(account, "u", string(other), nil)
			e := refused(t, err, sandlot.CodeInvalidField)
			expect.Same(t, "field", e.Field, "project_id")
		})
	})
	t.Run("what a later part says of the whole is ignored with a warning, unless part 1 said the same", func(t *testing.T) {
		_, pending, err := later(account, "u", "", func(in *publish.UpdateInput) {
			title, version := "x", 7
			in.Title, in.IfVersion, in.Filename, in.Email, in.Lang = &title, &version, "other.js", "x", "y"
		})
		expect.OK(t, err)
		warned(t, pending.Warnings, "metadata_ignored", "email, lang, title, filename, if_version")
		_, pending, err = later(account, "u", string(id), func(in *publish.UpdateInput) {
			version := 1
			in.Filename, in.IfVersion = "big.js", &version
		})
		if err != nil || pending.Warnings != nil {
			t.Errorf("%v, %v", pending.Warnings, err)
		}
	})
	t.Run("the final answer repeats what part 1 was warned of", func(t *testing.T) {
		up, _, err := later(account, "u", "", func(in *publish.UpdateInput) { in.Part = part{id: "u", n: 2, total: 3}.input() })
		expect.OK(t, err)
		expect.Same(t, "warnings", codes(up.Warnings), []string{"title_cleaned"})
	})
	t.Run("a completed upload is not answered for another project", func(t *testing.T) {
		_, _, err := later(account, "u", string(other), func(in *publish.UpdateInput) { in.Part = part{id: "u", n: 2, total: 3}.input() })
		refused(t, err, sandlot.CodeInvalidField)
	})
}

func TestProposalsOfUploads(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	send := func(p part, empty bool) *sandlot.Error {
		t.Helper()
		in := publish.PublishInput{Content: w.content(p), Part: p.input()}
		if empty {
			in.Content = missing
		}
		_, _, err := w.Publish(t.Context(), by, in)
		return sandlot.AsError(err)
	}
	arg := func(e *sandlot.Error, name string) any {
		for _, a := range e.Fix.Args {
			if a.Name == name {
				return a.Value
			}
		}
		return nil
	}
	w.waits(by, part{id: "open", n: 1, text: page, total: 3})
	for name, c := range map[string]struct {
		part
		empty bool
		total any
		anew  bool
	}{
		"no upload_id begins anew":                     {part{n: 2, text: "x"}, false, nil, true},
		"an upload_id of blanks begins anew":           {part{id: "a b", n: 2, text: "x"}, false, nil, true},
		"no part asks for its number":                  {part{id: "open", text: "x"}, false, nil, false},
		"a part of 0 asks for its number":              {part{id: "open", n: -1, text: "x"}, false, nil, false},
		"a part too large asks for its number":         {part{id: "open", n: 10_001, text: "x"}, false, nil, false},
		"a part above the total begins anew":           {part{id: "open", n: 4, text: "x"}, false, 4, true},
		"another total goes on with the first":         {part{id: "open", n: 2, total: 5, text: "x"}, false, 3, false},
		"another last part goes on with the total":     {part{id: "open", n: 2, last: true, text: "x"}, false, 3, false},
		"a total of 0 goes on":                         {part{id: "open", n: 2, total: -1, text: "x"}, false, nil, false},
		"no content goes on":                           {part{id: "open", n: 2}, true, nil, false},
		"part 2 first goes on with part 1 of the same": {part{id: "fresh", n: 2, text: "x"}, false, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			e := send(c.part, c.empty)
			if e == nil || e.Fix.Op != sandlot.OpSame {
				t.Fatalf("%v proposes %+v", e, e.Fix)
			}
			id, _ := arg(e, "upload_id").(string)
			if c.anew != (len(id) == 26) || c.anew && arg(e, "part") != 1 || arg(e, "total_parts") != c.total {
				t.Errorf("%v proposes %+v", e, e.Fix)
			}
			if strings.HasSuffix(name, "asks for its number") && arg(e, "part") != sandlot.PlaceholderPart {
				t.Errorf("%v proposes %+v", e, e.Fix)
			}
		})
	}
}
