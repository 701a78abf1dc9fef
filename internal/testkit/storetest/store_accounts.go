package storetest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/publish"
)

func accountCases() []storeCase {
	return []storeCase{
		{"CreateAccount/records the account under the first of its handles that was never taken", firstHandle},
		{"CreateAccount/all of its handles taken is ErrExists", handlesTaken},
		{"CreateAccount/200 at once with one handle get 200 handles", handleRace},
		{"CreateAccount/records its first key and the job of its address", accountKeyAndJob},
		{"Account/returns an account", readAccount},
		{"SetEmail/makes address the unverified address of an account", setEmail},
		{"SetEmail/an account that has a verified address is ErrVerified, here and wherever a NewEmail is part of a step", setEmailVerified},
		{"By/one that is revoked is ErrRevoked", byRevoked},
		{"By/one of a suspended account, and a suspended project, is ErrSuspended", bySuspended},
		{"SetEmail/ends its verifications of other addresses", setEmailEnds},
		{"SetEmail/enqueues the job", setEmailJob},
		{"Secret/returns the installation's secret of that name, which is fresh the first time it is asked for and the same ever after", secret},
	}
}

func firstHandle(t *testing.T, s Stores) {
	s.mustAccount(t, newAccount("kim"))
	na := newAccount("kim", "kim-2", "kim-3")
	na.Email, na.Key = "kim@example.com", key("second")
	got := s.mustAccount(t, na)
	same(t, "the account", got, sandlot.Account{ID: got.ID, Handle: "kim-2", Email: "kim@example.com", Lang: "de", CreatedAt: na.CreatedAt})
	na = newAccount("kim", "kim-2", "kim-3")
	na.Key = key("third")
	same(t, "the third handle", s.mustAccount(t, na).Handle, "kim-3")
}

func handlesTaken(t *testing.T, s Stores) {
	s.mustAccount(t, newAccount("kim"))
	na := newAccount("kim")
	na.Key = key("other")
	_, err := s.Publish.CreateAccount(t.Context(), na)
	wants(t, "second account of one handle", err, sandlot.ErrExists)
	_, err = s.Credentials.KeyByHash(t.Context(), na.Key.Hash)
	wants(t, "its key", err, sandlot.ErrNotFound)
}

func handleRace(t *testing.T, s Stores) {
	const racers = 200
	var list []string
	for i := range racers {
		list = append(list, fmt.Sprintf("kim-%d", i))
	}
	var mu sync.Mutex
	seen := map[string]bool{}
	var wg sync.WaitGroup
	for i := range racers {
		wg.Go(func() {
			na := newAccount(list...)
			na.Key = key(fmt.Sprint("racer ", i))
			a, err := s.Publish.CreateAccount(background(), na)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			seen[a.Handle] = true
		})
	}
	wg.Wait()
	same(t, "the number of handles", len(seen), racers)
}

func accountKeyAndJob(t *testing.T, s Stores) {
	na := newAccount("kim")
	na.Email = "kim@example.com"
	j := job(na.Email, na.CreatedAt)
	na.Job = &j
	a := s.mustAccount(t, na)
	k := must(s.Credentials.KeyByHash(t.Context(), na.Key.Hash))(t)
	same(t, "the key", k, sandlot.Key{ID: k.ID, Hash: na.Key.Hash, Kind: sandlot.AccountKey, Account: a.ID, Name: na.Key.Name, LastFour: "Ab12", CreatedAt: na.Key.CreatedAt})
	jobs := must(s.Mail.ClaimJobs(t.Context(), base(), base().Add(time.Minute), account.Busy{}, 9))(t)
	j.Account = a.ID
	same(t, "the jobs", withoutIDs(jobs), []sandlot.Job{j})
}

func withoutIDs(jobs []sandlot.Job) []sandlot.Job {
	for i := range jobs {
		jobs[i].ID, jobs[i].Claim = 0, 0
	}
	return jobs
}

func readAccount(t *testing.T, s Stores) {
	a := s.mustAccount(t, newAccount("kim"))
	same(t, "the account", must(s.Publish.Account(t.Context(), a.ID))(t), a)
}

func setEmail(t *testing.T, s Stores) {
	a := s.withEmail(t, "kim")
	ok(t, s.Publish.SetEmail(t.Context(), a.ID, "new@example.com", job("new@example.com", base())))
	a.Email = "new@example.com"
	same(t, "the account", must(s.Publish.Account(t.Context(), a.ID))(t), a)
}

func setEmailVerified(t *testing.T, s Stores) {
	a := s.verified(t, "kim", "kim@example.com")
	p := must(s.Publish.CreateProject(t.Context(), newProject("pong", a.ID)))(t)
	other := publish.NewEmail{Address: "new@example.com", Job: job("new@example.com", base())}
	np, at := newProject("tetra", a.ID), edit(p)
	np.Email, at.Email = &other, &other
	before := must(s.Mail.ClaimJobs(t.Context(), base(), base(), account.Busy{}, 9))(t)
	wants(t, "on its own", s.Publish.SetEmail(t.Context(), a.ID, other.Address, other.Job), sandlot.ErrVerified)
	wants(t, "with a project", drop(s.Publish.CreateProject(t.Context(), np)), sandlot.ErrVerified)
	wants(t, "with a file", drop(s.Publish.PutFile(t.Context(), p.ID, file("a.js", inline("abc")), at)), sandlot.ErrVerified)
	wants(t, "with a deletion", drop(s.Publish.DeleteFile(t.Context(), p.ID, "index.html", at)), sandlot.ErrVerified)
	same(t, "the account", must(s.Publish.Account(t.Context(), a.ID))(t), a)
	same(t, "the project", must(s.Publish.Project(t.Context(), p.ID))(t), p)
	wants(t, "the other project", drop(s.Publish.Project(t.Context(), "tetra")), sandlot.ErrNotFound)
	same(t, "the jobs", must(s.Mail.ClaimJobs(t.Context(), base(), base(), account.Busy{}, 9))(t), before)
}

func byRevoked(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	k := must(s.Credentials.KeyByHash(t.Context(), sum("key of pong")))(t)
	np, at := newProject("tetra", p.Account), edit(p)
	np.By, at.By = k.ID, k.ID
	s.Revoke(t, k.Hash)
	wants(t, "a project", drop(s.Publish.CreateProject(t.Context(), np)), sandlot.ErrRevoked)
	wants(t, "a file", drop(s.Publish.PutFile(t.Context(), p.ID, file("a.js", inline("abc")), at)), sandlot.ErrRevoked)
	wants(t, "a deletion", drop(s.Publish.DeleteFile(t.Context(), p.ID, "index.html", at)), sandlot.ErrRevoked)
	same(t, "the project", must(s.Publish.Project(t.Context(), p.ID))(t), p)
}

func bySuspended(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	k := must(s.Credentials.KeyByHash(t.Context(), sum("key of pong")))(t)
	np, at := newProject("tetra", p.Account), edit(p)
	np.By, at.By = k.ID, k.ID
	ok(t, s.Operate.Suspend(t.Context(), ofProject(p.ID), entry(sandlot.ActionSuspend, "pong")))
	wants(t, "a file of a suspended project", drop(s.Publish.PutFile(t.Context(), p.ID, file("a.js", inline("abc")), edit(p))), sandlot.ErrSuspended)
	ok(t, s.Operate.Reinstate(t.Context(), ofProject(p.ID), entry(sandlot.ActionReinstate, "pong")))
	ok(t, s.Operate.Suspend(t.Context(), ofAccount(p.Account), entry(sandlot.ActionSuspend, "@pong")))
	wants(t, "a project", drop(s.Publish.CreateProject(t.Context(), np)), sandlot.ErrSuspended)
	np.By = 0
	wants(t, "a project by who has no key", drop(s.Publish.CreateProject(t.Context(), np)), sandlot.ErrSuspended)
	wants(t, "a file", drop(s.Publish.PutFile(t.Context(), p.ID, file("a.js", inline("abc")), at)), sandlot.ErrSuspended)
	wants(t, "the project", drop(s.Publish.Project(t.Context(), "tetra")), sandlot.ErrNotFound)
}

// verified records an account with a verified address.
func (s Stores) verified(t *testing.T, handle, email string) sandlot.Account {
	t.Helper()
	na := newAccount(handle)
	na.Email = email
	a := s.mustAccount(t, na)
	s.mustVerification(t, a, "token of "+handle, base().Add(time.Hour))
	a = must(s.Accounts.UseVerification(t.Context(), sum("token of "+handle), base()))(t)
	same(t, "verified", a.EmailVerified, true)
	return a
}

func setEmailEnds(t *testing.T, s Stores) {
	na := newAccount("kim")
	na.Email = "old@example.com"
	a := s.mustAccount(t, na)
	s.mustVerification(t, a, "token", base().Add(time.Hour))
	ok(t, s.Publish.SetEmail(t.Context(), a.ID, "old@example.com", job("old@example.com", base())))
	same(t, "the address of the verification, set again", must(s.Accounts.Verification(t.Context(), sum("token"), base()))(t).Email, "old@example.com")
	ok(t, s.Publish.SetEmail(t.Context(), a.ID, "new@example.com", job("new@example.com", base())))
	_, err := s.Accounts.UseVerification(t.Context(), sum("token"), base())
	wants(t, "the verification of another address", err, sandlot.ErrNotFound)
}

func setEmailJob(t *testing.T, s Stores) {
	a := s.mustAccount(t, newAccount("kim"))
	j := job("kim@example.com", base())
	ok(t, s.Publish.SetEmail(t.Context(), a.ID, j.Address, j))
	j.Account = a.ID
	same(t, "the jobs", withoutIDs(must(s.Mail.ClaimJobs(t.Context(), base(), base().Add(time.Minute), account.Busy{}, 9))(t)), []sandlot.Job{j})
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

func keyCases() []storeCase {
	return []storeCase{
		{"KeyByHash/returns the key with this hash", keyByHash},
		{"KeyByHash/a revoked key is ErrNotFound", keyRevoked},
		{"KeyByHash/a key whose project is gone is ErrNotFound", keyProjectGone},
		{"TouchKeys/records when keys were last used", touchKeys},
		{"TouchKeys/a time earlier than the recorded one changes nothing", touchKeysEarlier},
	}
}

func keyByHash(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	want := key("key of project pong")
	k := must(s.Credentials.KeyByHash(t.Context(), want.Hash))(t)
	same(t, "the project key", k, sandlot.Key{
		ID: k.ID, Hash: want.Hash, Kind: sandlot.ProjectKey, Account: p.Account, Project: p.ID,
		Name: want.Name, LastFour: want.LastFour, CreatedAt: k.CreatedAt,
	})
	k = must(s.Credentials.KeyByHash(t.Context(), sum("key of pong")))(t)
	same(t, "the account key's kind", k.Kind, sandlot.AccountKey)
	_, err := s.Credentials.KeyByHash(t.Context(), sum("no key"))
	wants(t, "a hash of no key", err, sandlot.ErrNotFound)
}

func keyRevoked(t *testing.T, s Stores) {
	s.mustProject(t, "pong")
	s.Revoke(t, sum("key of pong"))
	_, err := s.Credentials.KeyByHash(t.Context(), sum("key of pong"))
	wants(t, "the revoked key", err, sandlot.ErrNotFound)
	must(s.Credentials.KeyByHash(t.Context(), sum("key of project pong")))(t)
}

func keyProjectGone(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	s.mustRemove(t, p.ID)
	_, err := s.Credentials.KeyByHash(t.Context(), sum("key of project pong"))
	wants(t, "the key of the project", err, sandlot.ErrNotFound)
	must(s.Credentials.KeyByHash(t.Context(), sum("key of pong")))(t)
}

func touchKeys(t *testing.T, s Stores) {
	s.mustProject(t, "pong")
	a, b := must(s.Credentials.KeyByHash(t.Context(), sum("key of pong")))(t), must(s.Credentials.KeyByHash(t.Context(), sum("key of project pong")))(t)
	same(t, "never used", a.LastUsedAt.IsZero(), true)
	at := base()
	ok(t, s.KeyUses.TouchKeys(t.Context(), map[int64]time.Time{a.ID: at, b.ID: at.Add(time.Second), 99: at}))
	same(t, "one", must(s.Credentials.KeyByHash(t.Context(), a.Hash))(t).LastUsedAt, at)
	same(t, "the other", must(s.Credentials.KeyByHash(t.Context(), b.Hash))(t).LastUsedAt, at.Add(time.Second))
}

func touchKeysEarlier(t *testing.T, s Stores) {
	s.mustAccount(t, newAccount("kim"))
	k := must(s.Credentials.KeyByHash(t.Context(), sum("key of kim")))(t)
	at := base()
	ok(t, s.KeyUses.TouchKeys(t.Context(), map[int64]time.Time{k.ID: at}))
	ok(t, s.KeyUses.TouchKeys(t.Context(), map[int64]time.Time{k.ID: at.Add(-time.Hour)}))
	same(t, "last used", must(s.Credentials.KeyByHash(t.Context(), k.Hash))(t).LastUsedAt, at)
}
