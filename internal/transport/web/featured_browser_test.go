package web

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// TestTheFeaturedCoverLeavesItsWordsRoom: where the panel beside it is higher, as in German, the cover grew over title and button.
func TestTheFeaturedCoverLeavesItsWordsRoom(t *testing.T) {
	t.Parallel()
	g := openGallery(t)
	for _, width := range []int64{970, 1280, 1920} {
		run(t, g.ctx, chromedp.EmulateViewport(width, 800))
		for _, lang := range []string{"en", "de"} {
			g.visit(t, lookNamed(t, "home"), lang)
			over := run(t, g.ctx, chromedp.Evaluate[float64](`(() => {
  const edge = (selector) => document.querySelector(selector).getBoundingClientRect();
  return Math.max(edge('.featured-cover').right, edge('.featured-cover .cover').right) - edge('.featured-words').left;
})()`))
			if over > 1 {
				t.Errorf("in %s at %d pixels it covers %v of them", lang, width, over)
			}
		}
	}
}
