package web

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"sandlot/internal/testkit/testenv"
)

// TestRegressionM45KeysOfAGameDoNotScrollThePage: arrows and the space bar that a game does not take for itself leave the page where it is, and once
// the pointer is on the page it scrolls.
func TestRegressionM45KeysOfAGameDoNotScrollThePage(t *testing.T) {
	t.Parallel()
	p := sits(t, testenv.Browser(t), 1280, 500)
	run(t, p.ctx, chromedp.Evaluate[bool](`document.querySelector('main').style.paddingBottom = '200vh', true`))
	p.goesOn()
	p.awaits(`document.activeElement.matches('iframe') && beats.join() === 'plays'`)
	for _, key := range []string{kb.ArrowDown, kb.ArrowDown, kb.ArrowDown, " ", " "} {
		run(t, p.ctx, chromedp.Evaluate[bool](`window.said = '', true`))
		p.until(`window.said.startsWith('key ')`, func() { run(t, p.game(), chromedp.KeyEvent(key)) })
	}
	run(t, p.ctx, chromedp.Evaluate[bool](`window.pressed = performance.now(), true`))
	p.awaits(`performance.now() - window.pressed > 500`)
	if y := run(t, p.ctx, chromedp.Evaluate[float64](`scrollY`)); y != 0 {
		t.Errorf("the page scrolled by %v", y)
	}
	run(t, p.ctx, chromedp.Evaluate[bool](`document.querySelector('main').dispatchEvent(new PointerEvent('pointerover', { bubbles: true })), true`))
	p.awaits(`(scrollTo(0, 9), getComputedStyle(document.documentElement).overflowY === 'visible')`)
}

// game returns the context of the frame: a browser whose windows nobody sees hands no key from a page to a frame of another site.
func (p *player) game() context.Context {
	p.Helper()
	if p.frame != nil {
		return p.frame
	}
	testenv.Eventually(p, 30*time.Second, "the frame is a target of its own", func() bool {
		targets, err := chromedp.Targets(p.ctx)
		i := slices.IndexFunc(targets, func(at *target.Info) bool { return at.Type == "iframe" && strings.Contains(at.URL, "game-abc123") })
		if err == nil && i >= 0 {
			ctx, leave := chromedp.NewContext(p.ctx, chromedp.WithTargetID(targets[i].TargetID))
			p.Cleanup(leave)
			p.frame = ctx
		}
		return p.frame != nil
	})
	return p.frame
}
