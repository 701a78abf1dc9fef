package publish_test

import (
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

func TestRegressionM15WhatIsMissingAfterADeletionOrARestoreIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	out := w.publish(by, "<!doctype html><script src=a.js></script>") // version 1 lacks it
	id := string(out.Project.ID)
	w.put(by, out.Project.ID, "a.js", "let a = 1")
	w.put(by, out.Project.ID, "b.js", "let b = 1")
	in := publish.DeleteInput{Project: id, Filename: "a.js", Idempotency: "once"}
	for range 2 {
		gone, err := w.DeleteFile(t.Context(), by, in)
		expect.OK(t, err)
		tells(t, gone.Warnings, "missing_file", `loads "a.js"`)
	}
	gone, err := w.DeleteFile(t.Context(), by, publish.DeleteInput{Project: id, Filename: "b.js"})
	expect.OK(t, err)
	expect.Same(t, "warnings of what nothing asks for", codes(gone.Warnings), []string{"missing_file"}) // that of before
	again, err := w.Restore(t.Context(), by, publish.RestoreInput{Project: id, Version: 2})
	expect.OK(t, err)
	expect.Same(t, "warnings of a whole version", codes(again.Warnings), nil)
	again, err = w.Restore(t.Context(), by, publish.RestoreInput{Project: id, Version: 1})
	expect.OK(t, err)
	tells(t, again.Warnings, "missing_file", `loads "a.js"`)
}

func TestRegressionM53APictureThatWasNotFetchedIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	pointer := "version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("4d7a", 16) + "\nsize 12345\n"
	out := w.publishMany(w.account(), "index.html", "<!doctype html><img src=a.png><img src=b.png><img src=c.png>", "a.png", pointer, "b.png", "", "c.png", "png")
	tells(t, out.Warnings, "missing_file", `"a.png", which is there and has no bytes of its own`)
	n := 0
	for _, w := range out.Warnings {
		if w.Code == "missing_file" {
			n++
		}
	}
	expect.Equal(t, "missing files", n, 2)
}

func TestRegressionM50AnUpdateDoesNotReplaceAGoodFileByADamagedOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	id := string(w.publish(by, page).Project.ID)
	const fenced = "```js\nlet a = 1;\n```\n"
	update := func(name, text string, force, dry bool) (publish.Updated, error) {
		out, _, err := w.Update(t.Context(), by, publish.UpdateInput{Project: id, Filename: name, Content: w.stage(text), Force: force, DryRun: dry})
		return out, err
	}
	for _, dry := range []bool{true, false} {
		_, err := update("a.js", fenced, false, dry)
		expect.Is(t, "the refusal", err, sandlot.CodeLooksDamaged)
	}
	_, err := update("index.html", "--- a/index.html\n+++ b/index.html\n@@ -1,2 +1,2 @@\n-a\n+b\n", false, false)
	expect.Is(t, "the refusal", err, sandlot.CodeLooksDamaged)
	_, err = w.updateMany(by, publish.UpdateInput{Project: id}, "b.js", "let b = 1", "js/a.js", fenced)
	expect.Is(t, "the refusal", err, sandlot.CodeLooksDamaged)
	p, err := w.updateMany(by, publish.UpdateInput{Project: id, Force: true}, "js/a.js", fenced)
	expect.OK(t, err)
	expect.Equal(t, "the version after all refusals", p.Project.Version, 2)
	tells(t, p.Warnings, "looks_damaged", "js/a.js")
	out, err := update("a.js", fenced, true, false)
	expect.OK(t, err)
	tells(t, out.Warnings, "looks_damaged", "the fences of Markdown")
	tells(t, w.publish(by, "<!doctype html><p>Hi</p></html>\nI changed the colours and the speed.").Warnings, "looks_damaged", "words around it")
	tells(t, w.publish(by, `<!doctype html>\n<html lang=\"en\">\n<body>\n</body>`).Warnings, "double_escaped", "escaped once too often")
}
