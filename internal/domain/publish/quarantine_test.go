package publish_test

import (
	"slices"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// blockedPage asks for something of each kind, and names addresses that are not asked.
const blockedPage = `<!doctype html><title>Cats</title>
<script src="https://cdn.example.net/three.js"></script><script type=module>import x from "https://esm.example.org/x.js"</script>
<link rel=stylesheet href="//fonts.example.com/css"><link rel=canonical href="https://canonical.example/">
<img src=https://pictures.example.com/cat.png><svg xmlns="http://www.w3.org/2000/svg"></svg><a href="https://links.example/">more</a>
<iframe src="https://frames.example/"></iframe><form onsubmit="play()"></form>
<script>
const api = "https://api.example.com/v1/scores";
fetch(api); new WebSocket('wss://live.example.com/x'); window.open("/help"); link.download = "score.txt"; // see https://comment.example
</script>`

func quarantine(c *publish.Config) { c.Quarantine = true }

func TestRegression15QuarantineIsToldWithWhatItBlocks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, quarantine)
	by := w.account()
	says := func(t *testing.T, quarantined bool, warnings []sandlot.Warning, words ...string) {
		t.Helper()
		var w *sandlot.Warning
		for i := range warnings {
			if warnings[i].Code == "quarantined" {
				w = &warnings[i]
			}
		}
		if !quarantined || w == nil {
			t.Fatalf("quarantined is %t, with %+v", quarantined, warnings)
		}
		for _, word := range words {
			if !strings.Contains(w.Message, word) {
				t.Errorf("%q does not tell %q", w.Message, word)
			}
		}
		for _, never := range []string{"canonical.example", "www.w3.org", "comment.example"} {
			if strings.Contains(w.Message, never) {
				t.Errorf("%q tells %q", w.Message, never)
			}
		}
		if !strings.Contains(w.Hint, "link in the message") {
			t.Errorf("%q does not tell what ends it", w.Hint)
		}
	}
	all := []string{
		"links to cdn.example.net, esm.example.org, fonts.example.com, pictures.example.com, links.example, frames.example, api.example.com, live.example.com;",
		"forms that send", "new windows", "downloads", "frames of the project's own pages",
	}
	first, _, err := w.Publish(t.Context(), by, publish.PublishInput{Content: w.stage(blockedPage), Idempotency: "page"})
	expect.OK(t, err)
	id := string(first.Project.ID)
	t.Run("on publish, also when it is answered again", func(t *testing.T) {
		says(t, first.Quarantined, first.Warnings, all...)
		again, _, err := w.Publish(t.Context(), by, publish.PublishInput{Content: w.stage(blockedPage), Idempotency: "page"})
		if err != nil || !again.FromRecord {
			t.Fatal(again.FromRecord, err)
		}
		says(t, again.Quarantined, again.Warnings, all...)
	})
	t.Run("on a publish that makes its account", func(t *testing.T) {
		out, _, err := w.Publish(t.Context(), sandlot.Caller{}, publish.PublishInput{Content: w.stage(blockedPage), Email: "cats@example.com"})
		expect.OK(t, err)
		says(t, out.Quarantined, out.Warnings, all...)
	})
	t.Run("on update of a script, also when it is answered again", func(t *testing.T) {
		for range 2 {
			up, _, err := w.Update(t.Context(), by, publish.UpdateInput{Project: id, Filename: "game.js", Content: w.stage(`import("https://esm.example.org/y.js")`), Idempotency: "script"})
			expect.OK(t, err)
			says(t, up.Quarantined, up.Warnings, "Of game.js that blocks: what it loads from, sends to or, in Chromium, links to esm.example.org")
		}
	})
	t.Run("of a picture nothing is found", func(t *testing.T) {
		up := w.put(by, first.Project.ID, "cat.png", "\x89PNG\r\n\x1a\n//cdn.example.net")
		says(t, up.Quarantined, up.Warnings, "Nothing that it blocks was found in cat.png")
	})
	t.Run("to the owner of a project, and to nobody else", func(t *testing.T) {
		v, err := w.Project(t.Context(), by, id)
		expect.OK(t, err)
		says(t, v.Quarantined, v.Warnings, all...)
		if v, err = w.Project(t.Context(), sandlot.Caller{}, id); err != nil || v.Warnings != nil {
			t.Errorf("%+v, %v", v.Warnings, err)
		}
	})
	t.Run("by whoami for each project", func(t *testing.T) {
		who, err := w.Whoami(t.Context(), by, 10, "")
		expect.OK(t, err)
		for _, v := range who.Projects {
			says(t, v.Quarantined, who.Warnings)
		}
	})
	t.Run("nothing is told where there is none", func(t *testing.T) {
		free := newWorld(t)
		out := free.publish(free.account(), blockedPage)
		if out.Quarantined || slices.Contains(codes(out.Warnings), "quarantined") {
			t.Errorf("%+v", out.Warnings)
		}
	})
}
