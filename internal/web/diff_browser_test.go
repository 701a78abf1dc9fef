package web

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// TestEachLineOfADifferenceIsARow: a class that another page lays out had made columns of the lines that are new.
func TestEachLineOfADifferenceIsARow(t *testing.T) {
	t.Parallel()
	g := openGallery(t)
	g.screen(t, true)
	g.visit(t, lookNamed(t, "diff"), "en")
	rows := run(t, g.ctx, chromedp.Evaluate[[]string](`[...document.querySelectorAll('.diff tbody tr')].map((r) => getComputedStyle(r).display)`))
	if len(rows) < 2 {
		t.Fatalf("it has %d lines", len(rows))
	}
	for i, display := range rows {
		if display != "table-row" {
			t.Errorf("line %d is laid out as %s", i, display)
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
