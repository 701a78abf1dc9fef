package publish_test

import (
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// said is the warning of a code, or "".
func said(list []sandlot.Warning, code string) string {
	for _, w := range list {
		if w.Code == code {
			return w.Message + " " + w.Hint
		}
	}
	return ""
}

func tells(t *testing.T, list []sandlot.Warning, code string, parts ...string) {
	t.Helper()
	text := said(list, code)
	for _, part := range append(parts, " ") {
		if !strings.Contains(text, part) {
			t.Errorf("%s says %q, not %q, among %q", code, text, part, codes(list))
		}
	}
}

func TestAPublishTellsWhichFilesAreMissing(t *testing.T) {
	t.Parallel()
	for name, on := range testworld.Sets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := worldOf(t, testworld.New(t, on))
			by := w.account()
			out := w.publish(by, "<title>Frogs</title>\n<script src=js/frog.js></script><img src=Pond.png>")
			id := string(out.Project.ID)
			tells(t, out.Warnings, "missing_file", `index.html:2:1 loads "js/frog.js"`, "update, project_id "+id+` and filename "js/frog.js"`)

			up := w.put(by, out.Project.ID, "js/frog.js", `import "./flipper.js"; fetch("levels/1.json"); new Audio("croak.mp3")`)
			expect.Same(t, "codes", codes(up.Warnings), []string{"missing_file", "missing_file", "missing_file"})
			w.put(by, out.Project.ID, "pond.png", "png")
			w.put(by, out.Project.ID, "js/flippers.js", "1")
			w.put(by, out.Project.ID, "levels/1.json", "{}")
			up = w.put(by, out.Project.ID, "js/frog.js", `import "./flipper.js"; fetch("levels/1.json"); new Audio("Levels/1.JSON")`)
			expect.Same(t, "codes", codes(up.Warnings), []string{"missing_file", "wrong_case"})
			tells(t, up.Warnings, "missing_file", "The nearest that is there is js/flippers.js.", `Write "./flippers.js"`)
			up = w.put(by, out.Project.ID, "index.html", "<title>Frogs</title>\n<script src=js/frog.js></script><img src=Pond.png>")
			expect.Same(t, "codes", codes(up.Warnings), []string{"wrong_case"})
		})
	}
}

func TestManyFilesAreCheckedAsAWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	page := `<!doctype html><html><head><title>T</title></head><body><script src="a.js"></script><script src="/b.js"></script></body></html>`
	out := w.publishMany(by, "index.html", page, "a.js", `addEventListener("keydown", e => e.key == "ArrowUp")`, "b.js", `fetch("none.json")`, "server.js", `import "express"`)
	expect.Same(t, "codes", codes(out.Warnings), []string{"missing_file", "absolute_path", "no_viewport", "no_touch"})
	up, err := w.updateMany(by, publish.UpdateInput{Project: string(out.Project.ID)}, "b.js", `fetch("other.json")`, "a.js", `addEventListener("keydown", e => e.key == "ArrowDown")`)
	expect.OK(t, err)
	expect.Same(t, "codes of an update", codes(up.Warnings), []string{"missing_file"})
}

func TestAnAnswerFromARecordHasTheWarningsOfTheCheckAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	once := func() publish.Published {
		out, _, err := w.Publish(t.Context(), by, publish.PublishInput{Content: w.stage(`<title>A</title><img src="a.png"><script src="https://cdn.example.net/x.js"></script>`), Idempotency: "one"})
		expect.OK(t, err)
		return out
	}
	first := once()
	expect.Same(t, "codes", codes(first.Warnings), []string{"missing_file", "other_hosts"})
	again := once()
	expect.Same(t, "again", again.Warnings, first.Warnings)

	update := func() publish.Updated {
		out, _, err := w.Update(t.Context(), by, publish.UpdateInput{Project: string(first.Project.ID), Filename: "b.js", Content: w.stage(`fetch("a.png")`), Idempotency: "two"})
		expect.OK(t, err)
		return out
	}
	want := update()
	expect.Same(t, "codes of an update", codes(want.Warnings), []string{"missing_file"})
	expect.Same(t, "the update again", update().Warnings, want.Warnings)
}

func TestOtherHostsAreToldOnceAlsoInQuarantine(t *testing.T) {
	t.Parallel()
	w := newWorld(t, quarantine)
	by := w.account()
	out := w.publish(by, `<title>A</title><script src="https://cdn.example.net/x.js"></script>`)
	expect.Same(t, "codes", codes(out.Warnings), []string{"quarantined"})
	up := w.put(by, out.Project.ID, "a.js", `import "https://esm.example.org/y.js"`)
	expect.Same(t, "codes", codes(up.Warnings), []string{"quarantined"})
}

func TestACheckThatFailsFailsNoCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	id := w.publish(by, "<title>A</title>").Project.ID
	w.store.Step = func(step string) (error, error) {
		if step == "Files" {
			return sandlot.ErrUnavailable, nil
		}
		return nil, nil
	}
	up := w.put(by, id, "a.js", `import "./b.js"`)
	expect.Same(t, "codes", codes(up.Warnings), []string(nil))
}
