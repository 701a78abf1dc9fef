package storetest

import (
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
)

func adminCases() []storeCase {
	return []storeCase{
		{"ListProjects/returns projects, oldest first", listAllProjects},
		{"Suspend/an account with its projects and keys", suspendAccount},
		{"Remove/deletes an account with its projects, whose handle is not used again", removeAccount},
		{"Remove/the files are left to Sweep", removeSwept},
		{"Remove/details and contact go from reports that give an address which it had proved, and no other account has", removeReported},
		{"Forgotten/returns addresses of deleted accounts until ForgetEmail, and whether another account has them", forgotten},
		{"DeletedAccount/tells of the deletion of the account that had this handle", deletedAccount},
		{"AddKey/if revoke, all its other account keys are revoked", addKeyRevoking},
	}
}

// entry is an act that is in the log once it has happened.
func entry(action, target string) sandlot.LogEntry {
	return sandlot.LogEntry{At: base(), Actor: sandlot.ActorOperator, Action: action, Target: target, Reason: "because of " + target}
}

// logged fails the test unless the newest entry of the log is e.
func (s Stores) logged(t *testing.T, e sandlot.LogEntry) {
	t.Helper()
	list := must(s.Operate.Log(t.Context(), operate.LogQuery{Limit: 1}))(t)
	if len(list) != 1 {
		t.Fatal("the log is empty")
	}
	e.ID = list[0].ID
	same(t, "the newest entry", list[0], e)
}

// mustRemove deletes a project.
func (s Stores) mustRemove(t *testing.T, id sandlot.ProjectID) {
	t.Helper()
	ok(t, s.Operate.Remove(t.Context(), ofProject(id), entry(sandlot.ActionDelete, string(id))))
}

// ofAccount and ofProject are what an operator acts on.
func ofAccount(id sandlot.AccountID) sandlot.Subject { return sandlot.Subject{Account: id} }
func ofProject(id sandlot.ProjectID) sandlot.Subject { return sandlot.Subject{Project: id} }

func listAllProjects(t *testing.T, s Stores) {
	one := s.mustProject(t, "one")
	two := must(s.Publish.CreateProject(t.Context(), newProject("two", one.Account)))(t)
	s.mustProject(t, "three")
	s.mustPut(t, one, file("a.js", inline("abc"))) // the newest change, but the oldest project
	ok(t, s.Operate.Suspend(t.Context(), ofProject(two.ID), entry(sandlot.ActionSuspend, "two")))
	list := func(q operate.ProjectQuery) (got []sandlot.ProjectID, last int64) {
		for _, p := range must(s.Operate.ListProjects(t.Context(), q))(t) {
			got, last = append(got, p.ID), p.Number
		}
		return got, last
	}
	got, _ := list(operate.ProjectQuery{Limit: 9})
	same(t, "all", got, []sandlot.ProjectID{"one", "two", "three"})
	got, last := list(operate.ProjectQuery{Limit: 1})
	same(t, "one", got, []sandlot.ProjectID{"one"})
	got, _ = list(operate.ProjectQuery{Limit: 1, After: last})
	same(t, "the next", got, []sandlot.ProjectID{"two"})
	got, _ = list(operate.ProjectQuery{Account: one.Account, Limit: 9})
	same(t, "of an account", got, []sandlot.ProjectID{"one", "two"})
	got, _ = list(operate.ProjectQuery{Suspended: true, Limit: 9})
	same(t, "the suspended ones", got, []sandlot.ProjectID{"two"})
}

func suspendAccount(t *testing.T, s Stores) {
	p, other := s.mustProject(t, "pong"), s.mustProject(t, "tetra")
	e := entry(sandlot.ActionSuspend, "@pong")
	ok(t, s.Operate.Suspend(t.Context(), ofAccount(p.Account), e))
	s.logged(t, e)
	same(t, "the account", must(s.Publish.Account(t.Context(), p.Account))(t).Suspended, true)
	same(t, "since", must(s.Operate.AccountByHandle(t.Context(), "pong"))(t).SuspendedAt, e.At)
	same(t, "its project", must(s.Publish.Project(t.Context(), p.ID))(t).Suspended, true)
	same(t, "its project itself", must(s.Operate.ProjectDetail(t.Context(), p.ID))(t).SuspendedAt, time.Time{})
	for _, k := range []string{"key of pong", "key of project pong"} {
		same(t, k, must(s.Credentials.KeyByHash(t.Context(), sum(k)))(t).Suspended, true)
	}
	same(t, "another's project", must(s.Publish.Project(t.Context(), other.ID))(t).Suspended, false)
	same(t, "another's key", must(s.Credentials.KeyByHash(t.Context(), sum("key of tetra")))(t).Suspended, false)
}

func removeAccount(t *testing.T, s Stores) {
	a := s.withEmail(t, "kim")
	p := must(s.Publish.CreateProject(t.Context(), newProject("pong", a.ID)))(t)
	s.mustVerification(t, a, "token", base().Add(time.Hour))
	e := entry(sandlot.ActionDelete, "@kim")
	ok(t, s.Operate.Remove(t.Context(), ofAccount(a.ID), e))
	s.logged(t, e)
	for name, err := range map[string]error{
		"the account": drop(s.Publish.Account(t.Context(), a.ID)), "by its handle": drop(s.Operate.AccountByHandle(t.Context(), "kim")), "its project": drop(s.Publish.Project(t.Context(), p.ID)),
		"its key": drop(s.Credentials.KeyByHash(t.Context(), sum("key of kim"))), "its project's key": drop(s.Credentials.KeyByHash(t.Context(), sum("key of project pong"))),
		"its verification": drop(s.Accounts.Verification(t.Context(), sum("token"), base())), "deleting it again": s.Operate.Remove(t.Context(), ofAccount(a.ID), e),
		"a project of it":  drop(s.Publish.CreateProject(t.Context(), newProject("tetra", a.ID))),
		"a key of it":      drop(s.Operate.AddKey(t.Context(), a.ID, key("new"), false, e)),
		"an address of it": s.Publish.SetEmail(t.Context(), a.ID, "new@example.com", job("new@example.com", base())),
	} {
		wants(t, name, err, sandlot.ErrNotFound)
	}
	same(t, "accounts of its address", len(must(s.Operate.AccountsByEmail(t.Context(), a.Email, 9))(t)), 0)
	na := newAccount("kim", "kim-2")
	na.Key = key("another")
	same(t, "the handle of a new account", s.mustAccount(t, na).Handle, "kim-2")
}

func removeSwept(t *testing.T, s Stores) {
	p := s.mustPut(t, s.mustProject(t, "pong"), file("a.wasm", named("first")))
	ok(t, s.Variants.PutVariants(t.Context(), s.fileNamed(t, p, "a.wasm").Blob.ID, []sandlot.Variant{{Encoding: "br", Blob: named("variant")}}))
	p = s.mustPut(t, p, file("a.wasm", named("second")))
	content := s.fileNamed(t, p, "index.html").Blob
	s.mustPut(t, s.mustProject(t, "tetra"), file("a.wasm", named("another's")))
	ok(t, s.Operate.Remove(t.Context(), ofProject(p.ID), entry(sandlot.ActionDelete, "pong")))
	same(t, "while everything is new", s.sweep(t, base(), base().Add(-time.Hour)), nil)
	same(t, "the names", s.sweepAll(t), []sandlot.BlobRef{"first", "second"})
	same(t, "then those of their variants", s.sweepAll(t), []sandlot.BlobRef{"variant"})
	wants(t, "the bytes in a record", drop(s.Publish.Content(t.Context(), content.ID)), sandlot.ErrNotFound)
	same(t, "another's project", fileNames(t, s.Publish, "tetra", 2), []string{"a.wasm", "index.html"})
	same(t, "swept again", s.sweepAll(t), nil)
}

func addKeyRevoking(t *testing.T, s Stores) {
	p, other := s.mustProject(t, "pong"), s.mustProject(t, "tetra")
	k := key("new")
	same(t, "revoked", must(s.Operate.AddKey(t.Context(), p.Account, k, true, entry(sandlot.ActionNewKey, "@pong")))(t), 1)
	wants(t, "the old key", drop(s.Credentials.KeyByHash(t.Context(), sum("key of pong"))), sandlot.ErrNotFound)
	must(s.Credentials.KeyByHash(t.Context(), k.Hash))(t)
	must(s.Credentials.KeyByHash(t.Context(), sum("key of project pong")))(t)
	same(t, "another's key", must(s.Credentials.KeyByHash(t.Context(), sum("key of tetra")))(t).Account, other.Account)
}
