package publish_test

import (
	"slices"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// TestRegressionM47AnUpdateTakesOffTheFolderThatPublishTookOff, of an archive and of one file, also from a record; a folder that is another one
// is added, with a warning that the page is as before.
func TestRegressionM47AnUpdateTakesOffTheFolderThatPublishTookOff(t *testing.T) {
	t.Parallel()
	for name, on := range testworld.Sets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := worldOf(t, testworld.New(t, on))
			by := w.account()
			out := w.publishMany(by, "w/index.html", page, "w/a.js", "a")
			id := string(out.Project.ID)

			again := publish.UpdateInput{Project: id, Idempotency: "again"}
			for range 2 {
				next, err := w.updateMany(by, again, "w/index.html", page+"2", "w/b.js", "b")
				expect.OK(t, err)
				expect.Same(t, "changed", names(next.Files), []string{"b.js", "index.html"})
				expect.Same(t, "warnings", codes(next.Warnings)[:1], []string{"unwrapped"})
			}
			expect.Same(t, "version 2", w.all(out.Project.ID, 2), "a.js=a b.js=b index.html=<!doctype html><titl")

			next, err := w.updateMany(by, publish.UpdateInput{Project: id, Many: publish.Many{Primary: "w/game.html"}}, "w/game.html", page, "w/c.js", "c")
			expect.OK(t, err)
			expect.Equal(t, "the page as it was sent", next.Project.Primary, "game.html")

			one := publish.UpdateInput{Project: id, Filename: "w/a.js", Idempotency: "one"}
			for range 2 {
				one.Content = w.stage("a2")
				next, _, err := w.Update(t.Context(), by, one)
				expect.OK(t, err)
				expect.Equal(t, "one file", next.File.Name, "a.js")
				expect.Same(t, "warnings", codes(next.Warnings)[:1], []string{"unwrapped"})
			}

			next, err = w.updateMany(by, publish.UpdateInput{Project: id, Many: publish.Many{Replace: true}}, "w2/index.html", page, "w2/a.js", "a")
			expect.OK(t, err)
			expect.Same(t, "replaced", names(next.Files), []string{"a.js", "index.html"})
			dry, err := w.updateMany(by, publish.UpdateInput{Project: id, DryRun: true}, "w2/a.js", "a3")
			expect.OK(t, err)
			expect.Same(t, "of the folder that replace took off", names(dry.Files), []string{"a.js"})

			next, err = w.updateMany(by, publish.UpdateInput{Project: id}, "level2/index.html", page, "level2/a.js", "a")
			expect.OK(t, err)
			expect.Same(t, "added", names(next.Files), []string{"level2/a.js", "level2/index.html"})
			i := slices.IndexFunc(next.Warnings, func(w sandlot.Warning) bool { return w.Code == "page_as_before" })
			if i < 0 || !strings.Contains(next.Warnings[i].Message, "level2/index.html") || !strings.Contains(next.Warnings[i].Hint, "replace") {
				t.Errorf("%+v", next.Warnings)
			}
			next, err = w.updateMany(by, publish.UpdateInput{Project: id}, "level2/index.html", page+"2")
			expect.OK(t, err)
			if slices.Contains(codes(next.Warnings), "page_as_before") {
				t.Errorf("a folder that is there: %+v", next.Warnings)
			}
		})
	}
}

// TestRegressionM47AFolderOfThatNameThatTheProjectHasStays: what comes in it belongs there.
func TestRegressionM47AFolderOfThatNameThatTheProjectHasStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	out := w.publishMany(by, "w/index.html", page, "w/w/a.js", "a", "w/a.js", "a")
	next, err := w.updateMany(by, publish.UpdateInput{Project: string(out.Project.ID)}, "w/a.js", "a2")
	expect.OK(t, err)
	expect.Same(t, "many", names(next.Files), []string{"w/a.js"})
	expect.Equal(t, "one", w.put(by, out.Project.ID, "w/b.js", "b").File.Name, "w/b.js")
	next, err = w.updateMany(by, publish.UpdateInput{Project: string(out.Project.ID)}, "w/index.html", page+"2", "w/w/a.js", "a3")
	expect.OK(t, err)
	expect.Same(t, "with the page", names(next.Files), []string{"index.html", "w/a.js"})
}
