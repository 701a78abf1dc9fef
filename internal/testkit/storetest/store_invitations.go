package storetest

import (
	"fmt"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/publish"
)

// invited records an invitation that lives for an hour.
func (s Stores) invited(t *testing.T, token string, projects int) operate.Invitation {
	t.Helper()
	i := operate.Invitation{Projects: projects, By: "root", MadeAt: base(), ExpiresAt: base().Add(time.Hour)}
	e := entry(sandlot.ActionInvite, "")
	i.ID = must(s.Invitations.AddInvitation(t.Context(), sum(token), i, e))(t)
	e.Target = operate.InvitationName(i.ID)
	s.logged(t, e)
	return i
}

func addInvitation(t *testing.T, s Stores) {
	one := s.invited(t, "one", 3)
	two := s.invited(t, "two", 0)
	same(t, "the invitation of a token", must(s.Invitations.Invitation(t.Context(), sum("one")))(t), one)
	wants(t, "another token", drop(s.Invitations.Invitation(t.Context(), sum("three"))), sandlot.ErrNotFound)
	wants(t, "a token twice", drop(s.Invitations.AddInvitation(t.Context(), sum("one"), two, entry(sandlot.ActionInvite, ""))), sandlot.ErrExists)
	same(t, "the list", must(s.Invitations.Invitations(t.Context(), 0, 9))(t), []operate.Invitation{two, one})
	same(t, "the next page", must(s.Invitations.Invitations(t.Context(), two.ID, 9))(t), []operate.Invitation{one})
	e := entry(sandlot.ActionEndInvitation, operate.InvitationName(one.ID))
	ok(t, s.Invitations.EndInvitation(t.Context(), one.ID, e))
	s.logged(t, e)
	one.EndedAt = e.At
	same(t, "the ended one", must(s.Invitations.Invitation(t.Context(), sum("one")))(t), one)
	wants(t, "ending it again", s.Invitations.EndInvitation(t.Context(), one.ID, e), sandlot.ErrNotFound)
}

// join opens an account with an invitation.
func (s Stores) join(handle, token string, at time.Time) (sandlot.Account, error) {
	na := newAccount(handle)
	na.Key, na.CreatedAt = key("key of "+handle), at
	na.Join = &publish.Joining{
		Invitation: sum(token), Entry: sandlot.LogEntry{At: at, Actor: sandlot.ActorOwner, Action: sandlot.ActionJoin},
	}
	return s.Publish.CreateAccount(background(), na)
}

func joining(t *testing.T, s Stores) {
	i, at := s.invited(t, "token", 1), base()
	a := must(s.join("kim", "token", at))(t)
	same(t, "its limit", a.MostProjects, 1)
	same(t, "its limit as read", must(s.Publish.Account(t.Context(), a.ID))(t), a)
	s.logged(t, sandlot.LogEntry{
		At: at, Actor: sandlot.ActorOwner, Action: sandlot.ActionJoin, Target: "@kim", Reason: operate.InvitationName(i.ID),
	})
	i.UsedAt, i.Handle = at, "kim"
	same(t, "the invitation", must(s.Invitations.Invitation(t.Context(), sum("token")))(t), i)
	must(s.Publish.CreateProject(t.Context(), newProject("pong", a.ID)))(t)
	wants(t, "a project more", drop(s.Publish.CreateProject(t.Context(), newProject("tetra", a.ID))), sandlot.ErrTooManyProjects)

	s.invited(t, "old", 0)
	ended := s.invited(t, "ended", 0)
	ok(t, s.Invitations.EndInvitation(t.Context(), ended.ID, entry(sandlot.ActionEndInvitation, "")))
	for what, err := range map[string]error{
		"a used one":      drop(s.join("ann", "token", base())),
		"an expired one":  drop(s.join("ann", "old", base().Add(time.Hour))),
		"an ended one":    drop(s.join("ann", "ended", base())),
		"an unknown one":  drop(s.join("ann", "nothing", base())),
		"their account":   drop(s.Operate.AccountByHandle(t.Context(), "ann")),
		"ending a used":   s.Invitations.EndInvitation(t.Context(), i.ID, entry(sandlot.ActionEndInvitation, "")),
		"a key of theirs": drop(s.Credentials.KeyByHash(t.Context(), sum("key of ann"))),
	} {
		wants(t, what, err, sandlot.ErrNotFound)
	}
}

func joinRace(t *testing.T, s Stores) {
	s.invited(t, "token", 0)
	won := atOnce(t, 20, sandlot.ErrNotFound, func(i int) error {
		return drop(s.join(fmt.Sprint("kim-", i), "token", base()))
	})
	same(t, "accounts", won, 1)
	same(t, "accounts as listed", len(must(s.Operate.ListAccounts(t.Context(), 0, false, 20))(t)), 1)
}

func forgetInvitations(t *testing.T, s Stores) {
	one, now := s.invited(t, "one", 0), base().Add(time.Hour+operate.InvitationsKept)
	must(s.join("kim", "one", base()))(t)
	sweepAt(t, s, now.Add(-time.Second))
	same(t, "before", len(must(s.Invitations.Invitations(t.Context(), 0, 9))(t)), 1)
	sweepAt(t, s, now)
	wants(t, "after", drop(s.Invitations.Invitation(t.Context(), sum("one"))), sandlot.ErrNotFound)
	same(t, "the next has a number of its own", s.invited(t, "two", 0).ID > one.ID, true)
}

func setRole(t *testing.T, s Stores) {
	a := s.verified(t, "kim", "kim@example.com")
	e := entry(sandlot.ActionGrant, "@kim")
	ok(t, s.Operate.SetRole(t.Context(), a.ID, sandlot.OperatorRole, e))
	s.logged(t, e)
	same(t, "the role", must(s.Operate.AccountByHandle(t.Context(), "kim"))(t).Role, sandlot.OperatorRole)
	wants(t, "the same again", s.Operate.SetRole(t.Context(), a.ID, sandlot.OperatorRole, e), sandlot.ErrExists)
	wants(t, "of nobody", s.Operate.SetRole(t.Context(), a.ID+1, sandlot.OperatorRole, e), sandlot.ErrNotFound)
	must(s.Accounts.AddSession(t.Context(), sum("token"), sandlot.Session{Account: a.ID, ExpiresAt: base().Add(time.Hour)}))(t)
	_, in, err := s.Credentials.Session(t.Context(), sum("token"), base())
	ok(t, err)
	same(t, "the role in a session", in.Role, sandlot.OperatorRole)
	ok(t, s.Operate.SetRole(t.Context(), a.ID, sandlot.NoRole, e))
	_, in, err = s.Credentials.Session(t.Context(), sum("token"), base())
	ok(t, err)
	same(t, "the role in the session then", in.Role, sandlot.NoRole)
}

func feature(t *testing.T, s Stores) {
	a := s.verified(t, "kim", "kim@example.com")
	for _, id := range []string{"one", "two"} {
		must(s.Publish.CreateProject(t.Context(), newProject(id, a.ID)))(t)
	}
	featured := func() error { return drop(s.Gallery.Featured(t.Context())) }
	e := entry(sandlot.ActionFeature, "two")
	wants(t, "at first", featured(), sandlot.ErrNotFound)
	wants(t, "none where none is", s.Operate.Feature(t.Context(), "", e), sandlot.ErrExists)
	ok(t, s.Operate.Feature(t.Context(), "one", e))
	ok(t, s.Operate.Feature(t.Context(), "two", e))
	s.logged(t, e)
	same(t, "the project", must(s.Gallery.Featured(t.Context()))(t), "two")
	wants(t, "the same again", s.Operate.Feature(t.Context(), "two", e), sandlot.ErrExists)
	wants(t, "a missing one", s.Operate.Feature(t.Context(), "three", e), sandlot.ErrNotFound)

	ok(t, s.Operate.Suspend(t.Context(), ofProject("two"), entry(sandlot.ActionSuspend, "two")))
	wants(t, "suspended", featured(), sandlot.ErrNotFound)
	ok(t, s.Operate.Reinstate(t.Context(), ofProject("two"), entry(sandlot.ActionReinstate, "two")))
	ok(t, featured())
	s.Unlist(t, "two", true)
	wants(t, "hidden by its owner", featured(), sandlot.ErrNotFound)
	s.Unlist(t, "two", false)
	mustRemove(t, s, "two")
	wants(t, "deleted", featured(), sandlot.ErrNotFound)
	ok(t, s.Operate.Feature(t.Context(), "", e))
}

// person is one of a provider.
func person(subject string) account.Identity {
	return account.Identity{Issuer: "https://id.example.com", Subject: subject}
}

func openAccount(t *testing.T, s Stores) {
	n := account.NewPerson{Handles: []string{"kim"}, Email: "kim@example.com", EmailVerified: true, Lang: "fr", CreatedAt: base()}
	a := must(s.Identities.OpenAccount(t.Context(), person("1"), n))(t)
	same(t, "the account", must(s.Publish.Account(t.Context(), a.ID))(t), a)
	same(t, "the account of its identity", must(s.Identities.AccountOfIdentity(t.Context(), person("1")))(t), a)
	same(t, "of its address", must(s.Identities.AccountsOf(t.Context(), "kim@example.com", 9))(t), []sandlot.Account{a})
	wants(t, "another identity", drop(s.Identities.AccountOfIdentity(t.Context(), person("2"))), sandlot.ErrNotFound)
	wants(t, "the handle again", drop(s.Identities.OpenAccount(t.Context(), person("2"), n)), sandlot.ErrExists)
	won := atOnce(t, 20, sandlot.ErrExists, func(i int) error {
		n := account.NewPerson{Handles: []string{fmt.Sprint("ann-", i)}, CreatedAt: base()}
		return drop(s.Identities.OpenAccount(background(), person("3"), n))
	})
	same(t, "accounts of one identity", won, 1)
	ok(t, s.Operate.Suspend(t.Context(), ofAccount(a.ID), entry(sandlot.ActionSuspend, "@kim")))
	n.Handles = []string{"kim-2"}
	wants(t, "the address of a suspended account", drop(s.Identities.OpenAccount(t.Context(), person("4"), n)), sandlot.ErrSuspended)
	ok(t, s.Operate.Remove(t.Context(), ofAccount(a.ID), entry(sandlot.ActionDelete, "@kim")))
	wants(t, "of a deleted account", drop(s.Identities.AccountOfIdentity(t.Context(), person("1"))), sandlot.ErrNotFound)
}

func linkIdentity(t *testing.T, s Stores) {
	kim := s.verified(t, "kim", "kim@example.com")
	ann := must(s.Publish.CreateAccount(t.Context(), newAccount("ann")))(t)
	link := func(i account.Identity, id sandlot.AccountID, email string) error {
		return s.Identities.LinkIdentity(t.Context(), i, id, email, base())
	}
	wants(t, "another address", link(person("1"), kim.ID, "other@example.com"), sandlot.ErrNotFound)
	wants(t, "an address that is not verified", link(person("1"), ann.ID, ann.Email), sandlot.ErrNotFound)
	ok(t, link(person("1"), kim.ID, "kim@example.com"))
	same(t, "the account", must(s.Identities.AccountOfIdentity(t.Context(), person("1")))(t).ID, kim.ID)
	wants(t, "a second time", link(person("1"), kim.ID, "kim@example.com"), sandlot.ErrExists)
	ok(t, link(person("2"), kim.ID, "kim@example.com"))
}
