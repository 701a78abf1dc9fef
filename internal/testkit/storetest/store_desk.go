package storetest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/operate/desk"
)

func deskCases() []storeCase {
	return []storeCase{
		{"Queue/returns items that wait, by their Since, oldest first, and none in the trash", deskQueue},
		{"Queue/counts what is the same", deskSame},
		{"Case/returns the records of a project, also of a suspended one and one in the trash", deskCase},
		{"Decide/calls Allow with what the step finds, and an error of it has no effect", deskAllow},
		{"Decide/a target in a state other than its State is a MovedError", deskMoved},
		{"Decide/of two at once one is made, and the other is a MovedError", deskRace},
		{"Decide/take-down suspends, closes all open reports, and Undo ends it and leaves these closed", deskTakeDown},
		{"Decide/take-down-account suspends the account, and Undo ends it", deskTakeDownAccount},
		{"Decide/hold holds, and dismiss ends a hold or a suspension", deskHold},
		{"Decide/writes once to the owner with a verified address, and to each reporter with an address", deskMails},
		{"Decide/blocks pages that no long verified account has, files that no verified one has, and Undo takes that back", deskBlocks},
		{"Undo/a later decision about one of the projects is a MovedError, and so are a later suspension and a decision that is undone already", deskUndoMoved},
		{"Sweep/words and objections go with their account or project, and so do notes", deskForgets},
		{"Contested/returns the decision with the code, as long as it is in force and has no objection", deskContested},
	}
}

// atMachine is an act of the operator.
func atMachine() desk.Act {
	return desk.Act{At: base(), Allow: func(desk.Moderator, []desk.Standing) error { return nil }}
}

// order is a decision about projects in any state.
func order(action desk.Action, ids ...sandlot.ProjectID) desk.Order {
	o := desk.Order{Action: action, Reason: "deceptive"}
	for _, id := range ids {
		o.Targets = append(o.Targets, desk.Target{Project: id})
	}
	return o
}

func decideOn(t *testing.T, s Stores, o desk.Order) []desk.Decision {
	t.Helper()
	return must(s.Desk.Decide(t.Context(), atMachine(), o))(t)
}

// reportOn records an open report.
func reportOn(t *testing.T, s Stores, id sandlot.ProjectID, number, contact string, at time.Time) {
	t.Helper()
	r := operate.Report{Case: number, Project: id, Reason: "deceptive", Contact: contact, At: at}
	must(s.Operate.AddReport(t.Context(), r, operate.Filing{Form: sum("form of " + number)}))(t)
}

// waitingIn are the projects of the queue.
func waitingIn(t *testing.T, s Stores) (ids []sandlot.ProjectID) {
	t.Helper()
	for _, i := range must(s.Desk.Queue(t.Context(), 0, 100))(t) {
		ids = append(ids, i.Project.ID)
	}
	return ids
}

func deskMail(t *testing.T, s Stores) (list []string) {
	t.Helper()
	far := base().Add(time.Hour)
	for _, j := range must(s.Mail.ClaimJobs(t.Context(), far, far.Add(time.Minute), account.Busy{}, 99))(t) {
		if j.Kind == sandlot.MailDecision || j.Kind == sandlot.MailOutcome {
			list = append(list, j.Kind+" to "+j.Address)
		}
	}
	slices.Sort(list)
	return list
}

func deskQueue(t *testing.T, s Stores) {
	one, two, three, four := s.mustProject(t, "one"), s.mustProject(t, "two"), s.mustProject(t, "three"), s.mustProject(t, "four")
	at := base()
	reportOn(t, s, two.ID, "R-1", "", at.Add(-time.Hour))
	reportOn(t, s, one.ID, "R-2", "", at.Add(-3*time.Hour))
	reportOn(t, s, two.ID, "R-3", "", at.Add(-4*time.Hour))
	reportOn(t, s, four.ID, "R-4", "", at.Add(-5*time.Hour))
	mustTrash(t, s, four.ID, at)
	decideOn(t, s, order(desk.Hold, three.ID))
	same(t, "what waits", waitingIn(t, s), []sandlot.ProjectID{two.ID, one.ID, three.ID})
	same(t, "how much waits", must(s.Desk.Waiting(t.Context()))(t), 3)
	list := must(s.Desk.Queue(t.Context(), 0, 1))(t)
	same(t, "the first page", len(list), 1)
	i := list[0]
	same(t, "reports", []any{i.Reports, i.Reasons, i.Waits, i.Since}, []any{2, []string{"deceptive"}, []string{desk.WaitsReports}, at.Add(-4 * time.Hour)})
	same(t, "owner", []any{i.Owner.Handle, i.Owner.Verified, i.Owner.Suspended, i.Owner.Projects}, []any{"two", false, false, 1})
	rest := must(s.Desk.Queue(t.Context(), 2, 9))(t)
	same(t, "what is held", []any{len(rest), rest[0].Waits, rest[0].Project.Held.Rule}, []any{1, []string{desk.WaitsHeld}, sandlot.HeldModerator})
	decideOn(t, s, order(desk.TakeDown, one.ID, three.ID))
	decideOn(t, s, order(desk.Dismiss, two.ID))
	same(t, "what waits once all is decided", waitingIn(t, s), nil)
	same(t, "how much waits then", must(s.Desk.Waiting(t.Context()))(t), 0)
}

func deskSame(t *testing.T, s Stores) {
	one, two := s.mustProject(t, "one"), s.mustProject(t, "two")
	three := must(s.Publish.CreateProject(t.Context(), newProject("three", one.Account)))(t)
	s.mustPut(t, two, file("index.html", inline("<p>one")))
	c := must(s.Desk.Case(t.Context(), one.ID))(t)
	same(t, "counts", c.Same, desk.Same{Hash: 1, Account: 1})
	same(t, "others", c.SameAs, map[string][]string{"hash": {string(two.ID)}, "account": {string(three.ID)}})
	same(t, "the first other", c.Others[0].ID, two.ID)
}

func deskCase(t *testing.T, s Stores) {
	p := s.mustProject(t, "one")
	reportOn(t, s, p.ID, "R-1", "", base())
	ok(t, s.Desk.AddNote(t.Context(), atMachine(), p.ID, "seen"))
	decideOn(t, s, order(desk.TakeDown, p.ID))
	reportOn(t, s, p.ID, "R-2", "", base())
	mustTrash(t, s, p.ID, base())
	c := must(s.Desk.Case(t.Context(), p.ID))(t)
	same(t, "open", c.Open[0].Case, "R-2")
	same(t, "closed", c.Closed[0].Case, "R-1")
	same(t, "note", []string{c.Notes[0].Who, c.Notes[0].Text}, []string{"operator", "seen"})
	same(t, "decision", []any{len(c.Decisions), c.Decisions[0].Action, c.Decisions[0].Reason}, []any{1, desk.TakeDown, "deceptive"})
	same(t, "files", c.Files[0].Name, "index.html")
	same(t, "suspended", must(s.Desk.Shown(t.Context(), p.ID))(t).Suspended, true)
	same(t, "file", must(s.Desk.ShownFile(t.Context(), p.ID, "index.html"))(t).Blob.SHA256, sum("<p>one"))
	wants(t, "a file that is not there", drop(s.Desk.ShownFile(t.Context(), p.ID, "Index.html")), sandlot.ErrNotFound)
	mustRemove(t, s, p.ID)
	wants(t, "a case of a deleted project", drop(s.Desk.Case(t.Context(), p.ID)), sandlot.ErrNotFound)
	wants(t, "a deleted project", drop(s.Desk.Shown(t.Context(), p.ID)), sandlot.ErrNotFound)
	wants(t, "a note about it", s.Desk.AddNote(t.Context(), atMachine(), p.ID, "seen"), sandlot.ErrNotFound)
}

func deskAllow(t *testing.T, s Stores) {
	p, mod := s.mustProject(t, "one"), s.verified(t, "mod", "mod@example.com")
	e := entry(sandlot.ActionGrant, "@mod")
	ok(t, s.Operate.SetRole(t.Context(), mod.ID, sandlot.ModeratorRole, e))
	at := base()
	session := must(s.Accounts.AddSession(t.Context(), sum("session"), sandlot.Session{
		Account: mod.ID, CreatedAt: at, ProvedAt: at, SeenAt: at, ExpiresAt: at.Add(time.Hour),
	}))(t)
	no := errors.New("no")
	var found desk.Moderator
	var targets []desk.Standing
	a := desk.Act{At: at, Account: mod.ID, Session: session, Allow: func(m desk.Moderator, list []desk.Standing) error {
		found, targets = m, list
		return no
	}}
	wants(t, "decide", drop(s.Desk.Decide(t.Context(), a, order(desk.TakeDown, p.ID))), no)
	same(t, "moderator", found, desk.Moderator{Account: mod.ID, Role: sandlot.ModeratorRole, ProvedAt: at})
	same(t, "targets", targets, []desk.Standing{{Project: p.ID, Account: p.Account}})
	wants(t, "note", s.Desk.AddNote(t.Context(), a, p.ID, "x"), no)
	same(t, "decisions", s.Rows(t, "decisions")+s.Rows(t, "notes"), 0)
	ok(t, s.Operate.SetRole(t.Context(), mod.ID, sandlot.NoRole, e))
	wants(t, "decide", drop(s.Desk.Decide(t.Context(), a, order(desk.TakeDown, p.ID))), no)
	same(t, "role that was ended", found.Role, sandlot.NoRole)
	a.Session++
	wants(t, "decide", drop(s.Desk.Decide(t.Context(), a, order(desk.TakeDown, p.ID))), no)
	same(t, "a session that ended", found, desk.Moderator{})
	made := decideOn(t, s, order(desk.TakeDown, p.ID))
	wants(t, "undo", s.Desk.Undo(t.Context(), a, made[0].ID), no)
	same(t, "suspended still", must(s.Desk.Shown(t.Context(), p.ID))(t).Suspended, true)
}

func deskMoved(t *testing.T, s Stores) {
	p := s.mustProject(t, "one")
	seen := func() desk.Order {
		o := order(desk.Dismiss)
		o.Targets = []desk.Target{{Project: p.ID, State: must(s.Desk.Case(t.Context(), p.ID))(t).State}}
		return o
	}
	moved := func(what string, o desk.Order) desk.MovedError {
		t.Helper()
		var m desk.MovedError
		if _, err := s.Desk.Decide(t.Context(), atMachine(), o); !errors.As(err, &m) {
			t.Fatalf("%s: %v", what, err)
		}
		return m
	}
	before := seen()
	reportOn(t, s, p.ID, "R-1", "", base())
	same(t, "last", moved("dismiss after a report", before), desk.MovedError{Project: p.ID})
	before = seen()
	p = s.mustPut(t, p, file("a.js", inline("a")))
	moved("dismiss after a version", before)
	before.Action = desk.Hold
	decideOn(t, s, before) // a hold is about the project, whatever it has become
	before.Action = desk.TakeDown
	m := moved("take down after a decision", before)
	same(t, "last", []any{m.Last.Action, m.Last.Who}, []any{desk.Hold, "operator"})
	before = seen()
	ok(t, s.Desk.Undo(t.Context(), atMachine(), m.Last.ID))
	moved("dismiss after undo", before)
	decideOn(t, s, seen())
}

func deskRace(t *testing.T, s Stores) {
	p, q := s.mustProject(t, "one"), s.mustProject(t, "two")
	o := order(desk.TakeDown)
	for _, id := range []sandlot.ProjectID{p.ID, q.ID} {
		o.Targets = append(o.Targets, desk.Target{Project: id, State: must(s.Desk.Case(t.Context(), id))(t).State})
	}
	var all sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		mine := o
		mine.Targets = slices.Clone(o.Targets)
		if i%2 == 1 {
			slices.Reverse(mine.Targets)
			mine.Action = desk.Hold
		}
		all.Go(func() { _, errs[i] = s.Desk.Decide(background(), atMachine(), mine) })
	}
	all.Wait()
	made := 0
	for _, err := range errs {
		var m desk.MovedError
		switch {
		case err == nil:
			made++
		case !errors.As(err, &m) || m.Last.ID == 0:
			t.Fatalf("the error is %v", err)
		}
	}
	same(t, "made", made, 1)
	same(t, "decisions", s.Rows(t, "decisions"), 2)
}

func deskTakeDown(t *testing.T, s Stores) {
	p, q := s.mustProject(t, "one"), s.mustProject(t, "two")
	for i := range 12 {
		reportOn(t, s, p.ID, fmt.Sprint("R-", i), "", base())
	}
	made := decideOn(t, s, order(desk.TakeDown, p.ID, q.ID))
	same(t, "batch", made[0].Batch, made[1].Batch)
	e := sandlot.LogEntry{Actor: sandlot.ActorOperator, Action: sandlot.ActionDecide, Target: "two", Reason: "take-down deceptive"}
	e.At = made[1].At
	s.logged(t, e)
	same(t, "suspended", must(s.Publish.Project(t.Context(), p.ID))(t).Suspended, true)
	same(t, "open reports", len(must(s.Operate.Reports(t.Context(), operate.ReportQuery{Open: true, Limit: 99}))(t)), 0)
	ok(t, s.Desk.Undo(t.Context(), atMachine(), made[1].ID))
	for _, id := range []sandlot.ProjectID{p.ID, q.ID} {
		same(t, "suspended after undo", must(s.Publish.Project(t.Context(), id))(t).Suspended, false)
		same(t, "undone", must(s.Desk.Case(t.Context(), id))(t).Decisions[0].UndoneBy, "operator")
	}
	same(t, "open reports", len(must(s.Operate.Reports(t.Context(), operate.ReportQuery{Open: true, Limit: 99}))(t)), 0)
	wants(t, "a project that is not there", drop(s.Desk.Decide(t.Context(), atMachine(), order(desk.TakeDown, p.ID, "none"))), sandlot.ErrNotFound)
	same(t, "suspended for that", must(s.Publish.Project(t.Context(), p.ID))(t).Suspended, false)
}

func deskTakeDownAccount(t *testing.T, s Stores) {
	a := s.verified(t, "kim", "kim@example.com")
	p := must(s.Publish.CreateProject(t.Context(), newProject("one", a.ID)))(t)
	q := must(s.Publish.CreateProject(t.Context(), newProject("two", a.ID)))(t)
	reportOn(t, s, q.ID, "R-1", "", base())
	made := decideOn(t, s, order(desk.TakeDownAccount, p.ID))
	same(t, "the other project", must(s.Publish.Project(t.Context(), q.ID))(t).Suspended, true)
	same(t, "its report", must(s.Operate.Report(t.Context(), "R-1"))(t).ClosedAt.IsZero(), false)
	must(s.Accounts.StopOf(t.Context(), sandlot.MailboxOf("kim@example.com"), sandlot.StopSuspended, base()))(t)
	again := decideOn(t, s, order(desk.TakeDownAccount, q.ID))
	var moved desk.MovedError
	same(t, "undo while another holds", errors.As(s.Desk.Undo(t.Context(), atMachine(), made[0].ID), &moved), true)
	ok(t, s.Desk.Undo(t.Context(), atMachine(), again[0].ID))
	same(t, "suspended by the first", must(s.Publish.Project(t.Context(), q.ID))(t).Suspended, true)
	ok(t, s.Desk.Undo(t.Context(), atMachine(), made[0].ID))
	same(t, "after undo", must(s.Publish.Project(t.Context(), q.ID))(t).Suspended, false)
	wants(t, "the mailbox", drop(s.Accounts.StopOf(t.Context(), sandlot.MailboxOf("kim@example.com"), sandlot.StopSuspended, base())), sandlot.ErrNotFound)
}

func deskHold(t *testing.T, s Stores) {
	p := s.mustProject(t, "one")
	read := func() sandlot.Project { return must(s.Publish.Project(t.Context(), p.ID))(t) }
	held := decideOn(t, s, order(desk.Hold, p.ID))
	same(t, "rule", read().Held.Rule, sandlot.HeldModerator)
	decideOn(t, s, order(desk.TakeDown, p.ID))
	dismissed := decideOn(t, s, order(desk.Dismiss, p.ID))
	same(t, "after dismiss", []any{read().Suspended, read().Held.Rule}, []any{false, sandlot.NotHeld})
	ok(t, s.Desk.Undo(t.Context(), atMachine(), dismissed[0].ID))
	same(t, "after undo", []any{read().Suspended, read().Held.Rule}, []any{true, sandlot.HeldModerator})
	same(t, "undone is no decision since", s.Desk.Undo(t.Context(), atMachine(), held[0].ID) != nil, true)
}

func deskMails(t *testing.T, s Stores) {
	kim := s.verified(t, "kim", "kim@example.com")
	p := must(s.Publish.CreateProject(t.Context(), newProject("one", kim.ID)))(t)
	q := must(s.Publish.CreateProject(t.Context(), newProject("two", kim.ID)))(t)
	lee := withEmail(t, s, "lee")
	r := must(s.Publish.CreateProject(t.Context(), newProject("three", lee.ID)))(t)
	deskMail(t, s)
	decideOn(t, s, order(desk.Dismiss, p.ID))
	same(t, "dismissed, and never held", deskMail(t, s), nil)
	reportOn(t, s, p.ID, "R-1", "a@example.com", base())
	reportOn(t, s, p.ID, "R-2", "a@example.com", base())
	reportOn(t, s, p.ID, "R-3", "", base())
	reportOn(t, s, r.ID, "R-4", "b@example.com", base())
	decideOn(t, s, order(desk.TakeDown, p.ID, q.ID, r.ID))
	same(t, "taken down", deskMail(t, s), []string{"decision to kim@example.com", "outcome to a@example.com", "outcome to b@example.com"})
	decideOn(t, s, order(desk.Dismiss, q.ID))
	same(t, "reinstated", deskMail(t, s), []string{"decision to kim@example.com"})
}

func deskBlocks(t *testing.T, s Stores) {
	kim := s.verified(t, "kim", "kim@example.com")
	good := must(s.Publish.CreateProject(t.Context(), newProject("good", kim.ID)))(t)
	good = s.mustPut(t, good, file("lib.js", inline("library")))
	good = s.mustPut(t, good, file("start.html", inline("<p>one")))
	p := s.mustProject(t, "one")
	p = s.mustPut(t, p, file("lib.js", inline("library")))
	p = s.mustPut(t, p, file("own.js", inline("own")))
	p = s.mustPut(t, p, file("empty.css", inline("")))
	o := order(desk.TakeDown, p.ID)
	o.Block = true
	made := decideOn(t, s, o)
	same(t, "blocked", s.Rows(t, "blocked"), 2) // index.html and own.js
	again := decideOn(t, s, o)
	same(t, "blocked once", s.Rows(t, "blocked"), 2)
	ok(t, s.Desk.Undo(t.Context(), atMachine(), again[0].ID))
	same(t, "those of the first", s.Rows(t, "blocked"), 2)
	ok(t, s.Desk.Undo(t.Context(), atMachine(), made[0].ID))
	same(t, "blocked after undo", s.Rows(t, "blocked"), 0)
	s.mustPut(t, good, file("page.html", inline("<p>its own")))
	s.mustPut(t, p, file("index.html", inline("<p>its own")))
	made = decideOn(t, s, o)
	same(t, "blocked with a page that an account has that has just verified its address", s.Rows(t, "blocked"), 2)
	ok(t, s.Desk.Undo(t.Context(), atMachine(), made[0].ID))
	later := atMachine()
	later.At = base().Add(operate.HoldUnproved)
	must(s.Desk.Decide(t.Context(), later, o))(t)
	same(t, "blocked without a page of an account that verified its address 30 days ago", s.Rows(t, "blocked"), 1) // own.js
}

func deskUndoMoved(t *testing.T, s Stores) {
	p, q := s.mustProject(t, "one"), s.mustProject(t, "two")
	first := decideOn(t, s, order(desk.TakeDown, p.ID, q.ID))
	second := decideOn(t, s, order(desk.Hold, q.ID))
	var moved desk.MovedError
	same(t, "undo of the first", errors.As(s.Desk.Undo(t.Context(), atMachine(), first[0].ID), &moved), true)
	same(t, "last", moved.Last.ID, second[0].ID)
	ok(t, s.Desk.Undo(t.Context(), atMachine(), second[0].ID))
	ok(t, s.Desk.Undo(t.Context(), atMachine(), first[0].ID))
	same(t, "undo again", errors.As(s.Desk.Undo(t.Context(), atMachine(), first[0].ID), &moved), true)
	for _, of := range []struct {
		action desk.Action
		sandlot.Subject
	}{{desk.TakeDown, ofProject(p.ID)}, {desk.TakeDownAccount, ofAccount(p.Account)}} {
		made := decideOn(t, s, order(of.action, p.ID))
		ok(t, s.Operate.Reinstate(t.Context(), of.Subject, entry(sandlot.ActionReinstate, "one")))
		later := entry(sandlot.ActionSuspend, "one")
		later.At = base().Add(time.Hour)
		ok(t, s.Operate.Suspend(t.Context(), of.Subject, later))
		err := s.Desk.Undo(t.Context(), atMachine(), made[0].ID)
		same(t, "undo of "+string(of.action)+" after the operator's suspension", errors.As(err, &moved), true)
		ok(t, s.Operate.Reinstate(t.Context(), of.Subject, entry(sandlot.ActionReinstate, "one")))
		ok(t, s.Desk.Undo(t.Context(), atMachine(), made[0].ID))
	}
	wants(t, "undo of nothing", s.Desk.Undo(t.Context(), atMachine(), 99), sandlot.ErrNotFound)
}

func deskContested(t *testing.T, s Stores) {
	kim := s.verified(t, "kim", "kim@example.com")
	p := must(s.Publish.CreateProject(t.Context(), newProject("one", kim.ID)))(t)
	code := func(d desk.Decision, text string) sandlot.Digest {
		t.Helper()
		must(s.Mail.Decision(t.Context(), d.ID, sum(text)))(t)
		return sum(text)
	}
	down := decideOn(t, s, order(desk.TakeDown, p.ID))[0]
	first := code(down, "first")
	same(t, "contested", must(s.Desk.Contested(t.Context(), first))(t).ID, down.ID)
	wants(t, "unknown", drop(s.Desk.Contested(t.Context(), sum("other"))), sandlot.ErrNotFound)
	ok(t, s.Desk.Object(t.Context(), first, "It is a game.", base()))
	wants(t, "again", s.Desk.Object(t.Context(), first, "It is!", base()), sandlot.ErrNotFound)
	item := must(s.Desk.Queue(t.Context(), 0, 9))(t)[0]
	same(t, "queue", []any{item.Project.ID, item.Waits}, []any{p.ID, []string{desk.WaitsObjection}})
	same(t, "objection", must(s.Desk.Case(t.Context(), p.ID))(t).Decisions[0].Objection, "It is a game.")
	final := decideOn(t, s, order(desk.TakeDown, p.ID))[0]
	same(t, "answered", waitingIn(t, s), nil)
	same(t, "final", must(s.Mail.Decision(t.Context(), final.ID, sum("second")))(t).Final, true)
	wants(t, "an objection to the answer", drop(s.Desk.Contested(t.Context(), sum("second"))), sandlot.ErrNotFound)
	decideOn(t, s, order(desk.Dismiss, p.ID))
	third := code(decideOn(t, s, order(desk.Hold, p.ID))[0], "third")
	must(s.Desk.Contested(t.Context(), third))(t)
	ok(t, s.Operate.Suspend(t.Context(), ofProject(p.ID), entry(sandlot.ActionSuspend, "one")))
	decideOn(t, s, order(desk.Dismiss, p.ID))
	wants(t, "after dismiss", drop(s.Desk.Contested(t.Context(), third)), sandlot.ErrNotFound)
	fourth := decideOn(t, s, order(desk.TakeDown, p.ID))[0]
	hash := code(fourth, "fourth")
	ok(t, s.Operate.Reinstate(t.Context(), ofProject(p.ID), entry(sandlot.ActionReinstate, "one")))
	wants(t, "after admin reinstate", s.Desk.Object(t.Context(), hash, "late", base()), sandlot.ErrNotFound)
	fifth := decideOn(t, s, order(desk.TakeDown, p.ID))[0]
	hash = code(fifth, "fifth")
	ok(t, s.Desk.Undo(t.Context(), atMachine(), fifth.ID))
	wants(t, "after undo", s.Desk.Object(t.Context(), hash, "late", base()), sandlot.ErrNotFound)
}

func deskForgets(t *testing.T, s Stores) {
	kim := s.verified(t, "kim", "kim@example.com")
	p := must(s.Publish.CreateProject(t.Context(), newProject("one", kim.ID)))(t)
	q := s.mustProject(t, "two")
	for _, id := range []sandlot.ProjectID{p.ID, q.ID} {
		ok(t, s.Desk.AddNote(t.Context(), atMachine(), id, "seen"))
		o := order(desk.TakeDown, id)
		o.Text = "a login"
		code := sum("code of " + string(id))
		must(s.Mail.Decision(t.Context(), decideOn(t, s, o)[0].ID, code))(t)
		ok(t, s.Desk.Object(t.Context(), code, "a game", base()))
	}
	ok(t, s.Operate.Remove(t.Context(), ofAccount(kim.ID), entry(sandlot.ActionDelete, "@kim")))
	same(t, "notes once the account is deleted", s.Rows(t, "notes"), 1)
	same(t, "its words", s.Rows(t, "decisions WHERE note <> '' OR objection <> '' OR code IS NOT NULL"), 1)
	mustRemove(t, s, q.ID)
	s.sweepAll(t)
	same(t, "notes once the project is gone", s.Rows(t, "notes"), 0)
	same(t, "its words", s.Rows(t, "decisions WHERE note <> '' OR objection <> '' OR code IS NOT NULL"), 0)
	same(t, "decisions", s.Rows(t, "decisions"), 2)
}
