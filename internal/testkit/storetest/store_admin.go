package storetest

import (
	"fmt"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
)

func adminCases() []storeCase {
	return []storeCase{
		{"AccountByHandle/returns the account that has this handle now", accountByHandle},
		{"AccountsByEmail/returns accounts with this address, oldest first, at most limit", accountsByEmail},
		{"ListAccounts/returns accounts with an ID above after, oldest first, at most limit; only suspended ones if suspended", listAccounts},
		{"ListProjects/returns projects, oldest first", listAllProjects},
		{"Suspend/marks a project as suspended at e.At and records e", suspendProject},
		{"Suspend/an account with its projects and keys", suspendAccount},
		{"Suspend/one that is suspended already is ErrExists, and one that is not there ErrNotFound", suspendAgain},
		{"Reinstate/ends a suspension and records e", reinstate},
		{"Remove/deletes a project, whose id is not used again", removeProject},
		{"Remove/deletes an account with its projects, whose handle is not used again", removeAccount},
		{"Remove/the files are left to Sweep", removeSwept},
		{"Remove/jobs and keys of an account tell nothing any more", removeTexts},
		{"Remove/details and contact go from reports that give an address which it had proved, and no other account has", removeReported},
		{"Forgotten/returns addresses of deleted accounts until ForgetEmail, and whether another account has them", forgotten},
		{"DeletedAccount/tells of the deletion of the account that had this handle", deletedAccount},
		{"DeletedProject/tells of a project that was deleted, by itself or with its account", deletedProject},
		{"AddKey/adds a key to an account", addKey},
		{"AddKey/if revoke, all its other account keys are revoked", addKeyRevoking},
		{"Log/returns entries of the log, newest first", readLog},
		{"Log/one of restore, as earlier releases named it, is one of ActionReinstate", logNames},
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

func accountByHandle(t *testing.T, s Stores) {
	p := s.mustPut(t, s.mustProject(t, "pong"), file("a.js", inline("abc")))
	got := must(s.Operate.AccountByHandle(t.Context(), "pong"))(t)
	want := operate.AccountDetail{Account: must(s.Publish.Account(t.Context(), p.Account))(t), Projects: 1, Bytes: p.Size}
	same(t, "the account", got, want)
	_, err := s.Operate.AccountByHandle(t.Context(), "nobody")
	wants(t, "a handle that nobody has", err, sandlot.ErrNotFound)
}

func accountsByEmail(t *testing.T, s Stores) {
	var want []sandlot.AccountID
	for i := range 3 {
		na := newAccount(fmt.Sprint("kim-", i))
		na.Email = "kim@example.com"
		want = append(want, s.mustAccount(t, na).ID)
	}
	s.mustAccount(t, newAccount("lee"))
	for limit, n := range map[int]int{9: 3, 2: 2} {
		var got []sandlot.AccountID
		for _, a := range must(s.Operate.AccountsByEmail(t.Context(), "kim@example.com", limit))(t) {
			got = append(got, a.ID)
		}
		same(t, "the accounts", got, want[:n])
	}
}

func listAccounts(t *testing.T, s Stores) {
	var ids []sandlot.AccountID
	for i := range 4 {
		ids = append(ids, s.mustAccount(t, newAccount(fmt.Sprint("kim-", i))).ID)
	}
	ok(t, s.Operate.Suspend(t.Context(), ofAccount(ids[2]), entry(sandlot.ActionSuspend, "@kim-2")))
	list := func(after sandlot.AccountID, suspended bool, limit int) (got []sandlot.AccountID) {
		for _, a := range must(s.Operate.ListAccounts(t.Context(), after, suspended, limit))(t) {
			got = append(got, a.ID)
		}
		return got
	}
	same(t, "all", list(0, false, 9), ids)
	same(t, "two after the first", list(ids[0], false, 2), ids[1:3])
	same(t, "the suspended ones", list(0, true, 9), ids[2:3])
}

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

func suspendProject(t *testing.T, s Stores) {
	p, other := s.mustProject(t, "pong"), s.mustProject(t, "tetra")
	e := entry(sandlot.ActionSuspend, "pong")
	ok(t, s.Operate.Suspend(t.Context(), ofProject(p.ID), e))
	s.logged(t, e)
	same(t, "the project", must(s.Publish.Project(t.Context(), p.ID))(t).Suspended, true)
	same(t, "since", must(s.Operate.ProjectDetail(t.Context(), p.ID))(t).SuspendedAt, e.At)
	same(t, "in a list", must(s.Publish.Projects(t.Context(), p.Account, 0, 9))(t)[0].Suspended, true)
	same(t, "another project", must(s.Publish.Project(t.Context(), other.ID))(t).Suspended, false)
	same(t, "its account", must(s.Publish.Account(t.Context(), p.Account))(t).Suspended, false)
	same(t, "its files", fileNames(t, s.Publish, p.ID, 1), []string{"index.html"})
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

func suspendAgain(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	first := entry(sandlot.ActionSuspend, "pong")
	ok(t, s.Operate.Suspend(t.Context(), ofProject(p.ID), first))
	later := entry(sandlot.ActionSuspend, "pong again")
	wants(t, "again", s.Operate.Suspend(t.Context(), ofProject(p.ID), later), sandlot.ErrExists)
	s.logged(t, first)
	wants(t, "no project", s.Operate.Suspend(t.Context(), ofProject("nothing"), later), sandlot.ErrNotFound)
	wants(t, "no account", s.Operate.Suspend(t.Context(), ofAccount(99), later), sandlot.ErrNotFound)
	wants(t, "reinstating what is not suspended", s.Operate.Reinstate(t.Context(), ofAccount(p.Account), later), sandlot.ErrMoved)
	s.logged(t, first)
}

func reinstate(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	for _, subject := range []sandlot.Subject{ofProject(p.ID), ofAccount(p.Account)} {
		ok(t, s.Operate.Suspend(t.Context(), subject, entry(sandlot.ActionSuspend, "pong")))
		e := entry(sandlot.ActionReinstate, "pong")
		ok(t, s.Operate.Reinstate(t.Context(), subject, e))
		s.logged(t, e)
		p.Change += 2
		same(t, "the project", must(s.Publish.Project(t.Context(), p.ID))(t), p)
		same(t, "its key", must(s.Credentials.KeyByHash(t.Context(), sum("key of pong")))(t).Suspended, false)
	}
}

func removeProject(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	e := entry(sandlot.ActionDelete, "pong")
	ok(t, s.Operate.Remove(t.Context(), ofProject(p.ID), e))
	s.logged(t, e)
	for name, err := range map[string]error{
		"the project": drop(s.Publish.Project(t.Context(), p.ID)), "its version": drop(s.Publish.Version(t.Context(), p.ID, 1)), "its files": drop(s.Publish.Files(t.Context(), p.ID, 1)),
		"its key": drop(s.Credentials.KeyByHash(t.Context(), sum("key of project pong"))), "for the operator": drop(s.Operate.ProjectDetail(t.Context(), p.ID)),
		"deleting it again": s.Operate.Remove(t.Context(), ofProject(p.ID), e), "suspending it": s.Operate.Suspend(t.Context(), ofProject(p.ID), e),
	} {
		wants(t, name, err, sandlot.ErrNotFound)
	}
	again := newProject("pong", p.Account)
	again.Key = key("another")
	wants(t, "a project of that id", drop(s.Publish.CreateProject(t.Context(), again)), sandlot.ErrExists)
	same(t, "the account", must(s.Operate.AccountByHandle(t.Context(), "pong"))(t).Projects, 0)
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

func addKey(t *testing.T, s Stores) {
	a := s.mustAccount(t, newAccount("kim"))
	k, e := key("new"), entry(sandlot.ActionNewKey, "@kim")
	same(t, "revoked", must(s.Operate.AddKey(t.Context(), a.ID, k, false, e))(t), 0)
	s.logged(t, e)
	got := must(s.Credentials.KeyByHash(t.Context(), k.Hash))(t)
	same(t, "the key", []any{got.Account, got.Kind, got.Name}, []any{a.ID, sandlot.AccountKey, "new"})
	must(s.Credentials.KeyByHash(t.Context(), sum("key of kim")))(t)
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

func readLog(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	for _, action := range []string{"one", "two", "three"} {
		must(s.Operate.AddKey(t.Context(), p.Account, key(action), false, entry(action, "@pong")))(t)
	}
	must(s.Operate.AddKey(t.Context(), p.Account, key("four"), false, entry("four", "@other")))(t)
	read := func(target string, before int64, limit int) (actions []string, last int64) {
		for _, e := range must(s.Operate.Log(t.Context(), operate.LogQuery{Target: target, Before: before, Limit: limit}))(t) {
			actions, last = append(actions, e.Action), e.ID
		}
		return actions, last
	}
	all, _ := read("", 0, 9)
	same(t, "all", all, []string{"four", "three", "two", "one"})
	two, last := read("", 0, 2)
	same(t, "two", two, []string{"four", "three"})
	rest, _ := read("", last, 9)
	same(t, "the rest", rest, []string{"two", "one"})
	some, _ := read("@pong", 0, 9)
	same(t, "of a target", some, []string{"three", "two", "one"})
}

func logNames(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	for _, action := range []string{"restore", sandlot.ActionReinstate} {
		must(s.Operate.AddKey(t.Context(), p.Account, key(action), false, entry(action, "@pong")))(t)
	}
	var found []string
	for _, e := range must(s.Operate.Log(t.Context(), operate.LogQuery{Limit: 2}))(t) {
		found = append(found, e.Action)
	}
	same(t, "reinstated", found, []string{sandlot.ActionReinstate, sandlot.ActionReinstate})
}
