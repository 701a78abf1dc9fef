package web

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestRegression31AFileDroppedBesideTheBoxChangesNothing lets a real file fall on the heading, which leads away from a page that does not
// mind, with a title half typed; and text into a field, which takes it.
func TestRegression31AFileDroppedBesideTheBoxChangesNothing(t *testing.T) {
	t.Parallel()
	g := openGallery(t)
	g.screen(t, true)
	g.visit(t, look{path: "/account/projects/harbor-k3x9p2", as: "ada"}, "en")
	path := filepath.Join(t.TempDir(), "dropped.html")
	if err := os.WriteFile(path, []byte("<title>dropped</title>"), 0o644); err != nil {
		t.Fatal(err)
	}
	drag := func(selector string, data map[string]any, kinds ...string) {
		t.Helper()
		at := run(t, g.ctx, chromedp.Evaluate[[]float64](`(() => {
  const e = document.querySelector('`+selector+`');
  e.scrollIntoView({ block: 'center', behavior: 'instant' });
  const { x, y, width, height } = e.getBoundingClientRect();
  return [x + width / 2, y + height / 2];
})()`))
		data["dragOperationsMask"] = 1
		for _, kind := range kinds {
			g.tell(t, "Input.dispatchDragEvent", map[string]any{"type": kind, "x": at[0], "y": at[1], "data": data})
		}
	}
	file := func() map[string]any { return map[string]any{"items": []string{}, "files": []string{path}} }
	run(t, g.ctx, chromedp.Evaluate[bool](`document.querySelector('[name=title]').value = 'half typed', true`))
	drag("h1", file(), "dragEnter", "dragOver")
	await(t, g.ctx, `document.querySelector('.own-upload').matches('.wanted:not(.over)')`)
	drag("h1", file(), "drop")
	await(t, g.ctx, `document.title.startsWith('Harbor Lights') && document.querySelector('[name=title]').value === 'half typed' &&
document.querySelector('.own-upload:not(.wanted) output').innerText.startsWith('You dropped that beside the box')`)
	text := map[string]any{"items": []map[string]string{{"mimeType": "text/plain", "data": "a folder"}}}
	drag("[name=folder]", text, "dragEnter", "dragOver", "drop")
	await(t, g.ctx, `document.title.startsWith('Harbor Lights') && !document.querySelector('.own-upload').matches('.wanted')`)
}
