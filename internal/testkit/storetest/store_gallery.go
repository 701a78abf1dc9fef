package storetest

import (
	"fmt"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/publish"
)

// verify proves the address of an account.
func (s Stores) verify(t *testing.T, a sandlot.AccountID) {
	t.Helper()
	address := fmt.Sprintf("owner-%d@example.com", a)
	ok(t, s.Publish.SetEmail(t.Context(), a, address, job(address, base()), 0))
	v := account.Verification{Token: sum(address), Account: a, Email: address, ExpiresAt: base().Add(time.Hour)}
	must(s.Mail.AddVerification(t.Context(), v))(t)
	must(s.Accounts.UseVerification(t.Context(), v.Token, base(), 0))(t)
}

// maker records an account with a verified address.
func (s Stores) maker(t *testing.T, handle string) sandlot.Account {
	t.Helper()
	a := s.mustAccount(t, newAccount(handle))
	s.verify(t, a.ID)
	return must(s.Publish.Account(t.Context(), a.ID))(t)
}

func (s Stores) titled(t *testing.T, id string, owner sandlot.AccountID, title string) sandlot.Project {
	t.Helper()
	np := newProject(id, owner)
	np.Title = title
	return must(s.Publish.CreateProject(t.Context(), np))(t)
}

// lists fails the test unless exactly these projects are found, in this order.
func (s Stores) lists(t *testing.T, what string, q gallery.ListedQuery, want ...sandlot.ProjectID) {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 99
	}
	var got []sandlot.ProjectID
	for _, l := range must(s.Gallery.Listed(t.Context(), q))(t) {
		got = append(got, l.ID)
	}
	same(t, what, got, want)
	if q.Account == 0 && q.Tag == "" && q.Before == 0 && q.Limit == 99 {
		var found []sandlot.ProjectID
		for _, n := range s.names(t, 0) {
			list := must(s.Gallery.Listed(t.Context(), gallery.ListedQuery{Numbers: []int64{n.Number}, Limit: 9}))(t)
			found = append([]sandlot.ProjectID{list[0].ID}, found...)
		}
		same(t, what+", as searches have them", found, want)
	}
}

// names are those that Named returns, page by page.
func (s Stores) names(t *testing.T, after int64) (all []gallery.Named) {
	t.Helper()
	for {
		list := must(s.Gallery.Named(t.Context(), after, 2))(t)
		if len(list) == 0 {
			return all
		}
		all, after = append(all, list...), list[len(list)-1].Number
	}
}

// tag has the owner of a project file it under other tags.
func (s Stores) tag(t *testing.T, id sandlot.ProjectID, tags sandlot.Tags) {
	t.Helper()
	ok(t, s.Management.SetDetails(t.Context(), id, publish.DetailsChange{Tags: &tags}))
	same(t, "the tags", must(s.Publish.Project(t.Context(), id))(t).Tags, tags)
}

func listedTagged(t *testing.T, s Stores) {
	kim := s.maker(t, "kim")
	for _, id := range []string{"one", "two"} {
		np := newProject(id, kim.ID)
		np.Tags = "puzzle cats"
		must(s.Publish.CreateProject(t.Context(), np))(t)
	}
	long := newProject("long", kim.ID)
	long.Files, long.Tags = append(long.Files, manyFiles("a", several, inline)...), "cats"
	must(s.Publish.CreateProject(t.Context(), long))(t)
	puzzle, cats := gallery.ListedQuery{Tag: "puzzle"}, gallery.ListedQuery{Tag: "cats"}
	list := must(s.Gallery.Listed(t.Context(), gallery.ListedQuery{Tag: "cats", Limit: 1}))(t)
	same(t, "the first", list[0].Project, must(s.Publish.Project(t.Context(), "long"))(t))
	s.lists(t, "those before it", gallery.ListedQuery{Tag: "cats", Before: list[0].Number}, "two", "one")
	s.lists(t, "a part of a tag", gallery.ListedQuery{Tag: "cat"})
	s.tag(t, "one", "cats rätsel 猫")
	s.lists(t, "when one has it no more", puzzle, "two")
	s.lists(t, "which it still has", cats, "long", "two", "one")
	s.lists(t, "of any script", gallery.ListedQuery{Tag: "猫"}, "one")
	s.Unlist(t, "one", true)
	s.lists(t, "when it is not listed", cats, "long", "two")
	s.tag(t, "one", "puzzle cats")
	s.lists(t, "nor then", puzzle, "two")
	s.Unlist(t, "one", false)
	s.lists(t, "when it is listed again", puzzle, "two", "one")
	yes, none := true, sandlot.Tags("")
	ok(t, s.Management.SetDetails(t.Context(), "one", publish.DetailsChange{Tags: &none, Unlisted: &yes}))
	no, some := false, sandlot.Tags("puzzle")
	ok(t, s.Management.SetDetails(t.Context(), "one", publish.DetailsChange{Tags: &some, Unlisted: &no}))
	s.lists(t, "when both were changed at once", puzzle, "two", "one")
	s.lists(t, "what it had before", cats, "long", "two")
	for _, subject := range []sandlot.Subject{ofProject("two"), ofAccount(kim.ID)} {
		want := []sandlot.ProjectID{"one"}
		if subject.Account != 0 {
			want = nil
		}
		ok(t, s.Operate.Suspend(t.Context(), subject, entry(sandlot.ActionSuspend, "it")))
		s.lists(t, "suspended", puzzle, want...)
		ok(t, s.Operate.Reinstate(t.Context(), subject, entry(sandlot.ActionReinstate, "it")))
		s.lists(t, "reinstated", puzzle, "two", "one")
	}
	ok(t, s.Operate.Remove(t.Context(), ofProject("two"), entry(sandlot.ActionDelete, "two")))
	s.lists(t, "when one is deleted", puzzle, "one")
	unverified := newProject("waits", s.mustAccount(t, newAccount("lee")).ID)
	unverified.Tags = "puzzle"
	must(s.Publish.CreateProject(t.Context(), unverified))(t)
	s.lists(t, "without an account that is verified", puzzle, "one")
	s.verify(t, unverified.Account)
	s.lists(t, "with it", puzzle, "waits", "one")
}

// relisted follows each change by the two lists of names, and compares its copy with all names.
func relisted(t *testing.T, s Stores) {
	kim, lee := s.maker(t, "kim"), s.mustAccount(t, newAccount("lee"))
	p := s.titled(t, "one", kim.ID, "Pong")
	s.titled(t, "two", kim.ID, "Ping")
	s.titled(t, "waits", lee.ID, "Pang")
	held, last, highest := map[int64]gallery.Named{}, int64(0), int64(0)
	follow := func(what string, changes bool) {
		t.Helper()
		list := must(s.Gallery.Relisted(t.Context(), last, 99))(t)
		same(t, what+" has a higher number", len(list) > 0 && list[0].Relisting > last, changes)
		for i, n := range list {
			if i > 0 && n.Relisting > list[i-1].Relisting {
				t.Errorf("%s: %d comes after %d", what, n.Relisting, list[i-1].Relisting)
			}
			last = max(last, n.Relisting)
		}
		for _, n := range append(list, s.names(t, highest)...) {
			highest = max(highest, n.Number)
			if held[n.Number] = n; !n.Listed {
				delete(held, n.Number)
			}
		}
		all := map[int64]gallery.Named{}
		for _, n := range s.names(t, 0) {
			all[n.Number] = n
		}
		same(t, what, held, all)
	}
	follow("at first", false)
	at, title := edit(p), "New name"
	at.Title = &title
	must(s.Publish.PutFile(t.Context(), "one", file("a.js", inline("a")), at))(t)
	follow("a title, by an edit", true)
	s.tag(t, "one", "role-playing rätsel")
	follow("tags", true)
	s.mustPut(t, must(s.Publish.Project(t.Context(), "two"))(t), file("a.js", inline("abc")))
	follow("a file", false)
	for _, unlisted := range []bool{true, false} {
		s.Unlist(t, "one", unlisted)
		follow(fmt.Sprint("unlisted: ", unlisted), true)
	}
	for _, subject := range []sandlot.Subject{ofProject("two"), ofAccount(kim.ID)} {
		ok(t, s.Operate.Suspend(t.Context(), subject, entry(sandlot.ActionSuspend, "it")))
		follow("suspended", true)
		ok(t, s.Operate.Reinstate(t.Context(), subject, entry(sandlot.ActionReinstate, "it")))
		follow("reinstated", true)
	}
	ok(t, s.Accounts.Rename(t.Context(), kim.ID, "toad-hall", base(), base().Add(-time.Hour), 9))
	follow("a handle", true)
	s.verify(t, lee.ID)
	follow("an address that was verified", true)
	s.titled(t, "three", kim.ID, "Pung")
	follow("a new one", false)
	same(t, "the last", must(s.Gallery.Relisted(t.Context(), 0, 1))(t)[0].Relisting, last)
	ok(t, s.Operate.Remove(t.Context(), ofProject("two"), entry(sandlot.ActionDelete, "two")))
	follow("deleted", true)
	ok(t, s.Operate.Remove(t.Context(), ofAccount(kim.ID), entry(sandlot.ActionDelete, "@kim")))
	follow("its account deleted", true)
}
