package web

import (
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestEachLineOfADifferenceIsARow: a class that another page lays out had made columns of the lines that are new.
func TestEachLineOfADifferenceIsARow(t *testing.T) {
	t.Parallel()
	g := openGallery(t)
	g.screen(t, true)
	g.visit(t, lookNamed(t, "diff"), "en")
	rows := run(t, g.ctx, chromedp.Evaluate[[][]float64](`[...document.querySelectorAll('.diff tbody tr')].filter((r) => r.cells.length > 1).map((r) => {
  const cells = [...r.cells].map((c) => c.getBoundingClientRect());
  return [Math.max(...cells.map((c) => c.top)) - Math.min(...cells.map((c) => c.top)), ...cells.map((c) => c.left)].map(Math.round);
})`))
	if len(rows) < 2 {
		t.Fatalf("it has %d lines", len(rows))
	}
	for i, row := range rows {
		if row[0] != 0 || len(row) == len(rows[0]) && !slices.Equal(row, rows[0]) {
			t.Errorf("the cells of line %d stand at %v, and those of the first at %v", i, row[1:], rows[0][1:])
		}
	}
}

func lookNamed(t *testing.T, name string) look {
	t.Helper()
	for _, l := range looks() {
		if l.name == name {
			return l
		}
	}
	t.Fatalf("there is no look %s", name)
	return look{}
}
