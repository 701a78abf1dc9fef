package web

import (
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestTheColumnsOfVersionsLineUp: the newest has other tools than those before it, which took the room that they needed.
func TestTheColumnsOfVersionsLineUp(t *testing.T) {
	t.Parallel()
	g := openGallery(t)
	run(t, g.ctx, chromedp.EmulateViewport(1280, 800))
	for _, lang := range []string{"en", "de"} {
		g.visit(t, lookNamed(t, "versions"), lang)
		stand := run(t, g.ctx, chromedp.Evaluate[[][]float64](`[...document.querySelectorAll('.timeline > li')].map((li) => [...li.children, ...li.querySelectorAll('.own-acts > :first-child')].map((e) => Math.round(e.getBoundingClientRect().left)))`))
		if len(stand) < 3 {
			t.Fatalf("%d versions", len(stand))
		}
		for _, columns := range stand[1:] {
			if len(columns) > 2 && !slices.Equal(columns[2:], stand[0][2:]) || columns[1] != stand[0][1] {
				t.Errorf("in %s one stands at %v and the newest at %v", lang, columns, stand[0])
			}
		}
	}
}
