package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	cdptarget "github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// scored is a game that is red until its player has scored, by a click or a key, and green for ever after.
func scored(title string) string {
	return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>` + title + `</title><style>body { margin: 0 } canvas { display: block; width: 100vw; height: 100vh }</style><canvas></canvas><script>
const paint = document.querySelector('canvas').getContext('2d');
const draw = () => { paint.fillStyle = localStorage.getItem('best') ? '#00ff00' : '#ff0000'; paint.fillRect(0, 0, 999, 999); };
for (const kind of ['pointerdown', 'keydown']) addEventListener(kind, (e) => { if (e.key !== 'Tab') { localStorage.setItem('best', '1'); draw(); } });
draw();
</script>`
}

// A stroll is a way to walk.
type stroll struct {
	look    look
	keys    bool // by the keyboard alone
	blocked bool // the browser keeps storage from frames of other sites
	firefox bool
}

func (v stroll) name() string {
	name := v.look.name
	for _, also := range []struct {
		is   bool
		what string
	}{{v.keys, "-keyboard"}, {v.blocked, "-blocked"}, {v.firefox, "-firefox"}} {
		if also.is {
			name += also.what
		}
	}
	return name
}

// strolls returns the one given way, or every way where the soak sets SANDLOT_TEST_WALKS: all, or those in firefox.
func strolls(one stroll) []stroll {
	asked := os.Getenv("SANDLOT_TEST_WALKS")
	if asked == "" {
		return []stroll{one}
	}
	var all []stroll
	for _, scheme := range []string{"dark", "light"} {
		for _, blocked := range []bool{false, true} {
			for _, l := range []look{phone(scheme), desktop(scheme)} {
				for _, keys := range []bool{false, true} {
					all = append(all, stroll{l, keys, blocked, asked == "firefox"})
				}
			}
		}
	}
	return all
}

// TestAVisitorsWalk goes from the home page to a game, plays and scores, comes back to the score, likes it, goes on to the next and to its
// creator, and finds both again in what the browser keeps; and without scripts wherever pages serve without.
func TestAVisitorsWalk(t *testing.T) {
	testenv.Unraced(t)
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t), "--quarantine", "off")
	site := strings.Replace(s.URL(), "127.0.0.1", "localhost", 1)
	key := signUp(t, s)
	games := map[string]game{}
	for _, title := range []string{"Tide Pools", "Sand Castles"} {
		status, made := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": []byte(scored(title))})
		if status != http.StatusCreated {
			t.Fatalf("publish: %d %v", status, made)
		}
		games[title] = game{made["page_url"].(string), made["url"].(string), made["handle"].(string)}
	}
	outer := t // the browser ends with it
	var chromium context.Context
	for _, v := range strolls(stroll{look: phone("dark")}) {
		t.Run(v.name(), func(t *testing.T) {
			w := &visitor{stroll: v, games: games, frames: map[cdptarget.ID]context.Context{}}
			switch {
			case v.firefox:
				dark, cookies := map[string]int{"dark": 0, "light": 1}[v.look.scheme], map[bool]int{true: 1, false: 5}[v.blocked]
				w.person = newFoxPerson(t, testenv.Firefox(t, fmt.Sprintf(`user_pref("layout.css.prefers-color-scheme.content-override", %d);
user_pref("network.cookie.cookieBehavior", %d);
`, dark, cookies)), site, v.look)
			case v.blocked:
				w.person = newPerson(t, storageBrowser(t, games["Tide Pools"].page, games["Tide Pools"].url, games["Sand Castles"].url), site, v.look)
			default:
				w.person = newPerson(t, chromiumOf(outer, &chromium), site, v.look)
			}
			w.person.keys = v.keys
			w.walk()
		})
	}
	if os.Getenv("SANDLOT_TEST_WALKS") != "firefox" {
		t.Run("without scripts", func(t *testing.T) {
			p := newPerson(t, chromiumOf(outer, &chromium), site, phone("light"))
			p.tells("Emulation.setScriptExecutionDisabled", map[string]any{"value": true})
			withoutScripts(p, games)
		})
	}
}

// chromiumOf is one browser for all who can share one. It ends with the test around them.
func chromiumOf(t *testing.T, browser *context.Context) context.Context {
	t.Helper()
	if *browser == nil {
		start := testenv.Engine
		if os.Getenv("SANDLOT_TEST_WALKS") != "" { // the soak walks with windows
			start = testenv.Browser
		}
		*browser = start(t)
		act(t, *browser, chromedp.Navigate("about:blank"))
	}
	return *browser
}

type game struct{ page, url, handle string }

type visitor struct {
	stroll
	*person
	games  map[string]game
	frames map[cdptarget.ID]context.Context
}

func (w *visitor) walk() {
	w.goes("/")
	w.awaits("the colours are those one prefers", fmt.Sprintf(`matchMedia('(prefers-color-scheme: %s)').matches`, w.stroll.look.scheme))
	w.presses("Play")
	w.awaits("this is a project's page", `location.pathname.startsWith('/p/')`)
	var title string
	expect.OK(w.t, w.ask(`document.querySelector('h1').innerText`, &title))
	if w.blocked {
		w.playsApart(title)
	} else {
		w.plays()
	}
	w.likes()
	if w.stroll.look.phone {
		w.presses("Next: ")
	} else {
		w.presses(map[string]string{"Tide Pools": "Sand Castles", "Sand Castles": "Tide Pools"}[title])
	}
	w.awaits("it is another project", fmt.Sprintf(`location.pathname.startsWith('/p/') && document.querySelector('h1').innerText !== %q`, title))
	handle := w.games[title].handle
	w.presses("@" + handle)
	w.at("/@" + handle)
	w.sees("Tide Pools", "Sand Castles", "1 like")
	w.goes("/mine")
	w.awaits("what one liked is there", fmt.Sprintf(`document.querySelector('[data-kept=liked]').innerText.includes(%q)`, title))
	if !w.blocked {
		w.awaits("and what one played", fmt.Sprintf(`document.querySelector('[data-kept=played]').innerText.includes(%q)`, title))
	}
	w.likesNot(title)
	if w.fox == nil {
		w.quiet()
	}
}

// plays scores, and finds the score after a reload.
func (w *visitor) plays() {
	w.awaits("the frame is there", `document.querySelector('.stage iframe') && document.activeElement.matches('iframe')`)
	w.scores(".stage iframe")
	w.draws(".stage iframe")
	w.reloads()
	w.presses("Play")
	w.draws(".stage iframe")
	w.reloads()
}

// playsApart goes to the game's own tab, where it has storage.
func (w *visitor) playsApart(title string) {
	var page string
	expect.OK(w.t, w.ask(`location.href`, &page))
	w.awaits("one is told to play in a tab", `document.querySelector('.apart').checkVisibility() && !document.querySelector('.stage iframe')`)
	w.goes(w.games[title].url)
	w.scores("canvas")
	w.draws("canvas")
	w.reloads()
	w.draws("canvas")
	w.goes(page)
}

// scores presses in the game, or strikes a key, until it has heard that.
func (w *visitor) scores(selector string) {
	w.t.Helper()
	w.until("the game has the score", func() bool {
		if w.fox != nil {
			if w.fox.plays(w.person.keys) != nil {
				return false
			}
		} else if w.person.keys {
			expect.OK(w.t, w.strikesInFocus())
		} else {
			var at []float64
			if w.ask(fmt.Sprintf(`(({ x, y, width, height }) => [x + width / 2, y + height / 2])(document.querySelector(%q).getBoundingClientRect())`, selector), &at) != nil {
				return false
			}
			w.clicks(at[0], at[1])
		}
		return w.green(selector)
	})
}

// strikesInFocus strikes Space where the focus is: in a frame of another site by that frame's own connection, as a browser whose windows
// nobody sees hands no key from a page to such a frame. The connection is kept, because leaving it would close the frame.
func (w *visitor) strikesInFocus() error {
	var frame string
	if err := w.ask(`document.activeElement.matches('iframe') ? document.activeElement.src : ''`, &frame); err != nil || frame == "" {
		w.strikes("Space")
		return err
	}
	targets, err := chromedp.Targets(w.ctx)
	for _, at := range targets {
		if at.Type != "iframe" || !strings.HasPrefix(frame, at.URL) {
			continue
		}
		if w.frames[at.TargetID] == nil {
			ctx, leave := chromedp.NewContext(w.ctx, chromedp.WithTargetID(at.TargetID))
			w.t.Cleanup(leave)
			w.frames[at.TargetID] = ctx
		}
		_, err = chromedp.Run(w.frames[at.TargetID], chromedp.KeyEvent(" "))
	}
	return err
}

func (p *person) reloads() {
	p.t.Helper()
	var here string
	expect.OK(p.t, p.ask(`location.href`, &here))
	if p.fox != nil {
		expect.OK(p.t, p.fox.browser.Call("browsingContext.reload", map[string]any{"context": p.fox.tab, "wait": "complete"}, nil))
		return
	}
	act(p.t, p.ctx, chromedp.Reload())
}

func (w *visitor) likes() {
	w.presses("Like")
	w.awaits("it is liked", `document.querySelector('.like [aria-pressed=true]')`)
	w.reloads()
	w.awaits("it is still liked", `document.querySelector('.like [aria-pressed=true]')`)
	w.spots("[data-likes]", "1")
}

// likesNot takes the like back, for who comes next.
func (w *visitor) likesNot(title string) {
	w.goes(w.games[title].page)
	w.presses("Like")
	w.awaits("it is not liked any more", `document.querySelector('.like [aria-pressed=false]')`)
}

// withoutScripts finds a project by searching, is led to where it can be played, likes and reports it.
func withoutScripts(p *person, games map[string]game) {
	p.goes("/")
	p.sees("Tide Pools", "Sand Castles")
	p.goes("/?q=tide")
	p.sees("Tide Pools")
	p.awaits("what was found is the first list", `!document.querySelector('.cards').innerText.includes('Sand Castles')`)
	p.presses("Tide Pools")
	p.awaits("there is a way to play", fmt.Sprintf(`document.querySelector('a.start[data-plain]').checkVisibility() && document.querySelector('a.start[data-plain]').href === %q`, games["Tide Pools"].url))
	p.presses("Like")
	p.awaits("it is liked", `document.querySelector('.like [aria-pressed=true]')`)
	p.presses("Report this project")
	p.at("/report")
	p.presses("Something else")
	p.types("What should we know?", "It is a test.")
	p.presses("Send report")
	p.sees("Thank you")
}
