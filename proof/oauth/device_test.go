package oauth

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

// A device is a program that waits for consent.
type device struct {
	s              *site
	code, userCode string
}

// askDevice begins a device grant.
func (s *site) askDevice(t *testing.T, pairs ...string) device {
	t.Helper()
	got := s.post(t, devicePath, pairs...)
	if got.status != http.StatusOK {
		t.Fatalf("a request of a device: %d %s", got.status, got.text)
	}
	o := got.json(t)
	return device{s, text(o, "device_code"), text(o, "user_code")}
}

// poll asks for the tokens, as the program terminal where no other is named.
func (d device) poll(t *testing.T, client ...string) answer {
	t.Helper()
	return d.s.post(t, tokenPath, "grant_type", deviceGrant, "device_code", d.code, "client_id", append(client, "terminal")[0])
}

// enter types a code into the page, and returns the page of the question.
func (p *person) enter(t *testing.T, code string) answer {
	t.Helper()
	got := p.does(t, "POST", "/connect", form("code", code))
	if got.status == http.StatusSeeOther {
		return p.does(t, "GET", got.header.Get("Location"), nil)
	}
	return got
}

// types types a code, and presses a button of its question. An empty project is the account.
func (p *person) types(t *testing.T, code, answered, project string) {
	t.Helper()
	got := p.decide(t, question{p.enter(t, code), "/connect"}, answered, project)
	if got.status != http.StatusSeeOther {
		t.Fatalf("the answer to a device: %d %s", got.status, got.text)
	}
}

var aUserCode = regexp.MustCompile(`^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$`)

// TestADeviceGetsTokensOnceAfterItsOwnerHasTypedTheCode.
func TestADeviceGetsTokensOnceAfterItsOwnerHasTypedTheCode(t *testing.T) {
	t.Parallel()
	s := start(t)
	ada, eve := s.join(t, "ada"), s.join(t, "eve")
	hers, foreign := s.publish(t, ada.key, "Hers"), s.publish(t, eve.key, "Foreign")
	first := s.post(t, devicePath)
	o := first.json(t)
	expect.Equal(t, "the form of the code", aUserCode.MatchString(text(o, "user_code")), true)
	expect.Equal(t, "the form of the device_code", strings.HasPrefix(text(o, "device_code"), "sld_"), true)
	expect.Equal(t, "the page", text(o, "verification_uri"), s.base+"/connect")
	expect.Equal(t, "the address with the code", o["verification_uri_complete"], nil)
	expect.Equal(t, "the life", o["expires_in"], any(600.0))
	expect.Equal(t, "the interval", o["interval"], any(5.0))
	expect.Equal(t, "Cache-Control", first.header.Get("Cache-Control"), "no-store")

	d := device{s, text(o, "device_code"), text(o, "user_code")}
	ada.types(t, strings.ToLower(strings.ReplaceAll(d.userCode, "-", "")), "allow", "")
	d.poll(t, s.register(t, loopback).id).refusedAs(t, "another program", "invalid_grant")
	got := d.poll(t).tokens(t)
	expect.Equal(t, "the scope", got.Scope, "account")
	expect.Equal(t, "that the token works", s.opens(t, got.Access), true)
	d.poll(t).refusedAs(t, "a second time", "invalid_grant")
	expect.Equal(t, "status of the code a second time", eve.enter(t, d.userCode).status, http.StatusGone)

	d = s.askDevice(t)
	d.poll(t).refusedAs(t, "before the owner has decided", "authorization_pending")
	d.poll(t).refusedAs(t, "at once again", "slow_down")
	d.poll(t).refusedAs(t, "and again", "slow_down")
	ada.types(t, " "+d.userCode+" ", "deny", "")
	d = s.askDevice(t)
	ada.types(t, d.userCode, "deny", "")
	d.poll(t).refusedAs(t, "after a no", "access_denied")

	d = s.askDevice(t, "project", hers)
	page := ada.enter(t, d.userCode)
	expect.Contains(t, "the page", page.text, hers)
	for _, wrong := range []string{foreign, "p-none"} {
		refused := ada.decide(t, question{page, "/connect"}, "allow", wrong)
		expect.Equal(t, "status with the project "+wrong, refused.status, http.StatusUnprocessableEntity)
	}
	refused := eve.decide(t, question{page, "/connect"}, "allow", foreign)
	expect.Equal(t, "that the form of another session is taken", refused.status >= 400 && refused.status < 500, true)
	ada.types(t, d.userCode, "allow", hers)
	expect.Equal(t, "the scope", d.poll(t).tokens(t).Scope, "project")
	for about, pairs := range map[string][]string{
		"a project of nobody": {"project", "../../admin"}, "a program that there is not": {"client_id", "nobody"},
		"a program that has not asked for devices": {"client_id", s.register(t, loopback).id},
		"another resource":                         {"resource", "https://evil.example"},
	} {
		if got := s.post(t, devicePath, pairs...); got.status == http.StatusOK && about != "a project of nobody" || got.status >= 500 {
			t.Errorf("%s: %d %s", about, got.status, got.text)
		}
	}
}

// TestNoAddressAndNoForeignPageTypesTheCode of a device for its owner.
func TestNoAddressAndNoForeignPageTypesTheCode(t *testing.T) {
	testenv.Unraced(t)
	t.Parallel()
	s := start(t)
	ada := s.join(t, "ada")
	d := s.askDevice(t)
	bare := strings.ReplaceAll(d.userCode, "-", "")
	for _, query := range []string{"?code=", "?user_code=", "/", "?form_token=a&answer=allow&code=", "?slc_"} {
		query += d.userCode
		got := ada.does(t, "GET", "/connect"+query, nil)
		expect.Equal(t, "that the page of "+query+" has the code", strings.Contains(got.text, d.userCode), false)
		if strings.Contains(got.text, `name="form_token"`) {
			t.Errorf("%s leads to the question", query)
		}
	}
	for _, header := range [][]string{
		{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"},
		{"Origin", "http://localhost:1", "Sec-Fetch-Site", "same-site"},
		{"Origin", "null", "Sec-Fetch-Site", "cross-site"},
		{"Origin", "https://evil.example", "Sec-Fetch-Site", ""},
	} {
		got := ada.does(t, "POST", "/connect", form("code", d.userCode), header...)
		expect.Equal(t, fmt.Sprint("status of a form of ", header), got.status, http.StatusForbidden)
		page := ada.does(t, "GET", "/connect", nil)
		expect.Equal(t, "that a foreign form has typed the code", strings.Contains(page.text, d.userCode), false)
	}
	stranger := s.stranger()
	got := stranger.does(t, "POST", "/connect", form("code", d.userCode))
	expect.Contains(t, "where a stranger with the code is led", got.header.Get("Location"), "/login")

	tab := reader{t, testenv.Engine(t)}
	ada.lend(t, tab.tab)
	for _, fragment := range []string{"#" + d.userCode, "#" + bare, "#slc_" + bare, "#user_code=" + d.userCode} {
		tab.goes("about:blank")
		tab.goes(s.base + "/connect" + fragment)
		tab.awaits("there is no question", `!document.querySelector('[name=form_token]') && document.querySelector('h1')`)
		value, err := chromedp.Run(tab.tab, chromedp.Evaluate[string](`document.querySelector('#code')?.value ?? ''`))
		expect.OK(t, err)
		expect.Equal(t, "what "+fragment+" writes into the field", value, "")
	}
	// A person who types it sees the question.
	tab.goes(s.base + "/connect")
	tab.fills("#code", strings.ToLower(d.userCode))
	tab.presses("#connect button")
	tab.presses(`input[name=reach][value=account]`)
	tab.presses(`button[name=answer][value=allow]`)
	tab.awaits("the page leads back to the terminal", `location.pathname === '/connect/done'`)
	d.poll(t).tokens(t)
}

// TestCodesOfDevicesAreNotGuessed: a network has some tries, and then none, with the right code neither.
func TestCodesOfDevicesAreNotGuessed(t *testing.T) {
	t.Parallel()
	s := start(t, append([]string{"--limit", "wrong-keys=20/h:20"}, limited...)...)
	ada := s.join(t, "ada")
	d := s.askDevice(t)
	const there, elsewhere = "203.0.113.7", "203.0.113.8"
	enter := func(code, from string) int {
		t.Helper()
		return ada.does(t, "POST", "/connect", form("code", code), "X-Forwarded-For", from).status
	}
	tries := 0
	for status := 0; status != http.StatusTooManyRequests; tries++ {
		if status = enter(consonants(tries), there); tries > 100 {
			t.Fatalf("%d wrong codes, and the last is %d", tries, status)
		}
	}
	t.Logf("refused after %d wrong codes", tries)
	expect.Equal(t, "status of the right code after too many wrong ones", enter(d.userCode, there), http.StatusTooManyRequests)
	expect.Equal(t, "status of the right code elsewhere", enter(d.userCode, elsewhere), http.StatusOK)
	for try := range 3 {
		page := question{ada.enter(t, d.userCode), "/connect"}
		action, f := page.question(t)
		f.Set("code", consonants(try+500))
		f.Set("answer", "allow")
		f.Set("reach", "account")
		got := ada.does(t, "POST", action, f, "X-Forwarded-For", there)
		expect.Equal(t, "status of a form with another code", got.status, http.StatusTooManyRequests)
	}
	d.poll(t).refusedAs(t, "a device after all that", "authorization_pending")
}

// limited makes a program that believes who the proxy says a client is, and limits clients.
var limited = []string{"--trusted-proxies", "127.0.0.1", "--limits", "normal"}

// consonants returns the code of that number.
func consonants(n int) string {
	const letters = "BCDFGHJKLMNPQRSTVWXZ"
	code := []byte("BBBBBBBB")
	for i := range code {
		code[i], n = letters[n%len(letters)], n/len(letters)
	}
	return string(code[:4]) + "-" + string(code[4:])
}
