package storetest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"sandlot/internal/domain/publish"

	"sandlot"
)

func accountCases() []storeCase {
	return []storeCase{
		{"CreateAccount/200 at once with one handle get 200 handles", handleRace},
		{"By/one that is revoked is ErrRevoked, and one of a suspended account ErrSuspended", byRevoked},
		{"SetEmail/ends its verifications of other addresses", setEmailEnds},
		{"Secret/returns the installation's secret of that name, which is fresh the first time it is asked for and the same ever after", secret},
	}
}

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

func withoutIDs(jobs []sandlot.Job) []sandlot.Job {
	for i := range jobs {
		jobs[i].ID, jobs[i].Claim = 0, 0
	}
	return jobs
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
	wants(t, "a file of a suspended project", drop(s.Publish.PutFile(t.Context(), p.ID, file("a.js", inline("abc")), at)), sandlot.ErrSuspended)
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
		{"TouchKeys/a time earlier than the recorded one changes nothing", touchKeysEarlier},
	}
}

func touchKeysEarlier(t *testing.T, s Stores) {
	s.mustAccount(t, newAccount("kim"))
	k := must(s.Credentials.KeyByHash(t.Context(), sum("key of kim")))(t)
	at := base()
	ok(t, s.KeyUses.TouchKeys(t.Context(), map[int64]time.Time{k.ID: at}))
	ok(t, s.KeyUses.TouchKeys(t.Context(), map[int64]time.Time{k.ID: at.Add(-time.Hour)}))
	same(t, "last used", must(s.Credentials.KeyByHash(t.Context(), k.Hash))(t).LastUsedAt, at)
}
