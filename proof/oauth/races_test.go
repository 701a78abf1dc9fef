package oauth

import (
	"net/http"
	"sync"
	"testing"

	"sandlot/internal/testkit/expect"
)

// together does things at once, and returns their answers.
func together(t *testing.T, do ...func() (answer, error)) []answer {
	t.Helper()
	var all sync.WaitGroup
	list := make([]answer, len(do))
	for i, one := range do {
		all.Go(func() {
			var err error
			if list[i], err = one(); err != nil {
				t.Errorf("a request beside others: %v", err)
			}
		})
	}
	all.Wait()
	return list
}

// good returns the answers with tokens.
func good(list []answer) (of []answer) {
	for _, one := range list {
		if one.status == http.StatusOK {
			of = append(of, one)
		}
	}
	return of
}

// TestOfSeveralAtOnceOneGetsTheDevice: one owner decides, and one poll has the tokens.
func TestOfSeveralAtOnceOneGetsTheDevice(t *testing.T) {
	t.Parallel()
	s := start(t)
	ada, eve := s.join(t, "ada"), s.join(t, "eve")
	d := s.askDevice(t)
	press := func(p *person) func() (answer, error) {
		action, f := p.enter(t, d.userCode).question(t)
		f.Set("answer", "allow")
		f.Set("reach", "account")
		return func() (answer, error) {
			return s.try(t, "POST", action, f.Encode(), "Cookie", p.cookie(), "Origin", s.base, "Sec-Fetch-Site", "same-origin")
		}
	}
	done := 0
	for _, one := range together(t, press(ada), press(eve), press(ada.again()), press(eve.again())) {
		if one.status == http.StatusSeeOther {
			done++
		}
	}
	expect.Equal(t, "decisions about one device", done, 1)
	poll := func() (answer, error) {
		return s.try(t, "POST", tokenPath, form("grant_type", deviceGrant, "device_code", d.code, "client_id", "terminal").Encode())
	}
	got := good(together(t, poll, poll, poll, poll, poll, poll))
	expect.Equal(t, "polls with tokens", len(got), 1)
	expect.Equal(t, "that the token works", s.opens(t, got[0].tokens(t).Access), true)
}

// TestNoRefreshOutlivesTheEndOfItsGrant, however close to each other they are.
func TestNoRefreshOutlivesTheEndOfItsGrant(t *testing.T) {
	t.Parallel()
	s := start(t)
	ada, mine := s.join(t, "ada"), s.register(t, loopback)
	for range 10 {
		of := ada.grant(t, mine, "")
		refresh := func() (answer, error) {
			return s.try(t, "POST", tokenPath, form("grant_type", "refresh_token", "refresh_token", of.Refresh, "client_id", mine.id).Encode())
		}
		end := func() (answer, error) {
			return s.try(t, "POST", revokePath, form("token", of.Access, "client_id", mine.id).Encode())
		}
		for _, one := range good(together(t, refresh, end, refresh, refresh)[2:]) {
			next := one.tokens(t)
			expect.Equal(t, "that a token of a grant that has ended works", s.opens(t, next.Access), false)
			mine.refresh(t, next.Refresh).refusedAs(t, "a refresh token of a grant that has ended", "invalid_grant")
		}
	}
}

// TestAConsentIsWorthNothingAfterItsAccountOrProject: an account or project that was deleted or suspended between the consent and the exchange gives no tokens.
func TestAConsentIsWorthNothingAfterItsAccountOrProject(t *testing.T) {
	t.Parallel()
	s := start(t)
	ada, mine := s.join(t, "ada"), s.register(t, loopback)
	gone := s.publish(t, ada.key, "Gone")
	ofProject, ofAccount, late := ada.code(t, mine, gone), ada.code(t, mine, ""), ada.code(t, mine, "")
	d, later := s.askDevice(t, "project", gone), s.askDevice(t)
	ada.types(t, d.userCode, "allow", gone)
	ada.types(t, later.userCode, "allow", "")
	ada.remove(t, gone)
	mine.exchange(t, ofProject).refusedAs(t, "a code for a project that is gone", "invalid_grant")
	if got := d.poll(t); got.status == http.StatusOK {
		t.Errorf("a device for a project that is gone: %s", got.text)
	}
	s.admin(t, "suspend", "@"+ada.handle(t), "--reason", "a report")
	mine.exchange(t, ofAccount).refusedAs(t, "a code of an account that is suspended", "invalid_grant")
	asked := ada.does(t, "GET", mine.address(), nil)
	if asked.status == http.StatusOK {
		if to := ada.decide(t, question{asked, mine.address()}, "allow", "").header.Get("Location"); to != "" {
			t.Errorf("a suspended account consents, and goes to %s", to)
		}
	}
	s.admin(t, "reinstate", "@"+ada.handle(t))
	ada.leave(t)
	mine.exchange(t, late).refusedAs(t, "a code of an account that is gone", "invalid_grant")
	if got := later.poll(t); got.status == http.StatusOK {
		t.Errorf("a device for an account that is gone: %s", got.text)
	}
}
