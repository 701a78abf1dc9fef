package publish_test

import (
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/edit"
	"sandlot/internal/testkit/expect"
)

// amend makes a version by edits and deletions alone.
func (w *world) amend(by sandlot.Caller, in publish.UpdateInput, edits []edit.Edit, gone ...string) (publish.Updated, error) {
	in.Tree = w.Contents.NewTree(nil)
	if err := in.Tree.Change(edits, gone); err != nil {
		w.Contents.DiscardTree(w.t.Context(), in.Tree)
		return publish.Updated{}, err
	}
	out, _, err := w.Update(w.t.Context(), by, in)
	return out, err
}

func TestAnEditIsMadeOnWhatIsThereAtTheCommit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		meanwhile string // another node writes it between the reading and the step
		version   bool   // whether the edit expects a version
		want      string
		code      sandlot.Code
	}{
		"a change of another line stays":         {"let a = 1\nlet b = 3\n", false, "let a = 9\nlet b = 3\n", ""},
		"a change of the same line is not lost":  {"let a = 2\nlet b = 2\n", false, "let a = 2\nlet b = 2\n", sandlot.CodeEditNotFound},
		"a change that has made the text double": {"let a = 1\nlet a = 1\n", false, "let a = 1\nlet a = 1\n", sandlot.CodeEditAmbiguous},
		"a version that was expected":            {"let a = 1\nlet b = 3\n", true, "let a = 1\nlet b = 3\n", sandlot.CodeVersionConflict},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			out := w.publish(nobody(), page)
			by, id := w.caller(out.Keys.Account), out.Project.ID
			at := w.put(by, id, "a.js", "let a = 1\nlet b = 2\n").Project.Version
			other := w.node()
			w.before("Rearrange", func() {
				if _, _, err := other.Update(t.Context(), by, publish.UpdateInput{Project: string(id), Filename: "a.js", Content: other.stage(c.meanwhile)}); err != nil {
					t.Error(err)
				}
			})
			in := publish.UpdateInput{Project: string(id)}
			if c.version {
				in.IfVersion = &at
			}
			done, err := w.amend(by, in, []edit.Edit{{File: "a.js", Old: "let a = 1", New: "let a = 9"}})
			if c.code != "" {
				refused(t, err, c.code)
			} else {
				expect.OK(t, err)
				expect.Equal(t, "version", done.Project.Version, at+2)
			}
			p, err := w.Project(t.Context(), by, string(id))
			expect.OK(t, err)
			expect.Equal(t, "the file", w.text(id, p.Project.Version, "a.js"), c.want)
		})
	}
}

func TestTheResultOfAnEditIsStoredOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *publish.Config) { c.InlineMax = 16 })
	out := w.publish(nobody(), page)
	by, id := w.caller(out.Keys.Account), out.Project.ID
	large := strings.Repeat("0123456789abcde\n", 20_000)
	w.put(by, id, "large.txt", large+"end\n")
	before := w.onDisk()
	refuse := func(edits []edit.Edit, code sandlot.Code, gone ...string) {
		t.Helper()
		w.unchanged(t, func() {
			_, err := w.amend(by, publish.UpdateInput{Project: string(id)}, edits, gone...)
			refused(t, err, code)
		})
		expect.Equal(t, "blobs", w.onDisk(), before)
	}
	end := edit.Edit{File: "large.txt", Old: "end\n", New: "END\n"}
	refuse([]edit.Edit{end, {Index: 1, File: "index.html", Old: "nothing like it", New: ""}}, sandlot.CodeEditNotFound)
	refuse([]edit.Edit{end, {Index: 1, File: "large.txt", Old: "0123", New: ""}}, sandlot.CodeEditAmbiguous)
	refuse([]edit.Edit{end}, sandlot.CodeFileNotFound, "nothing.txt")
	refuse([]edit.Edit{end}, sandlot.CodePrimaryFileProtected, "index.html")
	_, err := w.amend(by, publish.UpdateInput{Project: string(id), DryRun: true}, []edit.Edit{end})
	expect.OK(t, err)
	expect.Equal(t, "blobs after a dry run", w.onDisk(), before)

	done, err := w.amend(by, publish.UpdateInput{Project: string(id)}, []edit.Edit{end})
	expect.OK(t, err)
	expect.Equal(t, "blobs", w.onDisk(), before+1)
	expect.Equal(t, "the end", strings.TrimPrefix(w.text(id, done.Project.Version, "large.txt"), large), "END\n")
}
