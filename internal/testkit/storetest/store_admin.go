package storetest

import (
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
)

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
func mustRemove(t *testing.T, s Stores, id sandlot.ProjectID) {
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

func removeAccount(t *testing.T, s Stores) {
	a := withEmail(t, s, "kim")
	p := must(s.Publish.CreateProject(t.Context(), newProject("pong", a.ID)))(t)
	s.mustVerification(t, a, "token", base().Add(time.Hour))
	e := entry(sandlot.ActionDelete, "@kim")
	ok(t, s.Operate.Remove(t.Context(), ofAccount(a.ID), e))
	s.logged(t, e)
	for name, err := range map[string]error{
		"the account":   drop(s.Publish.Account(t.Context(), a.ID)),
		"by its handle": drop(s.Operate.AccountByHandle(t.Context(), "kim")), "its project": drop(s.Publish.Project(t.Context(), p.ID)),
		"its key":           drop(s.Credentials.KeyByHash(t.Context(), sum("key of kim"))),
		"its project's key": drop(s.Credentials.KeyByHash(t.Context(), sum("key of project pong"))),
		"its verification":  drop(s.Accounts.Verification(t.Context(), sum("token"), base())),
		"deleting it again": s.Operate.Remove(t.Context(), ofAccount(a.ID), e),
		"a project of it":   drop(s.Publish.CreateProject(t.Context(), newProject("tetra", a.ID))),
		"a key of it":       drop(s.Operate.AddKey(t.Context(), a.ID, key("new"), false, e)),
		"an address of it":  s.Publish.SetEmail(t.Context(), a.ID, "new@example.com", job("new@example.com", base()), 0),
	} {
		wants(t, name, err, sandlot.ErrNotFound)
	}
	same(t, "accounts of its address", len(must(s.Operate.AccountsByEmail(t.Context(), a.Email, 9))(t)), 0)
	na := newAccount("kim", "kim-2")
	na.Key = key("another")
	same(t, "the handle of a new account", s.mustAccount(t, na).Handle, "kim-2")
}

// provedAddress makes an address the account's, which its owner has shown to read.
func provedAddress(t *testing.T, s Stores, a sandlot.Account, address string) {
	t.Helper()
	ok(t, s.Publish.SetEmail(t.Context(), a.ID, address, job(address, base()), 0))
	a.Email = address
	s.mustVerification(t, a, "token of "+address, base().Add(time.Hour))
	must(s.Accounts.UseVerification(t.Context(), sum("token of "+address), base(), 0))(t)
}

func removeReported(t *testing.T, s Stores) {
	kim, lee, ann, bob := s.mustAccount(t, newAccount("kim")), s.mustAccount(t, newAccount("lee")), s.mustAccount(t,
		newAccount("ann")), s.mustAccount(t, newAccount("bob"))
	provedAddress(t, s, kim, "kim@example.com")
	ok(t, s.Publish.SetEmail(t.Context(), lee.ID, "lee@example.com", job("lee@example.com", base()), 0))
	provedAddress(t, s, ann, "ann@example.com")
	ok(t, s.Publish.SetEmail(t.Context(), bob.ID, "ann@example.com", job("ann@example.com", base()), 0))
	for number, contact := range map[string]string{
		"R-1": "KIM@example.com", "R-2": "lee@example.com", "R-3": "ann@example.com",
		"R-4": "",
	} {
		r := report(number)
		r.Contact = contact
		must(s.Operate.AddReport(t.Context(), r, operate.Filing{Form: sum(number)}))(t)
	}
	for handle, a := range map[string]sandlot.Account{"@kim": kim, "@lee": lee, "@ann": ann} {
		ok(t, s.Operate.Remove(t.Context(), ofAccount(a.ID), entry(sandlot.ActionDelete, handle)))
	}
	for number, kept := range map[string]bool{"R-1": false, "R-2": true, "R-3": true, "R-4": true} {
		got := must(s.Operate.Report(t.Context(), number))(t)
		same(t, "what is said in "+number, []bool{got.Details != "", got.Reason != ""}, []bool{kept, true})
	}
	same(t, "the contact", must(s.Operate.Report(t.Context(), "R-1"))(t).Contact, "")
}

func report(number string) operate.Report {
	return operate.Report{
		Case: number, Project: "game-abc123", Reason: "other", Details: "It is\n<b>bad", Contact: "ann@example.com",
		Via: operate.ViaForm, Network: sum("network"), At: base(),
	}
}

func addReportRace(t *testing.T, s Stores) {
	numbers := make(chan string, 20)
	atOnce(t, 20, nil, func(i int) error {
		filed, err := s.Operate.AddReport(background(), report(string(rune('a'+i))), operate.Filing{Form: sum("form")})
		numbers <- filed.Number
		return err
	})
	first := <-numbers
	for range 19 {
		same(t, "the number", <-numbers, first)
	}
	same(t, "the reports", len(must(s.Operate.Reports(t.Context(), operate.ReportQuery{Limit: 99}))(t)), 1)
}

// closed records a report and closes it at that time.
func (s Stores) closed(t *testing.T, number string, came, at time.Time) operate.Report {
	t.Helper()
	r := report(number)
	r.At = came
	must(s.Operate.AddReport(t.Context(), r, operate.Filing{Form: sum(number)}))(t)
	e := entry(sandlot.ActionCloseReport, number)
	e.At = at
	ok(t, s.Operate.CloseReport(t.Context(), number, e))
	s.logged(t, e)
	return must(s.Operate.Report(t.Context(), number))(t)
}

func emptyReports(t *testing.T, s Stores) {
	now := base()
	old := s.closed(t, "R-1", now.AddDate(-1, 0, 0), now.Add(-operate.ReportKept))
	recent := s.closed(t, "R-2", now.AddDate(-1, 0, 0), now.Add(-operate.ReportKept+time.Minute))
	open := report("R-3")
	open.At = now.AddDate(-1, 0, 0)
	must(s.Operate.AddReport(t.Context(), open, operate.Filing{Form: sum("open")}))(t)
	s.sweep(t, now, now)
	same(t, "one that was closed more recently", must(s.Operate.Report(t.Context(), "R-2"))(t), recent)
	same(t, "an open one", must(s.Operate.Report(t.Context(), "R-3"))(t), open)
	old.Details, old.Contact, old.Network = "", "", sandlot.Digest{}
	same(t, "the old one", must(s.Operate.Report(t.Context(), "R-1"))(t), old)
}
