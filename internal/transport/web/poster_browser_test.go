package web

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"sandlot/internal/testkit/testenv"
)

// TestThePosterHidesTheFrameWhole: a frame that is covered does not show at the round corners of its poster, where a dark page had white
// hairlines. Within it the game draws on, and it is not loaded again.
func TestThePosterHidesTheFrameWhole(t *testing.T) {
	t.Parallel()
	ctx := testenv.Browser(t)
	run(t, ctx, chromedp.Navigate("about:blank"))
	dark := map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": "dark"}}}
	run(t, ctx, chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		return tab.Call(ctx, "Emulation.setEmulatedMedia", dark, nil)
	}))
	p := sits(t, ctx, 360, 780, chromedp.EmulateMobile, chromedp.EmulateTouch, chromedp.EmulateScale(2))
	run(t, ctx, chromedp.Evaluate[bool](`addEventListener('message', (e) => { if (e.data.drawn) window.game = e.data }), true`))
	before := p.stage()

	p.clicks("button.start")
	p.awaits(filledWindow + ` && !!window.said`)
	p.awaits(`(document.querySelector('.stage iframe').contentWindow.postMessage('drawn', '*'), window.game?.drawn > 1)`)
	p.clicks(".exit")
	p.awaits(covered)
	drawn := run(t, ctx, chromedp.Evaluate[float64](`game.drawn`))
	p.awaits(`(document.querySelector('.stage iframe').contentWindow.postMessage('drawn', '*'), window.game.drawn > ` + fmt.Sprint(drawn+5) + `)`)
	n := -1
	for deadline := time.Now().Add(20 * time.Second); n != 0 && time.Now().Before(deadline); { // a picture may be of a moment ago
		n = differ(before, p.stage())
	}
	if n != 0 {
		t.Errorf("%d pixels of the corners are not as they were before there was a frame", n)
	}
	p.goesOn()
	p.awaits(filledWindow)
	if n := p.loaded.Load(); n != 1 {
		t.Errorf("the game was loaded %d times", n)
	}
}

// stage is a picture of the stage.
func (p *player) stage() image.Image {
	p.Helper()
	at := run(p.T, p.ctx, chromedp.Evaluate[[]int](`(({ left, top, right, bottom }) => [left, top, right, bottom].map((v) => Math.round(v * devicePixelRatio)))(document.querySelector('.stage').getBoundingClientRect())`))
	picture, err := png.Decode(bytes.NewReader(run(p.T, p.ctx, chromedp.CaptureScreenshot())))
	if err != nil {
		p.Fatal(err)
	}
	return picture.(interface {
		SubImage(image.Rectangle) image.Image
	}).SubImage(image.Rect(at[0], at[1], at[2], at[3]))
}

// differ counts the pixels of the corners that are not the same, but for what comes of rounding.
func differ(a, b image.Image) int {
	const corner, rounding = 40, 8 << 8
	n, from, to, size := 0, a.Bounds().Min, b.Bounds().Min, a.Bounds().Size()
	for y := range size.Y {
		for x := range size.X {
			if min(x, size.X-1-x) >= corner || min(y, size.Y-1-y) >= corner {
				continue
			}
			r1, g1, b1, _ := a.At(from.X+x, from.Y+y).RGBA()
			r2, g2, b2, _ := b.At(to.X+x, to.Y+y).RGBA()
			for _, d := range []int{int(r1) - int(r2), int(g1) - int(g2), int(b1) - int(b2)} {
				if max(d, -d) > rounding {
					n++
					break
				}
			}
		}
	}
	return n
}
