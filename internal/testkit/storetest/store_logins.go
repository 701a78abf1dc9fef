package storetest

import (
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
)

func loginCases() []storeCase {
	return []storeCase{
		{"AddLogin/records a login in place of the one that its browser had", addLogin},
		{"AddLogin/enqueues its job", addLoginJob},
		{"Login/one that is past its ExpiresAt is not there", expiredLogin},
		{"LoginOfToken/returns the login whose message has this token, until it is proved", loginOfToken},
		{"WriteLogin/returns the address as accounts have it, which may differ in case from what was typed", writeLoginSpelling},
		{"WriteLogin/records what the message of a login says in place of what a former one said", writeLoginAgain},
		{"Claimant/returns the account that was made last of those that the address of a login was given for, whatever its case, and that have not verified it", claimant},
		{"Claimant/none, and a login that is proved, is ErrNotFound", claimantNone},
		{"CountProjects/returns how many projects an account has", countProjects},
		{"WriteLogin/a login that is proved, and an address that no account has verified, is ErrNotFound", writeLoginNobody},
		{"ProveLogin/marks the login that has both as proved, and forgets its token and code", proveLogin},
		{"TryLogin/marks a login as proved if code is its own, and forgets its token and code", tryLogin},
		{"TryLogin/otherwise it counts a try, and ends the login at the most-th", tryLoginWrong},
		{"TryLogin/of 20 at once no more than most are counted", tryLoginRace},
		{"LogIn/ends a proved login and records a session under the hash of its token", logIn},
		{"LogIn/a session that its browser had ends", logInAgain},
		{"LogIn/a login that is over or not proved, and any other account, is ErrNotFound", logInRefused},
		{"LogIn/an account whose address is another by now is ErrNotFound", logInMoved},
		{"AccountsOf/returns the accounts that have verified an address, in exactly this spelling, at most limit", accountsOf},
		{"Sweep/forgets expired logins", sweepLogins},
	}
}

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
func (s Stores) written(t *testing.T, browser, email, token, code string) account.Login {
	t.Helper()
	l := s.login(t, browser, email)
	l.ExpiresAt = base().Add(time.Hour)
	l.Email = must(s.Mail.WriteLogin(t.Context(), l.ID, account.LoginMessage{Token: sum(token), Code: sum(code), ExpiresAt: l.ExpiresAt}, base()))(t)
	return l
}

func addLogin(t *testing.T, s Stores) {
	first := s.login(t, "browser", "kim@example.com")
	same(t, "the login", must(s.Accounts.Login(t.Context(), sum("browser"), base()))(t), first)
	second := s.login(t, "browser", "lee@example.com")
	other := s.login(t, "another", "kim@example.com")
	same(t, "the login in its place", must(s.Accounts.Login(t.Context(), sum("browser"), base()))(t), second)
	same(t, "another browser's", must(s.Accounts.Login(t.Context(), sum("another"), base()))(t), other)
	wants(t, "the first", drop(s.Accounts.TryLogin(t.Context(), first.ID, sum("code"), 5, base())), sandlot.ErrNotFound)
}

func addLoginJob(t *testing.T, s Stores) {
	l := s.login(t, "browser", "kim@example.com")
	want := loginJob("kim@example.com")
	want.Login = l.ID
	got := must(s.Mail.ClaimJobs(t.Context(), base(), base().Add(time.Minute), account.Busy{}, 9))(t)
	want.Due = got[0].Due
	same(t, "the jobs", withoutIDs(got), []sandlot.Job{want})
}

func expiredLogin(t *testing.T, s Stores) {
	s.verified(t, "kim", "kim@example.com")
	l := s.written(t, "browser", "kim@example.com", "token", "code")
	at := l.ExpiresAt
	wants(t, "read", drop(s.Accounts.Login(t.Context(), l.Browser, at)), sandlot.ErrNotFound)
	wants(t, "by its token", drop(s.Accounts.LoginOfToken(t.Context(), sum("token"), at)), sandlot.ErrNotFound)
	wants(t, "written", drop(s.Mail.WriteLogin(t.Context(), l.ID, account.LoginMessage{ExpiresAt: at.Add(time.Hour)}, at)), sandlot.ErrNotFound)
	wants(t, "proved by its token", s.Accounts.ProveLogin(t.Context(), l.Browser, sum("token"), at), sandlot.ErrNotFound)
	wants(t, "proved by its code", drop(s.Accounts.TryLogin(t.Context(), l.ID, sum("code"), 5, at)), sandlot.ErrNotFound)
}

func loginOfToken(t *testing.T, s Stores) {
	s.verified(t, "kim", "kim@example.com")
	l := s.written(t, "browser", "kim@example.com", "token", "code")
	same(t, "the login", must(s.Accounts.LoginOfToken(t.Context(), sum("token"), base()))(t), l)
	wants(t, "of another token", drop(s.Accounts.LoginOfToken(t.Context(), sum("other"), base())), sandlot.ErrNotFound)
	ok(t, s.Accounts.ProveLogin(t.Context(), l.Browser, sum("token"), base()))
	wants(t, "when it is proved", drop(s.Accounts.LoginOfToken(t.Context(), sum("token"), base())), sandlot.ErrNotFound)
}

func writeLoginSpelling(t *testing.T, s Stores) {
	s.verified(t, "kim", "Kim@example.com")
	same(t, "typed in another case", s.written(t, "one", "kIM@example.com", "t1", "c").Email, "Kim@example.com")
	s.verified(t, "lee", "kim@example.com")
	same(t, "typed as one of two", s.written(t, "two", "kim@example.com", "t2", "c").Email, "kim@example.com")
	same(t, "typed as the other", s.written(t, "three", "Kim@example.com", "t3", "c").Email, "Kim@example.com")
}

func writeLoginAgain(t *testing.T, s Stores) {
	s.verified(t, "kim", "kim@example.com")
	l := s.written(t, "browser", "kim@example.com", "first", "code")
	m := account.LoginMessage{Token: sum("second"), Code: sum("new code"), ExpiresAt: base().Add(2 * time.Hour)}
	must(s.Mail.WriteLogin(t.Context(), l.ID, m, base()))(t)
	wants(t, "the former token", s.Accounts.ProveLogin(t.Context(), l.Browser, sum("first"), base()), sandlot.ErrNotFound)
	same(t, "the former code", must(s.Accounts.TryLogin(t.Context(), l.ID, sum("code"), 5, base()))(t), false)
	same(t, "its end", must(s.Accounts.Login(t.Context(), l.Browser, base()))(t).ExpiresAt, m.ExpiresAt)
	same(t, "the new code", must(s.Accounts.TryLogin(t.Context(), l.ID, sum("new code"), 5, base()))(t), true)
}

func writeLoginNobody(t *testing.T, s Stores) {
	s.withEmail(t, "lee") // not verified
	kim := s.verified(t, "kim", "kim@example.com")
	m := account.LoginMessage{Token: sum("token"), Code: sum("code"), ExpiresAt: base().Add(time.Hour)}
	for i, email := range []string{"lee@example.com", "nobody@example.com"} {
		l := s.login(t, email, email)
		m.Token[0] = byte(i)
		wants(t, email, drop(s.Mail.WriteLogin(t.Context(), l.ID, m, base())), sandlot.ErrNotFound)
		same(t, "its login stays", must(s.Accounts.Login(t.Context(), l.Browser, base()))(t), l)
	}
	l := s.written(t, "browser", "kim@example.com", "proved", "code")
	ok(t, s.Accounts.ProveLogin(t.Context(), l.Browser, sum("proved"), base()))
	wants(t, "a login that is proved", drop(s.Mail.WriteLogin(t.Context(), l.ID, m, base())), sandlot.ErrNotFound)
	ok(t, s.Operate.Remove(t.Context(), ofAccount(kim.ID), entry(sandlot.ActionDelete, "@kim")))
	l = s.login(t, "browser", "kim@example.com")
	wants(t, "of an account that is gone", drop(s.Mail.WriteLogin(t.Context(), l.ID, m, base())), sandlot.ErrNotFound)
}

func proveLogin(t *testing.T, s Stores) {
	s.verified(t, "kim", "kim@example.com")
	l := s.written(t, "browser", "kim@example.com", "token", "code")
	s.written(t, "another", "kim@example.com", "other", "code")
	wants(t, "by another browser", s.Accounts.ProveLogin(t.Context(), sum("another"), sum("token"), base()), sandlot.ErrNotFound)
	wants(t, "by no token", s.Accounts.ProveLogin(t.Context(), l.Browser, sandlot.Digest{}, base()), sandlot.ErrNotFound)
	ok(t, s.Accounts.ProveLogin(t.Context(), l.Browser, sum("token"), base()))
	l.Proved = true
	same(t, "the login", must(s.Accounts.Login(t.Context(), l.Browser, base()))(t), l)
	wants(t, "a second time", s.Accounts.ProveLogin(t.Context(), l.Browser, sum("token"), base()), sandlot.ErrNotFound)
	wants(t, "by its code then", drop(s.Accounts.TryLogin(t.Context(), l.ID, sum("code"), 5, base())), sandlot.ErrNotFound)
}

func tryLogin(t *testing.T, s Stores) {
	s.verified(t, "kim", "kim@example.com")
	l := s.written(t, "browser", "kim@example.com", "token", "code")
	same(t, "the code", must(s.Accounts.TryLogin(t.Context(), l.ID, sum("code"), 5, base()))(t), true)
	l.Proved = true
	same(t, "the login", must(s.Accounts.Login(t.Context(), l.Browser, base()))(t), l)
	wants(t, "a second time", drop(s.Accounts.TryLogin(t.Context(), l.ID, sum("code"), 5, base())), sandlot.ErrNotFound)
	wants(t, "by its token then", s.Accounts.ProveLogin(t.Context(), l.Browser, sum("token"), base()), sandlot.ErrNotFound)
}

func tryLoginWrong(t *testing.T, s Stores) {
	s.verified(t, "kim", "kim@example.com")
	l := s.written(t, "browser", "kim@example.com", "token", "code")
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
	counted := make(chan bool, 20)
	for range 20 {
		go func() {
			_, err := s.Accounts.TryLogin(background(), l.ID, sum("wrong"), 5, base())
			counted <- err == nil
		}()
	}
	n := 0
	for range 20 {
		if <-counted {
			n++
		}
	}
	same(t, "the tries that were counted", n, 5)
}

// proved is a login of an account's verified address, after its proof.
func (s Stores) proved(t *testing.T, browser string, a sandlot.Account) account.Login {
	t.Helper()
	l := s.written(t, browser, a.Email, "token of "+browser, "code")
	ok(t, s.Accounts.ProveLogin(t.Context(), l.Browser, sum("token of "+browser), base()))
	return l
}

func newSession(a sandlot.Account) sandlot.Session {
	return sandlot.Session{Account: a.ID, Agent: "Browser", CreatedAt: base(), ProvedAt: base(), SeenAt: base(), ExpiresAt: base().Add(time.Hour)}
}

func logIn(t *testing.T, s Stores) {
	a := s.verified(t, "kim", "kim@example.com")
	l, in := s.proved(t, "browser", a), newSession(a)
	in.ID = must(s.Accounts.LogIn(t.Context(), l.ID, token("one"), in, sandlot.Session{}))(t)
	wants(t, "the login", drop(s.Accounts.Login(t.Context(), l.Browser, base())), sandlot.ErrNotFound)
	got, owner, err := s.Credentials.Session(t.Context(), token("one"), base())
	ok(t, err)
	same(t, "the session", got, in)
	same(t, "its account", owner, a)
	if again := s.login(t, "browser", "kim@example.com"); again.ID == l.ID {
		t.Error("the login's ID was used again")
	}
}

func logInAgain(t *testing.T, s Stores) {
	a := s.verified(t, "kim", "kim@example.com")
	had, other := s.session(t, a, "had"), s.session(t, a, "other")
	id := must(s.Accounts.LogIn(t.Context(), s.proved(t, "browser", a).ID, token("new"), newSession(a), had))(t)
	list := must(s.Accounts.Sessions(t.Context(), a.ID, base()))(t)
	same(t, "the sessions", []int64{list[0].ID, list[1].ID, int64(len(list))}, []int64{id, other.ID, 2})
}

func logInRefused(t *testing.T, s Stores) {
	kim, lee := s.verified(t, "kim", "kim@example.com"), s.verified(t, "lee", "lee@example.com")
	had := s.session(t, kim, "had")
	used := s.proved(t, "used", kim)
	must(s.Accounts.LogIn(t.Context(), used.ID, token("used"), newSession(kim), sandlot.Session{}))(t)
	for what, l := range map[string]account.Login{"over": used, "not proved": s.written(t, "waits", kim.Email, "waits", "code"), "another account's": s.proved(t, "lee's", lee)} {
		wants(t, what, drop(s.Accounts.LogIn(t.Context(), l.ID, token(what), newSession(kim), had)), sandlot.ErrNotFound)
	}
	same(t, "kim's sessions", len(must(s.Accounts.Sessions(t.Context(), kim.ID, base()))(t)), 2)
	same(t, "lee's login waits", must(s.Accounts.Login(t.Context(), sum("lee's"), base()))(t).Proved, true)
}

func logInMoved(t *testing.T, s Stores) {
	a := s.verified(t, "kim", "kim@example.com")
	l := s.proved(t, "browser", a)
	s.move(t, a, "new@example.com", "new")
	wants(t, "the address before", drop(s.Accounts.LogIn(t.Context(), l.ID, token("one"), newSession(a), sandlot.Session{})), sandlot.ErrNotFound)
	same(t, "sessions", len(must(s.Accounts.Sessions(t.Context(), a.ID, base()))(t)), 0)
}

// claiming records an account with an address that nobody has verified.
func (s Stores) claiming(t *testing.T, handle, email string) sandlot.Account {
	t.Helper()
	na := newAccount(handle)
	na.Email = email
	return s.mustAccount(t, na)
}

func claimant(t *testing.T, s Stores) {
	s.claiming(t, "kim", "kim@example.com")
	last := s.claiming(t, "kim-2", "Kim@example.com")
	s.claiming(t, "tag", "kim+tag@example.com")
	s.verified(t, "lee", "kim@example.com")
	l := s.login(t, "browser", "KIM@example.com")
	same(t, "it is", must(s.Mail.Claimant(t.Context(), l.ID, base()))(t), must(s.Publish.Account(t.Context(), last.ID))(t))
}

func claimantNone(t *testing.T, s Stores) {
	at := base()
	l := s.login(t, "browser", "kim@example.com")
	wants(t, "nobody's", drop(s.Mail.Claimant(t.Context(), l.ID, at)), sandlot.ErrNotFound)
	gone := s.claiming(t, "gone", "kim@example.com")
	ok(t, s.Operate.Remove(t.Context(), ofAccount(gone.ID), entry(sandlot.ActionDelete, "@gone")))
	down := s.claiming(t, "down", "kim@example.com")
	ok(t, s.Operate.Suspend(t.Context(), ofAccount(down.ID), entry(sandlot.ActionSuspend, "@down")))
	wants(t, "of a deleted and a suspended account", drop(s.Mail.Claimant(t.Context(), l.ID, at)), sandlot.ErrNotFound)
	s.claiming(t, "kim", "kim@example.com")
	must(s.Mail.Claimant(t.Context(), l.ID, at))(t)
	wants(t, "too late", drop(s.Mail.Claimant(t.Context(), l.ID, l.ExpiresAt)), sandlot.ErrNotFound)
	wants(t, "of no login", drop(s.Mail.Claimant(t.Context(), l.ID+1, at)), sandlot.ErrNotFound)
	s.verified(t, "lee", "kim@example.com")
	proved := s.login(t, "other", "kim@example.com")
	must(s.Mail.WriteLogin(t.Context(), proved.ID, account.LoginMessage{Token: sum("t"), Code: sum("c"), ExpiresAt: proved.ExpiresAt}, at))(t)
	must(s.Accounts.TryLogin(t.Context(), proved.ID, sum("c"), 5, at))(t)
	wants(t, "of a login that is proved", drop(s.Mail.Claimant(t.Context(), proved.ID, at)), sandlot.ErrNotFound)
}

func countProjects(t *testing.T, s Stores) {
	kim := s.mustAccount(t, newAccount("kim"))
	for _, id := range []string{"one", "two", "three"} {
		s.titled(t, id, kim.ID, id)
	}
	ok(t, s.Operate.Remove(t.Context(), ofProject("two"), entry(sandlot.ActionDelete, "two")))
	same(t, "of kim", must(s.Accounts.CountProjects(t.Context(), kim.ID))(t), 2)
	wants(t, "of nobody", drop(s.Accounts.CountProjects(t.Context(), kim.ID+1)), sandlot.ErrNotFound)
}

func accountsOf(t *testing.T, s Stores) {
	kim, lee := s.verified(t, "kim", "us@example.com"), s.verified(t, "lee", "us@example.com")
	s.verified(t, "max", "Us@example.com")
	gone := s.verified(t, "gone", "us@example.com")
	ok(t, s.Operate.Remove(t.Context(), ofAccount(gone.ID), entry(sandlot.ActionDelete, "@gone")))
	pending := newAccount("pending")
	pending.Email = "us@example.com"
	s.mustAccount(t, pending)
	same(t, "the accounts", must(s.Accounts.AccountsOf(t.Context(), "us@example.com", 9))(t), []sandlot.Account{
		must(s.Publish.Account(t.Context(), kim.ID))(t), must(s.Publish.Account(t.Context(), lee.ID))(t),
	})
	same(t, "at most one", len(must(s.Accounts.AccountsOf(t.Context(), "us@example.com", 1))(t)), 1)
}

func sweepLogins(t *testing.T, s Stores) {
	l := s.login(t, "browser", "kim@example.com")
	_, _, err := s.Upkeep.Sweep(t.Context(), l.ExpiresAt.Add(-time.Second), base(), 100)
	ok(t, err)
	must(s.Accounts.Login(t.Context(), l.Browser, base()))(t)
	_, _, err = s.Upkeep.Sweep(t.Context(), l.ExpiresAt, base(), 100)
	ok(t, err)
	wants(t, "read as of before", drop(s.Accounts.Login(t.Context(), l.Browser, base())), sandlot.ErrNotFound)
}
