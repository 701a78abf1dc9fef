package runtime

import (
	"fmt"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// begins opens the page of a project in the gallery, and begins its game.
func begins(t *testing.T, device tab, p project) {
	t.Helper()
	opens(t, device, p.page)
	awaits(t, device, `document.querySelector('.stage iframe') || (document.querySelector('button.start')?.checkVisibility() && (document.querySelector('button.start').click(), true))`)
}

// types fills the field of a form, and sends it.
func types(t *testing.T, device tab, form, field, text string) {
	t.Helper()
	asks(t, device, fmt.Sprintf(`(() => { const f = document.querySelector(%q); f.elements[%q].value = %q; f.requestSubmit(); })()`, form, field, text))
}

// TestSoakTheProjectsPageSpeaksForThePlayer in the frame: a name that is typed there is on the board, the words bring name, place and save to a
// phone, a message reaches the maker, and the gallery leads to the board.
func TestSoakTheProjectsPageSpeaksForThePlayer(t *testing.T) {
	testenv.Unraced(t)
	s := start(t)
	both(t, false).each(t, func(t *testing.T, open func() tab) {
		p, desk, phone := s.game(t), open(), open()
		expect.OK(t, desk.resize(1280, 800))
		expect.OK(t, phone.resize(390, 844))
		begins(t, desk, p)
		report(t, desk, framed).is(online(1))
		awaits(t, desk, `document.querySelector('[data-player]')?.checkVisibility()`)
		types(t, desk, "[data-rename]", "name", "Ada")
		awaits(t, desk, `document.querySelector('tr.mine bdi')?.textContent === 'Ada'`)
		asks(t, desk, `document.querySelector('[data-code]').click()`)
		awaits(t, desk, `document.querySelector('.words').textContent.split('-').length === 4`)
		words := fmt.Sprint(asks(t, desk, `document.querySelector('.words').textContent`))

		begins(t, phone, p)
		report(t, phone, framed).is(object{"done": true, "loaded": nil})
		awaits(t, phone, `document.querySelector('tr.mine') && document.querySelector('[data-player]').checkVisibility()`)
		types(t, phone, "[data-resume]", "code", words)
		testenv.Eventually(t, limit, "the game begins anew with the save", func() bool {
			return fmt.Sprint(report(t, phone, framed).at("loaded.level")) == "1"
		})
		awaits(t, phone, `document.querySelector('tr.mine bdi')?.textContent === 'Ada'`)
		awaits(t, phone, `document.documentElement.scrollWidth <= innerWidth`)

		types(t, phone, "[data-tell]", "text", "Too hard after the second pool")
		testenv.Eventually(t, limit, "the message arrives", func() bool {
			got := p.owner(t, "GET", "/feedback", "").body
			return strings.Contains(got, "Too hard after the second pool") && strings.Contains(got, "Ada")
		})
		testenv.Eventually(t, limit, "the gallery leads to the board", func() bool {
			_, lane, _ := strings.Cut(s.send(t, "GET", s.base()+"/", "", "Accept", "text/html").body, `id="row-beat"`)
			return strings.Contains(lane, p.id)
		})
	})
}
