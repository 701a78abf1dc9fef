package storetest

import (
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
)

// login records a login of a browser for an address.
func (s Stores) login(t *testing.T, browser, email string) account.Login {
	t.Helper()
	l := account.Login{Browser: sum(browser), Email: email, Back: "/account", AskedAt: base(), ExpiresAt: base().Add(time.Minute)}
	l.ID = must(s.Accounts.AddLogin(t.Context(), l, loginJob(email)))(t)
	return l
}

func loginJob(email string) sandlot.Job {
	return sandlot.Job{Kind: "login", Address: email, Lang: "fr", Due: base()}
}

// written is a login whose message names token and code.
func written(t *testing.T, s Stores, browser, email, token, code string) account.Login {
	t.Helper()
	l := s.login(t, browser, email)
	l.ExpiresAt = base().Add(time.Hour)
	l.Email = must(s.Mail.WriteLogin(t.Context(), l.ID,
		account.LoginMessage{Token: sum(token), Code: sum(code), ExpiresAt: l.ExpiresAt}, base()))(t)
	return l
}

func proveLogin(t *testing.T, s Stores) {
	s.verified(t, "kim", "kim@example.com")
	l := written(t, s, "browser", "kim@example.com", "token", "code")
	written(t, s, "another", "kim@example.com", "other", "code")
	wants(t, "by another browser", s.Accounts.ProveLogin(t.Context(), sum("another"), sum("token"), base()), sandlot.ErrNotFound)
	wants(t, "by no token", s.Accounts.ProveLogin(t.Context(), l.Browser, sandlot.Digest{}, base()), sandlot.ErrNotFound)
	ok(t, s.Accounts.ProveLogin(t.Context(), l.Browser, sum("token"), base()))
	l.Proved = true
	same(t, "the login", must(s.Accounts.Login(t.Context(), l.Browser, base()))(t), l)
	wants(t, "a second time", s.Accounts.ProveLogin(t.Context(), l.Browser, sum("token"), base()), sandlot.ErrNotFound)
	wants(t, "by its code then", drop(s.Accounts.TryLogin(t.Context(), l.ID, sum("code"), 5, base())), sandlot.ErrNotFound)
}

func tryLoginWrong(t *testing.T, s Stores) {
	s.verified(t, "kim", "kim@example.com")
	l := written(t, s, "browser", "kim@example.com", "token", "code")
	unwritten := s.login(t, "another", "nobody@example.com")
	for _, one := range []account.Login{l, unwritten} {
		for tries := range 3 {
			got := must(s.Accounts.Login(t.Context(), one.Browser, base()))(t)
			same(t, "the tries", got.Tries, tries)
			same(t, "a wrong code", must(s.Accounts.TryLogin(t.Context(), one.ID, sum("wrong"), 3, base()))(t), false)
		}
		wants(t, "after the last", drop(s.Accounts.Login(t.Context(), one.Browser, base())), sandlot.ErrNotFound)
		wants(t, "the right code then", drop(s.Accounts.TryLogin(t.Context(), one.ID, sum("code"), 3, base())), sandlot.ErrNotFound)
	}
}

func tryLoginRace(t *testing.T, s Stores) {
	l := s.login(t, "browser", "kim@example.com")
	same(t, "tries that were counted", atOnce(t, 20, sandlot.ErrNotFound, func(int) error {
		return drop(s.Accounts.TryLogin(background(), l.ID, sum("wrong"), 5, base()))
	}), 5)
}

// proved is a login of an account's verified address, after its proof.
func proved(t *testing.T, s Stores, browser string, a sandlot.Account) account.Login {
	t.Helper()
	l := written(t, s, browser, a.Email, "token of "+browser, "code")
	ok(t, s.Accounts.ProveLogin(t.Context(), l.Browser, sum("token of "+browser), base()))
	return l
}

func newSession(a sandlot.Account) sandlot.Session {
	return sandlot.Session{
		Account: a.ID, Agent: "Browser", CreatedAt: base(), ProvedAt: base(), SeenAt: base(),
		ExpiresAt: base().Add(time.Hour),
	}
}

func logInAgain(t *testing.T, s Stores) {
	a := s.verified(t, "kim", "kim@example.com")
	had, other := s.session(t, a, "had"), s.session(t, a, "other")
	id := must(s.Accounts.LogIn(t.Context(), proved(t, s, "browser", a).ID, token("new"), newSession(a), had))(t)
	list := must(s.Accounts.Sessions(t.Context(), a.ID, base()))(t)
	same(t, "the sessions", []int64{list[0].ID, list[1].ID, int64(len(list))}, []int64{id, other.ID, 2})
}

func expiredLogin(t *testing.T, s Stores) {
	s.verified(t, "kim", "kim@example.com")
	l := written(t, s, "browser", "kim@example.com", "token", "code")
	at := l.ExpiresAt
	wants(t, "read", drop(s.Accounts.Login(t.Context(), l.Browser, at)), sandlot.ErrNotFound)
	wants(t, "by its token", drop(s.Accounts.LoginOfToken(t.Context(), sum("token"), at)), sandlot.ErrNotFound)
	wants(t, "written", drop(s.Mail.WriteLogin(t.Context(), l.ID, account.LoginMessage{ExpiresAt: at.Add(time.Hour)}, at)),
		sandlot.ErrNotFound)
	wants(t, "proved by its token", s.Accounts.ProveLogin(t.Context(), l.Browser, sum("token"), at), sandlot.ErrNotFound)
	wants(t, "proved by its code", drop(s.Accounts.TryLogin(t.Context(), l.ID, sum("code"), 5, at)), sandlot.ErrNotFound)
}

func logInRefused(t *testing.T, s Stores) {
	kim, lee := s.verified(t, "kim", "kim@example.com"), s.verified(t, "lee", "lee@example.com")
	had := s.session(t, kim, "had")
	used := proved(t, s, "used", kim)
	must(s.Accounts.LogIn(t.Context(), used.ID, token("used"), newSession(kim), sandlot.Session{}))(t)
	for what, l := range map[string]account.Login{
		"over": used, "not proved": written(t, s, "waits", kim.Email, "waits", "code"),
		"another account's": proved(t, s, "lee's", lee),
	} {
		wants(t, what, drop(s.Accounts.LogIn(t.Context(), l.ID, token(what), newSession(kim), had)), sandlot.ErrNotFound)
	}
	same(t, "kim's sessions", len(must(s.Accounts.Sessions(t.Context(), kim.ID, base()))(t)), 2)
	same(t, "lee's login waits", must(s.Accounts.Login(t.Context(), sum("lee's"), base()))(t).Proved, true)
}
