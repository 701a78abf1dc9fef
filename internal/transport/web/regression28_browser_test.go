package web

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"sandlot/internal/testkit/testenv"
)

// A player is somebody at the page of the playground's game.
type player struct {
	*testing.T
	*playground
	ctx   context.Context
	frame context.Context // see game
}

// sits opens the page on a screen and notes the heartbeats, each as it is sent. The page has heard by then whether its frame has storage: what
// is pressed has its effect at once.
func sits(t *testing.T, ctx context.Context, width, height int64, screen ...chromedp.EmulateViewportOption) *player {
	t.Helper()
	p := &player{T: t, playground: newPlayground(t), ctx: ctx}
	run(t, ctx, chromedp.EmulateViewport(width, height, screen...))
	run(t, ctx, chromedp.Navigate("http://localhost:"+p.port+"/p/game-abc123"))
	p.awaits(`document.readyState === 'complete' && !document.querySelector('button.start').hidden && !document.querySelector('body > iframe')`)
	run(t, ctx, chromedp.Evaluate[bool](`window.beats = [];
window.fetch = async () => { beats.push('plays'); return new Response(null, { status: 204 }) };
navigator.sendBeacon = () => { beats.push('gone') };
addEventListener('message', (e) => { if (typeof e.data === 'string') window.said = e.data }); true`))
	return p
}

// wholeScreenBrowser returns the context of a tab in a browser of the test's own: where one window of a browser fills the screen, presses do not
// arrive in the others, nor in one that was made beside a first.
func wholeScreenBrowser(t *testing.T) context.Context {
	t.Helper()
	return testenv.Browser(t, chromedp.UserDataDir(t.TempDir()))
}

func (p *player) awaits(expression string) {
	p.Helper()
	await(p.T, p.ctx, expression)
}

// clicks presses until the press arrives: one that comes while the window or the frame still changes its size goes where the element was.
func (p *player) clicks(selector string) {
	p.Helper()
	run(p.T, p.ctx, chromedp.Evaluate[bool](fmt.Sprintf(`window.arrived = false, document.querySelector(%q).addEventListener('click', () => { window.arrived = true }, { capture: true, once: true }), true`, selector)))
	p.until(`window.arrived`, func() { run(p.T, p.ctx, chromedp.Click(chromedp.CSS(selector))) })
}

// goesOn presses the button of the poster as a keyboard does. A browser knows where a click goes a moment later than what the page shows.
func (p *player) goesOn() {
	p.Helper()
	run(p.T, p.ctx, chromedp.Evaluate[bool](`document.querySelector('button.start').click(), true`))
}

// fills presses Full screen. One press that arrives fills the window, and from then on the button cannot be pressed again.
func (p *player) fills() {
	p.Helper()
	p.clicks(".full")
	p.awaits(filledWindow)
}

// until does something until an expression is true.
func (p *player) until(expression string, do func()) {
	p.Helper()
	testenv.Eventually(p, time.Minute, "it is to be so that "+expression, func() bool {
		do()
		is, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](expression))
		return is && err == nil
	})
}

const (
	filledWindow = `!!document.querySelector('.filled iframe') && document.querySelector('.poster').hidden && document.activeElement.matches('iframe') && document.querySelector('.about').inert`
	covered      = `!!document.querySelector('.stage:not(.filled) iframe[inert]') && document.querySelector('.poster').checkVisibility() && !document.querySelector('.about').inert &&
document.activeElement.matches('button.start') && document.activeElement.innerText.trim() === 'Continue'`
	wholeScreen = `document.fullscreenElement === document.querySelector('.stage')`
	inPage      = `!!document.querySelector('.stage:not(.filled) iframe:not([inert])') && document.querySelector('.poster').hidden && !document.querySelector('.about').inert`
)

// layout says what of the frame the bar covers, or leaves unused.
const layout = `(() => {
  const bar = document.querySelector('.bar').getBoundingClientRect(), frame = document.querySelector('.filled iframe'), exit = document.querySelector('.exit').getBoundingClientRect();
  const { left, top, right, bottom, width, height } = frame.getBoundingClientRect(), said = [];
  if (bar.right > left && bar.bottom > top) said.push('the bar lies on the game');
  if (right !== innerWidth || bottom !== innerHeight) said.push('the game does not reach the edges');
  if (bar.width * bar.height + width * height !== innerWidth * innerHeight) said.push('some of the screen is not used');
  if (Math.min(bar.width, bar.height) > 48) said.push('the bar is not slim');
  if (exit.width < 44 || exit.height < 44) said.push('the way out is ' + exit.width + ' by ' + exit.height);
  for (let x = left + 1; x < right; x += 8) for (let y = top + 1; y < bottom; y += 8) {
    if (document.elementFromPoint(x, y) !== frame) { said.push('at ' + x + ', ' + y + ' is not the game'); return said; }
  }
  if (!/full screen$/.test(document.querySelector('.exit').getAttribute('aria-label'))) said.push('the way out has another name');
  return said;
})()`

func TestRegression28NothingLiesOnTheGame(t *testing.T) {
	t.Parallel()
	p := sits(t, testenv.Browser(t), 360, 780, chromedp.EmulateMobile, chromedp.EmulateTouch)
	p.clicks("button.start")
	p.awaits(filledWindow)
	for _, screen := range [][2]int64{{360, 780}, {780, 360}, {932, 430}, {320, 480}} { // turned around, and others
		run(t, p.ctx, chromedp.EmulateViewport(screen[0], screen[1], chromedp.EmulateMobile, chromedp.EmulateTouch))
		for _, found := range run(t, p.ctx, chromedp.Evaluate[[]string](layout)) {
			t.Errorf("on %v %s", screen, found)
		}
	}
	if n := p.loaded.Load(); n != 1 {
		t.Errorf("the game was loaded %d times", n)
	}
}

func TestRegression28LeavingShowsThePosterAndGoesOn(t *testing.T) {
	t.Parallel()
	ctx := wholeScreenBrowser(t)
	ways := map[string]func(p *player){
		"the bar":    func(p *player) { p.clicks(".exit") },
		"going back": func(p *player) { run(p.T, ctx, chromedp.Evaluate[bool](`setTimeout(() => history.back()), true`)) },
		"Escape": func(p *player) {
			run(p.T, ctx, chromedp.Evaluate[bool](`document.querySelector('.exit').focus(), true`))
			run(p.T, ctx, chromedp.KeyEvent("\x1b"))
		},
		"full screen": func(p *player) { run(p.T, ctx, chromedp.Evaluate[bool](`document.exitFullscreen(), true`)) },
	}
	for name, leaves := range ways {
		t.Run(name, func(t *testing.T) {
			p := sits(t, ctx, 360, 780, chromedp.EmulateMobile, chromedp.EmulateTouch)
			if name == "full screen" {
				p.clicks(".full")
				p.awaits(wholeScreen)
			} else {
				p.clicks("button.start")
			}
			p.awaits(filledWindow + ` && beats.join() === 'plays'`)
			p.awaits(`(document.querySelector('.stage iframe').contentWindow.postMessage('step', '*'), window.said === '#step')`) // what must not be lost
			leaves(p)
			if name == "going back" { // the game's own step comes first
				p.awaits(`(document.querySelector('.stage iframe').contentWindow.postMessage('where', '*'), window.said === 'at ')`)
				leaves(p)
			}
			p.awaits(covered + ` && beats.join() === 'plays,gone'`)
			p.goesOn()
			p.awaits(filledWindow + ` && beats.join() === 'plays,gone,plays'`)
			if name != "going back" {
				p.awaits(`(document.querySelector('.stage iframe').contentWindow.postMessage('where', '*'), window.said === 'at #step')`)
			}
			p.clicks(".exit")
			p.awaits(covered)
			if n := p.loaded.Load(); n != 1 {
				t.Errorf("the game was loaded %d times", n)
			}
		})
	}
}

// TestRegression28AGameLeavesItsOwnFullScreen: what is the game's is not the page's. It leads back to where the game was.
func TestRegression28AGameLeavesItsOwnFullScreen(t *testing.T) {
	t.Parallel()
	p := sits(t, wholeScreenBrowser(t), 360, 780)
	p.clicks("button.start")
	p.awaits(filledWindow)
	p.awaits(`!!window.said`)
	p.until(`!!document.fullscreenElement?.matches('iframe')`, func() { run(t, p.ctx, chromedp.MouseClickXY(180, 400)) })
	run(t, p.ctx, chromedp.Evaluate[bool](`document.querySelector('.stage iframe').contentWindow.postMessage('small', '*'), true`))
	p.awaits(`!document.fullscreenElement && ` + filledWindow)
	p.clicks(".exit")
	p.awaits(covered)
}

// TestRegression28OnADeskTheGameGoesOnInThePage: there the frame is large enough to play in, for those who did.
func TestRegression28OnADeskTheGameGoesOnInThePage(t *testing.T) {
	t.Parallel()
	ctx := wholeScreenBrowser(t)
	p := sits(t, ctx, 1280, 800)
	p.fills()
	p.awaits(wholeScreen)
	p.awaits(`document.querySelector('.bar').checkVisibility() !== matchMedia('(hover: hover) and (pointer: fine)').matches`)
	run(t, ctx, chromedp.Evaluate[bool](`document.exitFullscreen(), true`))
	p.awaits(covered)
	p.goesOn()
	p.awaits(inPage + ` && document.activeElement.matches('iframe')`)
	p.fills()
	p.awaits(wholeScreen)
	run(t, ctx, chromedp.Evaluate[bool](`document.exitFullscreen(), true`))
	p.awaits(inPage + ` && document.activeElement.matches('.full')`)
	// A browser that has no full screen for elements, or refuses it: the game fills the window, with the bar.
	run(t, ctx, chromedp.Evaluate[bool](`document.querySelector('.stage').requestFullscreen = undefined, true`))
	p.fills()
	for _, found := range run(t, ctx, chromedp.Evaluate[[]string](layout)) {
		t.Error(found)
	}
	p.clicks(".exit")
	p.awaits(inPage + ` && document.activeElement.matches('.full')`)
	if n := p.loaded.Load(); n != 1 {
		t.Errorf("the game was loaded %d times", n)
	}
}
