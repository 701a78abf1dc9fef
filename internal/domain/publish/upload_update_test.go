package publish_test

import (
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

func TestChunkedUpdate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out := w.publish(nobody(), page)
	by, scoped, id := w.caller(out.Keys.Account), w.caller(out.Keys.Project), out.Project.ID
	sibling := w.publish(by, page)
	send := func(by sandlot.Caller, p part, change func(*publish.UpdateInput)) (publish.Updated, *publish.Pending, error) {
		in := publish.UpdateInput{Content: w.content(p), Part: p.input(), Declared: p.declared}
		if p.n == 1 || by.Scoped() {
			in.Project = string(id)
		}
		if p.n == 1 {
			in.Filename = "big.js"
		}
		if change != nil {
			change(&in)
		}
		return w.Update(t.Context(), by, in)
	}
	must := func(by sandlot.Caller, p part) publish.Updated {
		t.Helper()
		up, _, err := send(by, p, nil)
		expect.OK(t, err)
		return up
	}
	must(by, part{id: "u", n: 1, text: long("one"), total: 2})
	up := must(scoped, part{id: "u", n: 2, text: long("two")})
	t.Run("makes a version with the joined file", func(t *testing.T) {
		if up.Project.Version != 2 || !up.Created || up.Previous != 1 || up.File.Name != "big.js" {
			t.Errorf("%+v", up)
		}
		expect.Same(t, "content", w.text(id, 2, "big.js"), long("one")+long("two"))
	})
	t.Run("the completing part sent again gets the same answer, also later", func(t *testing.T) {
		w.put(by, id, "big.js", "newer")
		w.unchanged(t, func() {
			again := must(scoped, part{id: "u", n: 2, text: long("two")})
			if again.Project.Version != 2 || again.Previous != 1 || !again.Created || again.Addresses != up.Addresses || again.File.Blob.SHA256 != up.File.Blob.SHA256 ||
				again.Project.Size != up.Project.Size || again.Project.FileCount != 2 || !again.Project.UpdatedAt.Equal(up.Project.UpdatedAt) {
				t.Errorf("%+v", again)
			}
		})
		_, _, err := send(by, part{id: "u", n: 1, text: long("one")}, nil)
		refused(t, err, sandlot.CodeUploadCompleted)
	})
	t.Run("a publish of the same upload_id is another upload", func(t *testing.T) {
		w.waits(by, part{id: "u", n: 1, text: page, total: 2})
	})
	t.Run("no key", func(t *testing.T) {
		w.unchanged(t, func() {
			_, _, err := send(nobody(), part{id: "n", n: 1, text: long("x")}, nil)
			refused(t, err, sandlot.CodeKeyRequired)
			_, _, err = send(nobody(), part{id: "n", n: 2, text: long("x")}, nil)
			refused(t, err, sandlot.CodeKeyRequired)
		})
	})
	t.Run("a key of another project neither joins nor learns of it", func(t *testing.T) {
		other := w.caller(sibling.Keys.Project)
		must(by, part{id: "s", n: 1, text: long("one"), total: 2})
		w.unchanged(t, func() {
			_, _, err := send(other, part{id: "s", n: 2, text: long("x")}, nil)
			refused(t, err, sandlot.CodeWrongProject)
			_, _, err = send(other, part{id: "s", n: 1, text: long("x")}, nil)
			refused(t, err, sandlot.CodeWrongProject)
			_, _, err = send(other, part{id: "s", n: 1, text: long("x")}, func(in *publish.UpdateInput) { in.Project = string(sibling.Project.ID) })
			refused(t, err, sandlot.CodeWrongProject)
		})
		must(by, part{id: "s", n: 2, text: long("two")})
		w.unchanged(t, func() {
			_, _, err := send(other, part{id: "s", n: 2, text: long("two")}, nil)
			refused(t, err, sandlot.CodeWrongProject)
		})
	})
	t.Run("if_version holds when it completes", func(t *testing.T) {
		p, err := w.Current(t.Context(), nobody(), id)
		expect.OK(t, err)
		v := p.Version
		pinned := func(in *publish.UpdateInput) { in.IfVersion = &v }
		_, _, err = send(by, part{id: "v", n: 1, text: long("one"), total: 2}, pinned)
		expect.OK(t, err)
		w.put(by, id, "a", "x")
		n := w.onDisk()
		_, _, err = send(by, part{id: "v", n: 2, text: long("two")}, nil)
		refused(t, err, sandlot.CodeVersionConflict)
		if got := w.onDisk(); got != n+1 {
			t.Errorf("%d blobs more, want part 2 alone", got-n)
		}
		v++
		if _, pending, err := send(by, part{id: "v", n: 1, text: long("one")}, pinned); err != nil || pending != nil {
			t.Errorf("%v, %v", pending, err)
		}
	})
	t.Run("an empty primary file, a conflict and a bad name are refused", func(t *testing.T) {
		for name, code := range map[string]sandlot.Code{"index.html": sandlot.CodeInvalidField, "BIG.js": sandlot.CodeFilenameConflict, "../x": sandlot.CodeInvalidFilename} {
			_, _, err := send(by, part{id: "e" + name, n: 1, total: 1}, func(in *publish.UpdateInput) { in.Filename, in.Content = name, w.stage("") })
			refused(t, err, code)
		}
	})
	t.Run("a hint about parts of an update does not propose a publish", func(t *testing.T) {
		must(by, part{id: "h", n: 1, text: "x", total: 3})
		_, _, err := send(by, part{id: "h", n: 4, text: "x"}, nil)
		if e := refused(t, err, sandlot.CodePartOutOfRange); e.Fix.Op == sandlot.OpPublish {
			t.Errorf("proposes %s", e.Fix.Op)
		}
	})
	t.Run("part 1 of 1 warns like any update", func(t *testing.T) {
		title := "a\x00b"
		up, _, err := send(by, part{id: "w", n: 1, total: 1, text: "x"}, func(in *publish.UpdateInput) { in.Title = &title })
		expect.OK(t, err)
		expect.Same(t, "warnings", codes(up.Warnings), []string{"title_cleaned"})
	})
}
