package storetest

import (
	"crypto/sha256"
	"fmt"
	"sync"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/publish"
)

func handleRace(t *testing.T, s Stores) {
	const racers = 200
	var list []string
	for i := range racers {
		list = append(list, fmt.Sprintf("kim-%d", i))
	}
	var seen sync.Map
	atOnce(t, racers, nil, func(i int) error {
		na := newAccount(list...)
		na.Key = key(fmt.Sprint("racer ", i))
		a, err := s.Publish.CreateAccount(background(), na)
		if _, twice := seen.Swap(a.Handle, true); twice && err == nil {
			t.Errorf("two have %s", a.Handle)
		}
		return err
	})
}

func byRevoked(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	k := must(s.Credentials.KeyByHash(t.Context(), sum("key of pong")))(t)
	np, at := newProject("tetra", p.Account), edit(p)
	np.By, at.By = k.ID, k.ID
	refused := func(np publish.NewProject, want error) {
		t.Helper()
		for what, err := range map[string]error{
			"a project":  drop(s.Publish.CreateProject(t.Context(), np)),
			"a file":     drop(s.Publish.PutFile(t.Context(), p.ID, file("a.js", inline("abc")), at)),
			"a deletion": drop(s.Publish.DeleteFile(t.Context(), p.ID, "index.html", at)),
		} {
			wants(t, what, err, want)
		}
		wants(t, "the project", drop(s.Publish.Project(t.Context(), np.ID)), sandlot.ErrNotFound)
	}
	ok(t, s.Operate.Suspend(t.Context(), ofAccount(p.Account), entry(sandlot.ActionSuspend, "@pong")))
	refused(np, sandlot.ErrSuspended)
	keyless := np
	keyless.By = 0
	refused(keyless, sandlot.ErrSuspended)
	ok(t, s.Operate.Reinstate(t.Context(), ofAccount(p.Account), entry(sandlot.ActionReinstate, "@pong")))
	s.Revoke(t, k.Hash)
	wants(t, "the key", drop(s.Credentials.KeyByHash(t.Context(), k.Hash)), sandlot.ErrNotFound)
	refused(np, sandlot.ErrRevoked)
	ok(t, s.Operate.Suspend(t.Context(), ofProject(p.ID), entry(sandlot.ActionSuspend, "pong")))
	at.By = 0
	wants(t, "a file of a suspended project", drop(s.Publish.PutFile(t.Context(), p.ID, file("a.js", inline("abc")), at)),
		sandlot.ErrSuspended)
}

// verified records an account with a verified address.
func (s Stores) verified(t *testing.T, handle, email string) sandlot.Account {
	t.Helper()
	na := newAccount(handle)
	na.Email = email
	a := s.mustAccount(t, na)
	s.mustVerification(t, a, "token of "+handle, base().Add(time.Hour))
	a = must(s.Accounts.UseVerification(t.Context(), sum("token of "+handle), base(), 0))(t)
	same(t, "verified", a.EmailVerified, true)
	return a
}

func secret(t *testing.T, s Stores) {
	for i, c := range []struct{ name, fresh, want string }{
		{"service", "one", "one"}, {"service", "two", "one"}, {"other", "three", "three"}, {"service", "four", "one"},
	} {
		got := must(s.Publish.Secret(t.Context(), c.name, []byte(c.fresh)))(t)
		same(t, fmt.Sprintf("call %d", i+1), string(got), c.want)
	}
	same(t, "after a crash", string(must(s.copied(t).Publish.Secret(t.Context(), "service", []byte("five")))(t)), "one")
}

func record(form string) publish.IdempotencyRecord {
	return publish.IdempotencyRecord{Key: sum("form " + form), ExpiresAt: time.Now().UTC().Add(time.Hour)}
}

// keysOf are the names of an account's keys.
func keysOf(t *testing.T, s Stores, a sandlot.AccountID) (names []string) {
	t.Helper()
	for _, k := range must(s.Management.Keys(t.Context(), a, 0, 100))(t) {
		names = append(names, k.Name)
	}
	return names
}

func (s Stores) mint(t *testing.T, p sandlot.Project, name string) sandlot.Key {
	t.Helper()
	k := key(name)
	k.Project = p.ID
	ok(t, s.Management.MintKey(t.Context(), p.Account, k, 100, record(name)))
	return must(s.Credentials.KeyByHash(t.Context(), k.Hash))(t)
}

func formTwice(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	s.mint(t, p, "for the agent")
	k := key("other")
	k.Project = p.ID
	wants(t, "minted again", s.Management.MintKey(t.Context(), p.Account, k, 100, record("for the agent")), sandlot.ErrAlreadyDone)
	same(t, "its keys", keysOf(t, s, p.Account), []string{"for the agent", "key of project pong", "key of pong"})
	ok(t, s.Management.RotateKey(t.Context(), p.Account, key("fresh"), record("rotate")))
	wants(t, "rotated again", s.Management.RotateKey(t.Context(), p.Account, key("second"), record("rotate")), sandlot.ErrAlreadyDone)
	same(t, "its keys then", keysOf(t, s, p.Account), []string{"fresh", "for the agent", "key of project pong"})
}

func renameRace(t *testing.T, s Stores) {
	var racers []sandlot.Account
	for i := range 8 {
		racers = append(racers, s.mustAccount(t, newAccount(fmt.Sprint("racer-", i))))
	}
	same(t, "how many have it", atOnce(t, len(racers), sandlot.ErrExists, func(i int) error {
		return s.Accounts.Rename(background(), racers[i].ID, "kim", base(), base().Add(-time.Hour), 3)
	}), 1)
}

// named records an account with that unverified address and a project named after it.
func (s Stores) named(t *testing.T, handle, email string) sandlot.Account {
	t.Helper()
	na := newAccount(handle)
	na.Email = email
	a := s.mustAccount(t, na)
	must(s.Publish.CreateProject(t.Context(), newProject("of-"+handle, a.ID)))(t)
	return a
}

func takeOverOthers(t *testing.T, s Stores) {
	kim, lee := s.verified(t, "kim", "kim@example.com"), s.verified(t, "lee", "kim@example.com")
	other, from := s.named(t, "other", "max@example.com"), s.named(t, "from", "kim@example.com")
	for name, err := range map[string]error{
		"a verified account":   s.Accounts.TakeOver(t.Context(), lee.ID, kim.ID, "kim@example.com"),
		"another address":      s.Accounts.TakeOver(t.Context(), other.ID, kim.ID, "kim@example.com"),
		"an unverified one":    s.Accounts.TakeOver(t.Context(), from.ID, other.ID, "max@example.com"),
		"not what it verified": s.Accounts.TakeOver(t.Context(), other.ID, kim.ID, "max@example.com"),
	} {
		wants(t, name, err, sandlot.ErrNotFound)
	}
	ok(t, s.Operate.Suspend(t.Context(), ofAccount(lee.ID), entry(sandlot.ActionSuspend, "@lee")))
	wants(t, "a mailbox with a suspended account", s.Accounts.TakeOver(t.Context(), from.ID, kim.ID, "kim@example.com"),
		sandlot.ErrSuspended)
	same(t, "its project's account", must(s.Publish.Project(t.Context(), "of-from"))(t).Account, from.ID)
}

const (
	moveLife = time.Hour
	undoLife = 5 * time.Hour
)

// propose records a proposal with a link.
func (s Stores) propose(t *testing.T, a sandlot.Account, address, link string) {
	t.Helper()
	m := account.EmailMove{Account: a.ID, Email: address, ExpiresAt: base().Add(moveLife)}
	ok(t, s.Accounts.ProposeEmail(t.Context(), m, sandlot.Job{Kind: "proposal", Address: address, Lang: "de", Due: base()}, base(), 3))
	must(s.Mail.AddEmailLink(t.Context(), token(link), m, base()))(t)
}

// take uses a link, which gives the address before a way back.
func take(t *testing.T, s Stores, link string) sandlot.Account {
	t.Helper()
	return must(s.Accounts.TakeEmail(t.Context(), token(link), base(), base().Add(undoLife),
		sandlot.Job{Kind: "notice", Due: base()}, 0))(t)
}

// move makes an address the account's, and gives the one before a link back.
func (s Stores) move(t *testing.T, a sandlot.Account, address, back string) sandlot.Account {
	t.Helper()
	s.propose(t, a, address, "to "+address)
	moved := take(t, s, "to "+address)
	must(s.Mail.AddEmailLink(t.Context(), token(back), account.EmailMove{Account: a.ID, Email: a.Email, Undo: true}, base()))(t)
	return moved
}

func takeEmailBack(t *testing.T, s Stores) {
	kim, lee := s.verified(t, "kim", "kim@example.com"), s.mustAccount(t, newAccount("lee"))
	s.move(t, kim, "new@example.com", "back")
	s.session(t, kim, "one")
	s.session(t, lee, "two")
	same(t, "the account", must(s.Accounts.TakeEmailBack(t.Context(), token("back"), base()))(t), kim)
	same(t, "its sessions", len(must(s.Accounts.Sessions(t.Context(), kim.ID, base()))(t)), 0)
	same(t, "another's", len(must(s.Accounts.Sessions(t.Context(), lee.ID, base()))(t)), 1)
	_, err := s.Accounts.TakeEmailBack(t.Context(), token("back"), base())
	wants(t, "again", err, sandlot.ErrNotFound)
}

func listStops(t *testing.T, s Stores) {
	var all []sandlot.Stop
	for _, name := range []string{"a", "b", "c"} {
		one := sandlot.Stop{Mailbox: sum(name), Kind: sandlot.StopClaims, At: base()}
		ok(t, s.Accounts.StopMail(t.Context(), one, name+"@example.com"))
		all = append([]sandlot.Stop{one}, all...)
	}
	same(t, "all", must(s.Operate.Stops(t.Context(), nil, base(), 0, 9))(t), all)
	same(t, "the middle", must(s.Operate.Stops(t.Context(), nil, base(), 1, 1))(t), all[1:2])
	same(t, "of one", must(s.Operate.Stops(t.Context(), &all[2].Mailbox, base(), 0, 9))(t), all[2:])
}

func token(name string) sandlot.Digest { return sha256.Sum256([]byte("token " + name)) }

// session records a session of an account that lives for an hour.
func (s Stores) session(t *testing.T, a sandlot.Account, name string) sandlot.Session {
	t.Helper()
	in := sandlot.Session{
		Account: a.ID, Agent: "Browser " + name, CreatedAt: base(), ProvedAt: base().Add(time.Second),
		SeenAt: base().Add(2 * time.Second), ExpiresAt: base().Add(time.Hour),
	}
	in.ID = must(s.Accounts.AddSession(t.Context(), token(name), in))(t)
	return in
}

func addSession(t *testing.T, s Stores) {
	a := s.mustAccount(t, newAccount("kim"))
	in := s.session(t, a, "one")
	got, owner, err := s.Credentials.Session(t.Context(), token("one"), base())
	ok(t, err)
	same(t, "the session", got, in)
	same(t, "its account", owner, a)
	_, _, err = s.Credentials.Session(t.Context(), token("other"), base())
	wants(t, "another token", err, sandlot.ErrNotFound)
}

func expiredSession(t *testing.T, s Stores) {
	in := s.session(t, s.mustAccount(t, newAccount("kim")), "one")
	_, _, err := s.Credentials.Session(t.Context(), token("one"), in.ExpiresAt.Add(-time.Second))
	ok(t, err)
	_, _, err = s.Credentials.Session(t.Context(), token("one"), in.ExpiresAt)
	wants(t, "at its end", err, sandlot.ErrNotFound)
}
