package publish_test

import (
	"testing"

	"sandlot/internal/expect"
	"sandlot/internal/publish"
)

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
		expect.Is(t, "the refusal", err, publish.CodeLooksDamaged)
	}
	_, err := update("index.html", "--- a/index.html\n+++ b/index.html\n@@ -1,2 +1,2 @@\n-a\n+b\n", false, false)
	expect.Is(t, "the refusal", err, publish.CodeLooksDamaged)
	_, err = w.updateMany(by, publish.UpdateInput{Project: id}, "b.js", "let b = 1", "js/a.js", fenced)
	expect.Is(t, "the refusal", err, publish.CodeLooksDamaged)
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
