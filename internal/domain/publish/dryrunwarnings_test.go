package publish_test

import (
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

func TestADryRunWarnsAsTheCallDoes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	page := `<!doctype html><html><head><title>Frogs</title></head><body><script src="a.js"></script><script src="b.js"></script><img src="none.png"></body></html>`
	files := []string{"index.html", page, "a.js", `addEventListener("keydown", e => e.key == "ArrowUp")`, "b.js", `fetch("none.json"); new SharedArrayBuffer(8)`}
	all := func(list []sandlot.Warning) (told []string) {
		for _, w := range list {
			told = append(told, w.Code+": "+strings.SplitAfter(w.Message, " at ")[0])
		}
		return told
	}
	publishing := func(dry bool) []string {
		out, _, err := w.Publish(t.Context(), by, publish.PublishInput{Tree: w.in.Tree(files...), DryRun: dry})
		expect.OK(t, err)
		return all(out.Warnings)
	}
	dry := publishing(true)
	expect.Same(t, "a dry publish", dry, publishing(false))
	if len(dry) != 5 {
		t.Errorf("it warns of %q", dry)
	}
	id := string(w.publish(by, "<title>Other</title>").Project.ID)
	updating := func(dry bool, in publish.UpdateInput) []string {
		in.Project, in.DryRun = id, dry
		out, _, err := w.Update(t.Context(), by, in)
		expect.OK(t, err)
		return all(out.Warnings)
	}
	dry = updating(true, publish.UpdateInput{Many: publish.Many{Tree: w.in.Tree(files...)}})
	expect.Same(t, "a dry update", dry, updating(false, publish.UpdateInput{Many: publish.Many{Tree: w.in.Tree(files...)}}))
	if len(dry) < 4 {
		t.Errorf("it warns of %q", dry)
	}
	one := func() publish.UpdateInput {
		return publish.UpdateInput{Filename: "b.js", Content: w.stage(`fetch("other.json"); new SharedArrayBuffer(8)`)}
	}
	dry = updating(true, one())
	expect.Same(t, "a dry update of one file", dry, updating(false, one()))
	if len(dry) != 2 {
		t.Errorf("it warns of %q", dry)
	}
}

func TestAWarningProposesTheCallThatMendsIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	out := w.publish(by, `<title>A</title><script src="a.js"></script><script>new SharedArrayBuffer(8)</script>`)
	id := string(out.Project.ID)
	calls := map[string]sandlot.Fix{}
	for _, w := range out.Warnings {
		calls[w.Code] = w.Fix
	}
	expect.Same(t, "the calls", calls, map[string]sandlot.Fix{
		"missing_file":  {Op: sandlot.OpUpdate, Args: []sandlot.Arg{{Name: "project_id", Value: id}, {Name: "filename", Value: "a.js"}}},
		"needs_threads": {Op: sandlot.OpAmend, Args: []sandlot.Arg{{Name: "id", Value: id}, {Name: "threads", Value: true}}},
	})
}
