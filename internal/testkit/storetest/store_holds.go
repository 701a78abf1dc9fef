package storetest

import (
	"fmt"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/publish"
)

func holdCases() []storeCase {
	return []storeCase{
		{"Screened/a version begins a hold of the rule fields, and the next one without such fields ends it", holdsByVersion},
		{"Screened/a version of an account that is verified or trusted begins no hold", holdsNoVerified},
		{"Screened/RecoverProject and Rearrange begin and end a hold, too", holdsElsewhere},
		{"Screened/a version ends no hold of another rule", holdsOtherRule},
		{"hold/a held project is in no list, and comes into the lists with the end of the hold", heldUnlisted},
		{"UseVerification/ends the holds of the rule fields of all projects of the account in its step", verifyEnds},
		{"TakeEmail/ends them, too", takeEmailEnds},
		{"Connect/and TakeOver end those of the projects that come to the account", endsWithNewOwner},
		{"Trust/an account counts as verified, but its address does not", trusts},
		{"Trust/a trusted account is ErrExists, the end for one that is not trusted ErrMoved", trustTwice},
		{"Release/ends the hold of a project with its entry; one that is not held is ErrMoved", releases},
		{"ListProjects/returns held projects alone", listHeld},
		{"LastHold/returns the last hold that has ended; of a project that is held or never was it is ErrNotFound", lastHold},
		{"ViewHeld/a version has so many networks, and any further one is ErrTooOften, until Sweep forgets them", viewsHeld},
		{"ViewHeld/of 20 networks at once so many view it", viewsHeldAtOnce},
	}
}

// mustHold records a project that is held by the rule fields.
func mustHold(t *testing.T, s Stores, id string, owner sandlot.AccountID) sandlot.Project {
	t.Helper()
	np := newProject(id, owner)
	np.Hold = sandlot.HeldFields
	p := must(s.Publish.CreateProject(t.Context(), np))(t)
	isHeld(t, s, "a new project", p.ID, sandlot.HeldFields)
	return p
}

// isHeld fails the test unless the project is held by the rule, and its record is equal to the result of the step.
func isHeld(t *testing.T, s Stores, what string, id sandlot.ProjectID, rule sandlot.Rule) {
	t.Helper()
	p := must(s.Publish.Project(t.Context(), id))(t)
	same(t, "the rule of "+what, p.Held.Rule, rule)
	same(t, "whether it has a time", !p.Held.At.IsZero(), rule != sandlot.NotHeld)
}

// holding is the next edit of p with that hold.
func holding(p sandlot.Project, rule sandlot.Rule) publish.Edit {
	at := edit(p)
	at.Hold = rule
	return at
}

func holdsByVersion(t *testing.T, s Stores) {
	p := mustHold(t, s, "pong", s.mustAccount(t, newAccount("kim")).ID)
	before := s.change(t, p.ID)
	p = must(s.Publish.PutFile(t.Context(), p.ID, file("a.html", inline("a")), holding(p, sandlot.HeldFields)))(t)
	same(t, "as it was returned", p.Held, must(s.Publish.Project(t.Context(), p.ID))(t).Held)
	isHeld(t, s, "the second version", p.ID, sandlot.HeldFields)
	p = must(s.Publish.DeleteFile(t.Context(), p.ID, "a.html", edit(p)))(t)
	same(t, "as it was returned", p.Held, sandlot.Hold{})
	isHeld(t, s, "a version without fields", p.ID, sandlot.NotHeld)
	p = must(s.Publish.PutFile(t.Context(), p.ID, file("b.html", inline("b")), holding(p, sandlot.HeldFields)))(t)
	isHeld(t, s, "one with fields again", p.ID, sandlot.HeldFields)
	same(t, "whether the number grew each time", s.change(t, p.ID) >= before+3, true)
}

func holdsNoVerified(t *testing.T, s Stores) {
	maker, trusted := s.maker(t, "kim"), s.mustAccount(t, newAccount("lee"))
	ok(t, s.Holds.Trust(t.Context(), trusted.ID, false, entry(sandlot.ActionTrust, "@lee")))
	for i, owner := range []sandlot.AccountID{maker.ID, trusted.ID} {
		np := newProject(fmt.Sprint("pong-", i), owner)
		np.Hold = sandlot.HeldFields
		p := must(s.Publish.CreateProject(t.Context(), np))(t)
		isHeld(t, s, "a new project", p.ID, sandlot.NotHeld)
		must(s.Publish.PutFile(t.Context(), p.ID, file("a.html", inline("a")), holding(p, sandlot.HeldFields)))(t)
		isHeld(t, s, "its next version", p.ID, sandlot.NotHeld)
	}
}

func holdsElsewhere(t *testing.T, s Stores) {
	p := mustHold(t, s, "pong", s.mustAccount(t, newAccount("kim")).ID)
	change := publish.Change{Put: files("a.html", inline("a"))}
	p = must(s.Management.Rearrange(t.Context(), p.ID, change, edit(p)))(t)
	isHeld(t, s, "a rearranged version", p.ID, sandlot.NotHeld)
	np := newProject("pong", p.Account)
	np.Hold = sandlot.HeldFields
	p = must(s.Management.RecoverProject(t.Context(), np))(t)
	same(t, "as it was returned", p.Held.Rule, sandlot.HeldFields)
	isHeld(t, s, "a recovered project", p.ID, sandlot.HeldFields)
}

func holdsOtherRule(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	s.Hold(t, p.ID, sandlot.HeldReports)
	p = must(s.Publish.PutFile(t.Context(), p.ID, file("a.html", inline("a")), holding(p, sandlot.HeldFields)))(t)
	isHeld(t, s, "a version with fields", p.ID, sandlot.HeldReports)
	must(s.Publish.PutFile(t.Context(), p.ID, file("a.html", inline("b")), edit(p)))(t)
	isHeld(t, s, "a version without", p.ID, sandlot.HeldReports)
	s.verify(t, p.Account)
	isHeld(t, s, "a project of a verified account", p.ID, sandlot.HeldReports)
}

func heldUnlisted(t *testing.T, s Stores) {
	a := s.maker(t, "kim")
	p := s.titled(t, "pong", a.ID, "Pong")
	s.lists(t, "before", gallery.ListedQuery{}, p.ID)
	s.Hold(t, p.ID, sandlot.HeldModerator)
	s.lists(t, "held", gallery.ListedQuery{})
	ok(t, s.Accounts.Rename(t.Context(), a.ID, "kimberly", base(), base().Add(-time.Hour), 3))
	s.lists(t, "held, after its account was renamed", gallery.ListedQuery{})
	ok(t, s.Holds.Release(t.Context(), p.ID, base(), entry(sandlot.ActionRelease, "pong")))
	s.lists(t, "released", gallery.ListedQuery{}, p.ID)
	guest := mustHold(t, s, "tetra", s.mustAccount(t, newAccount("lee")).ID)
	s.lists(t, "with one by the rule fields", gallery.ListedQuery{}, p.ID)
	s.verify(t, guest.Account)
	s.lists(t, "verified", gallery.ListedQuery{}, guest.ID, p.ID)
}

func verifyEnds(t *testing.T, s Stores) {
	a := s.mustAccount(t, newAccount("kim"))
	one, two := mustHold(t, s, "one", a.ID), mustHold(t, s, "two", a.ID)
	other := mustHold(t, s, "other", s.mustAccount(t, newAccount("lee")).ID)
	before := s.change(t, one.ID)
	s.verify(t, a.ID)
	isHeld(t, s, "the first", one.ID, sandlot.NotHeld)
	isHeld(t, s, "the second", two.ID, sandlot.NotHeld)
	isHeld(t, s, "another's", other.ID, sandlot.HeldFields)
	same(t, "whether the number grew", s.change(t, one.ID) > before, true)
	last := must(s.Management.LastHold(t.Context(), one.ID))(t)
	same(t, "the last hold", last.Rule, sandlot.HeldFields)
	same(t, "whether it ended now", base().Sub(last.Ended).Abs() < time.Minute, true)
}

func takeEmailEnds(t *testing.T, s Stores) {
	a := withEmail(t, s, "kim")
	p := mustHold(t, s, "pong", a.ID)
	s.propose(t, a, "new@example.com", "link")
	must(s.Accounts.TakeEmail(t.Context(), token("link"), base(), base().Add(undoLife), sandlot.Job{Kind: "notice", Due: base()}, 0))(t)
	isHeld(t, s, "it", p.ID, sandlot.NotHeld)
}

func endsWithNewOwner(t *testing.T, s Stores) {
	to := s.verified(t, "kim", "kim@example.com")
	guest := s.guest(t, "guest")
	one := mustHold(t, s, "one", guest.Account)
	ok(t, s.connect(t, "guest", to.ID))
	isHeld(t, s, "a connected project", one.ID, sandlot.NotHeld)
	na := newAccount("lee")
	na.Email = "kim@example.com"
	two := mustHold(t, s, "two", s.mustAccount(t, na).ID)
	ok(t, s.Accounts.TakeOver(t.Context(), two.Account, to.ID, "kim@example.com"))
	isHeld(t, s, "one that was taken over", two.ID, sandlot.NotHeld)
}

func trusts(t *testing.T, s Stores) {
	p := mustHold(t, s, "pong", s.mustAccount(t, newAccount("kim")).ID)
	e := entry(sandlot.ActionTrust, "@kim")
	before := s.change(t, p.ID)
	ok(t, s.Holds.Trust(t.Context(), p.Account, false, e))
	s.logged(t, e)
	got := must(s.Publish.Project(t.Context(), p.ID))(t)
	same(t, "verified, and held", []any{got.Verified, got.Held}, []any{true, sandlot.Hold{}})
	same(t, "whether the number grew", s.change(t, p.ID) > before, true)
	a := must(s.Publish.Account(t.Context(), p.Account))(t)
	same(t, "its address, and itself", []bool{a.EmailVerified, a.Trusted}, []bool{false, true})
	s.lists(t, "lists", gallery.ListedQuery{}, p.ID)
	ok(t, s.Publish.SetEmail(t.Context(), a.ID, "kim@example.com", job("kim@example.com", base()), 0)) // as of any unverified one
	at := edit(p)
	at.Email = &publish.NewEmail{Address: "new@example.com", Job: job("new@example.com", base())}
	must(s.Publish.PutFile(t.Context(), p.ID, file("a.js", inline("a")), at))(t)
	detail := must(s.Operate.AccountByHandle(t.Context(), "kim"))(t)
	same(t, "since when", detail.TrustedAt, e.At)
	ok(t, s.Holds.Trust(t.Context(), p.Account, true, entry(sandlot.ActionEndTrust, "@kim")))
	got = must(s.Publish.Project(t.Context(), p.ID))(t)
	same(t, "after its end", got.Verified, false)
	s.lists(t, "lists after its end", gallery.ListedQuery{})
}

func trustTwice(t *testing.T, s Stores) {
	a := s.mustAccount(t, newAccount("kim"))
	e := entry(sandlot.ActionTrust, "@kim")
	wants(t, "an end of nothing", s.Holds.Trust(t.Context(), a.ID, true, e), sandlot.ErrMoved)
	ok(t, s.Holds.Trust(t.Context(), a.ID, false, e))
	wants(t, "again", s.Holds.Trust(t.Context(), a.ID, false, e), sandlot.ErrExists)
	wants(t, "nobody", s.Holds.Trust(t.Context(), 99, false, e), sandlot.ErrNotFound)
}

func releases(t *testing.T, s Stores) {
	p := mustHold(t, s, "pong", s.mustAccount(t, newAccount("kim")).ID)
	e := entry(sandlot.ActionRelease, "pong")
	before := s.change(t, p.ID)
	ok(t, s.Holds.Release(t.Context(), p.ID, base().Add(operate.Immunity), e))
	s.logged(t, e)
	isHeld(t, s, "it", p.ID, sandlot.NotHeld)
	same(t, "whether the number grew", s.change(t, p.ID) > before, true)
	wants(t, "again", s.Holds.Release(t.Context(), p.ID, base(), e), sandlot.ErrMoved)
	wants(t, "nothing", s.Holds.Release(t.Context(), "nothing", base(), e), sandlot.ErrNotFound)
}

func listHeld(t *testing.T, s Stores) {
	a := s.mustAccount(t, newAccount("kim"))
	must(s.Publish.CreateProject(t.Context(), newProject("one", a.ID)))(t)
	two := mustHold(t, s, "two", a.ID)
	list := must(s.Operate.ListProjects(t.Context(), operate.ProjectQuery{Held: true, Limit: 9}))(t)
	same(t, "how many", len(list), 1)
	same(t, "which", list[0].ID, two.ID)
}

func lastHold(t *testing.T, s Stores) {
	p := mustHold(t, s, "pong", s.mustAccount(t, newAccount("kim")).ID)
	wants(t, "while it lasts", drop(s.Management.LastHold(t.Context(), p.ID)), sandlot.ErrNotFound)
	wants(t, "never", drop(s.Management.LastHold(t.Context(), s.mustProject(t, "other").ID)), sandlot.ErrNotFound)
	p = must(s.Publish.PutFile(t.Context(), p.ID, file("a.js", inline("a")), edit(p)))(t)
	last := must(s.Management.LastHold(t.Context(), p.ID))(t)
	same(t, "the rule", last.Rule, sandlot.HeldFields)
	same(t, "its end", last.Ended, p.UpdatedAt)
}

// view is a view of version 1 of a project by a network.
func view(s Stores, id sandlot.ProjectID, network string, at time.Time) error {
	return s.Management.ViewHeld(background(), publish.HeldView{Project: id, Version: 1, Network: sum(network), Most: 3, At: at})
}

func viewsHeld(t *testing.T, s Stores) {
	p := mustHold(t, s, "pong", s.mustAccount(t, newAccount("kim")).ID)
	for _, network := range []string{"a", "b", "c", "a", "b", "c"} {
		ok(t, view(s, p.ID, network, base()))
	}
	wants(t, "a fourth", view(s, p.ID, "d", base()), sandlot.ErrTooOften)
	ok(t, view(s, p.ID, "a", base()))
	wants(t, "of nothing", view(s, "nothing", "a", base()), sandlot.ErrNotFound)
	sweptAt(t, s, base().Add(publish.HeldKept-time.Minute))
	same(t, "kept", s.Rows(t, "held_views"), 3)
	sweptAt(t, s, base().Add(publish.HeldKept+time.Minute))
	same(t, "kept afterwards", s.Rows(t, "held_views"), 0)
	ok(t, view(s, p.ID, "d", base()))
}

func viewsHeldAtOnce(t *testing.T, s Stores) {
	p := mustHold(t, s, "pong", s.mustAccount(t, newAccount("kim")).ID)
	same(t, "views", atOnce(t, 20, sandlot.ErrTooOften, func(i int) error { return view(s, p.ID, fmt.Sprint(i), base()) }), 3)
}
