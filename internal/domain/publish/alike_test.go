package publish_test

import (
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// alikeIn is the warning about a publish that looks like another one, if it is among them.
func alikeIn(list []sandlot.Warning) (found sandlot.Warning) {
	for _, w := range list {
		if w.Code == "looks_published" {
			found = w
		}
	}
	return found
}

func TestAPublishThatLooksLikeOneOfThisDayTellsHowToUpdateIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	first := w.publish(by, "<title>Frogs</title>1")
	expect.Same(t, "the first", alikeIn(first.Warnings), sandlot.Warning{})
	w.put(by, first.Project.ID, "a.js", "1")
	id := string(first.Project.ID)

	said := alikeIn(w.publish(by, "<title>Frogs</title>2").Warnings)
	if !strings.Contains(said.Message, id) || !strings.Contains(said.Message, first.Addresses.URL) || !strings.Contains(said.Message, `title "Frogs"`) {
		t.Errorf("it says %q", said.Message)
	}
	expect.Same(t, "the call", said.Fix, sandlot.Fix{Op: sandlot.OpUpdate, Args: []sandlot.Arg{{Name: "project_id", Value: id}, {Name: "filename", Value: "index.html"}, {Name: "if_version", Value: 2}}})

	expect.Same(t, "something else", alikeIn(w.publish(by, "<title>Toads</title>").Warnings), sandlot.Warning{})
	expect.Same(t, "somebody else", alikeIn(w.publish(w.account(), "<title>Frogs</title>2").Warnings), sandlot.Warning{})
	many := alikeIn(w.publishMany(by, "index.html", "<title>Toads</title>", "a.js", "1").Warnings)
	if !strings.Contains(many.Message, "the same page") || len(many.Fix.Args) != 2 {
		t.Errorf("of many files it says %q with %v", many.Message, many.Fix)
	}
	w.clock.move(25 * time.Hour)
	expect.Same(t, "a day later", alikeIn(w.publish(by, "<title>Frogs</title>3").Warnings), sandlot.Warning{})
}

func TestAnAnswerFromARecordTellsOfTheSameProjectThatIsAlike(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	w.publish(by, "<title>Frogs</title>1")
	again := func() sandlot.Warning {
		out, _, err := w.Publish(t.Context(), by, publish.PublishInput{Content: w.stage("<title>Frogs</title>2"), Idempotency: "one"})
		expect.OK(t, err)
		return alikeIn(out.Warnings)
	}
	first := again()
	w.clock.move(time.Minute)
	w.publish(by, "<title>Frogs</title>3")
	if expect.Same(t, "again", again(), first); first.Code == "" {
		t.Error("nothing is told")
	}
}

func TestADryRunWarnsAsTheCallDoes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	w.publish(by, "<title>Frogs</title>1")
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
	if len(dry) != 6 {
		t.Errorf("it warns of %q", dry)
	}
	id := string(w.publish(by, "<title>Other</title>").Project.ID)
	updating := func(dry bool, in publish.UpdateInput) []string {
		in.Project, in.DryRun = id, dry
		out, _, err := w.Update(t.Context(), by, in)
		expect.OK(t, err)
		return all(out.Warnings)
	}
	dry = updating(true, publish.UpdateInput{Tree: w.in.Tree(files...)})
	expect.Same(t, "a dry update", dry, updating(false, publish.UpdateInput{Tree: w.in.Tree(files...)}))
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
