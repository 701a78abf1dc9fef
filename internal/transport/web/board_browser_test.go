package web

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"sandlot/internal/domain/players/boards"
	"sandlot/internal/testkit/testenv"
)

// answering is a game whose script answers the page as sdk.js does.
const answering = `<script>
let name = 'Ada';
const say = (what) => parent.postMessage(what, '*');
const who = () => say({ sandlot: 'player', id: 'mmmmmmmmmm', name, local: false });
addEventListener('message', ({ data }) => {
  if (data.sandlot === 'hello') who();
  if (data.sandlot === 'rename') { name = data.name === 'refused' ? name : data.name; who(); }
  if (data.sandlot === 'code') say({ sandlot: 'code', code: '<b>amber-tulip' });
  if (data.sandlot === 'resume') say({ sandlot: 'resumed', ok: data.code === 'good' });
  if (data.sandlot === 'tell') say({ sandlot: 'told', ok: true });
  if (data === 'score') say({ sandlot: 'scored', board: 'main' });
});
</script>`

func TestAPageMeetsThePlayerInItsFrame(t *testing.T) {
	t.Parallel()
	ctx := testenv.Browser(t)
	g := newPlayground(t)
	g.game = answering
	g.bringsTo(gameID, boards.Board{Name: boards.Default})
	at := "http://localhost:" + g.port + "/p/game-abc123"
	run(t, ctx, chromedp.Navigate(at))
	run(t, ctx, chromedp.Poll[bool](`!document.querySelector('button.start').hidden`))
	if run(t, ctx, chromedp.Evaluate[bool](`!document.querySelector('[data-player]').hidden || !!document.querySelector('.mine')`)) {
		t.Error("there is a player before anybody plays")
	}
	run(t, ctx, chromedp.Click("button.start"))
	until := func(what string) {
		t.Helper()
		run(t, ctx, chromedp.Poll[bool](what))
	}
	do := func(what string) { run(t, ctx, chromedp.Evaluate[chromedp.Void](what)) }
	said := func(text string) string {
		return `document.querySelector('.said-here').textContent === ` + "'" + text + "'"
	}
	until(`!document.querySelector('[data-player]').hidden && document.querySelector('#player-name').value === 'Ada'`)
	until(`document.querySelector('tfoot .mine td')?.textContent === '11'`)
	do(`document.querySelector('.board [data-period=week]').focus(); document.querySelector('.board [data-period=week]').click()`)
	until(`document.querySelector('.board-shown').dataset.period === 'week' && document.activeElement.dataset.period === 'week'`)
	do(`document.querySelector('.board [data-period=all]').click()`)
	do(`document.querySelector('iframe').contentWindow.postMessage('score', '*')`)
	until(said("You’re number 11 of 11."))
	for _, c := range [][2]string{{"Mia", "Your name was saved."}, {"refused", "That didn’t work. Please try again later."}} {
		do(`{ const f = document.querySelector('[data-rename]'); f.elements.name.value = '` + c[0] + `'; f.requestSubmit() }`)
		until(said(c[1]))
	}
	do(`document.querySelector('[data-code]').click()`)
	until(`document.querySelector('.words').textContent === '<b>amber-tulip'`)
	do(`{ const f = document.querySelector('[data-tell]'); f.elements.text.value = 'x'.repeat(200); f.elements.text.dispatchEvent(new Event('input')) }`)
	until(`document.querySelector('[data-tell] output').textContent === '80 characters left'`)
	do(`document.querySelector('[data-tell]').requestSubmit()`)
	until(`document.querySelector('[data-tell] output').textContent.startsWith('Your message was sent')`)
	if n := len(g.in.Query("SELECT id FROM feedback")); n != 0 {
		t.Errorf("the website has %d messages beside that of the frame", n)
	}
	for _, c := range [][2]string{
		{"bad", "These words don’t work. Please check them and try again."}, {"good", "Done. The game starts again."},
	} {
		do(`{ const f = document.querySelector('[data-resume]'); f.elements.code.value = '` + c[0] + `'; f.requestSubmit() }`)
		until(said(c[1]))
	}
	testenv.Eventually(t, 30*time.Second, "the game is loaded again", func() bool { return g.loaded.Load() >= 2 })
	do(`document.querySelector('.said-here').textContent = ''; postMessage({ sandlot: 'player', id: 'aaaaaaaaaa', name: 'Eve', local: false }, '*')`)
	until(`document.querySelector('#player-name').value !== 'Eve'`)
}

func TestWithoutTheScriptInAGameItsPageHasNoPlayer(t *testing.T) {
	t.Parallel()
	ctx := testenv.Browser(t)
	g := newPlayground(t)
	g.game = "<script>parent.postMessage('here', '*'); addEventListener('message', () => parent.postMessage('heard', '*'))</script>"
	run(t, ctx, chromedp.Navigate("http://localhost:"+g.port+"/p/game-abc123"))
	run(t, ctx, chromedp.Poll[bool](`!document.querySelector('button.start').hidden`))
	run(t, ctx, chromedp.Evaluate[chromedp.Void](`addEventListener('message', ({ data }) => { if (data === 'heard') window.heard = true })`))
	run(t, ctx, chromedp.Click("button.start"))
	run(t, ctx, chromedp.Poll[bool](`window.heard`))
	if !run(t, ctx, chromedp.Evaluate[bool](`document.querySelector('[data-player]').hidden && document.querySelector('.board').hidden`)) {
		t.Error("the page shows a player or a board")
	}
	run(t, ctx, chromedp.Evaluate[chromedp.Void](`{ const f = document.querySelector('[data-tell]'); f.elements.text.value = 'Hello'; f.requestSubmit() }`))
	run(t, ctx, chromedp.Poll[bool](`document.querySelector('[data-tell] output').textContent.startsWith('Your message was sent')`))
	if got := strings.Join(g.in.Query("SELECT text FROM feedback"), " "); got != "Hello" {
		t.Errorf("the website has the messages %q", got)
	}
}
