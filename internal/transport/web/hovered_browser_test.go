package web

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// TestAFingerLeavesNoButtonHovered: after a tap a phone takes the button for hovered until the next one, and the like that was just given could
// not be read on the colour of that.
func TestAFingerLeavesNoButtonHovered(t *testing.T) {
	t.Parallel()
	g := openGallery(t)
	g.screen(t, false)
	g.tell(t, "Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "hover", "value": "none"}}})
	g.visit(t, lookNamed(t, "project"), "en")
	const at = `const b = document.querySelector('.tools .like button'); b.scrollIntoView({ block: 'center', behavior: 'instant' });`
	background := chromedp.Evaluate[string](`(() => { ` + at + ` return getComputedStyle(b).backgroundColor })()`)
	before := run(t, g.ctx, background)
	middle := run(t, g.ctx, chromedp.Evaluate[[]float64](`(() => { `+at+` const r = b.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })()`))
	g.tell(t, "Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": middle[0], "y": middle[1]})
	if !run(t, g.ctx, chromedp.Evaluate[bool](`document.querySelector('.tools .like button').matches(':hover')`)) {
		t.Fatal("the button is not hovered")
	}
	if after := run(t, g.ctx, background); after != before {
		t.Errorf("its background is %s, and %s before", after, before)
	}
}
