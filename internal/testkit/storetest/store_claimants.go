package storetest

import (
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// named records an account with that unverified address and a project named after it.
func (s Stores) named(t *testing.T, handle, email string) sandlot.Account {
	t.Helper()
	na := newAccount(handle)
	na.Email = email
	a := s.mustAccount(t, na)
	must(s.Publish.CreateProject(t.Context(), newProject("of-"+handle, a.ID)))(t)
	return a
}

func takeOver(t *testing.T, s Stores) {
	kim := s.verified(t, "kim", "kim@example.com")
	must(s.Publish.CreateProject(t.Context(), newProject("own", kim.ID)))(t)
	from := s.named(t, "new", "KIM@example.com")
	np := newProject("gone", from.ID)
	must(s.Publish.CreateProject(t.Context(), np))(t)
	ok(t, s.Management.Trash(t.Context(), "gone", 0, entry(sandlot.ActionDelete, "gone")))
	before := s.change(t, "of-new")
	same(t, "those that were given the address", len(must(s.Accounts.Claimants(t.Context(), "kim@example.com", 9))(t)), 1)

	ok(t, s.Accounts.TakeOver(t.Context(), from.ID, kim.ID, "kim@example.com"))
	p := must(s.Publish.Project(t.Context(), "of-new"))(t)
	same(t, "its account", p.Account, kim.ID)
	same(t, "its handle", p.Handle, "kim")
	same(t, "verified", p.Verified, true)
	if after := s.change(t, "of-new"); after <= before {
		t.Errorf("its number of changes went from %d to %d", before, after)
	}
	same(t, "what the account has", must(s.Management.Usage(t.Context(), kim.ID, base()))(t).Projects, 2)
	same(t, "what the other has", must(s.Management.Usage(t.Context(), from.ID, base()))(t), publish.Quota{})
	for name, project := range map[string]sandlot.ProjectID{"key of project of-new": "of-new", "key of new": "of-new"} {
		k := must(s.Credentials.KeyByHash(t.Context(), sum(name)))(t)
		same(t, name, k.Account, kim.ID)
		same(t, name, k.Project, project)
	}
	same(t, "what is in the trash", len(must(s.Management.Trashed(t.Context(), publish.TrashQuery{Account: kim.ID, Limit: 9}))(t)), 1)
	wants(t, "again", s.Accounts.TakeOver(t.Context(), kim.ID, kim.ID, "kim@example.com"), sandlot.ErrNotFound)
	same(t, "left", len(must(s.Accounts.Claimants(t.Context(), "kim@example.com", 9))(t)), 0)
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
	wants(t, "a mailbox with a suspended account", s.Accounts.TakeOver(t.Context(), from.ID, kim.ID, "kim@example.com"), sandlot.ErrSuspended)
	same(t, "its project's account", must(s.Publish.Project(t.Context(), "of-from"))(t).Account, from.ID)
}

func disown(t *testing.T, s Stores) {
	from, kim := s.named(t, "from", "Kim@example.com"), s.verified(t, "kim", "kim@example.com")
	s.mustVerification(t, from, "token", base().Add(time.Hour))
	wants(t, "a verified account", s.Accounts.Disown(t.Context(), kim.ID, "kim@example.com"), sandlot.ErrNotFound)
	ok(t, s.Accounts.Disown(t.Context(), from.ID, "kim@example.com"))
	same(t, "its address", must(s.Publish.Account(t.Context(), from.ID))(t).Email, "")
	_, err := s.Accounts.Verification(t.Context(), sum("token"), base())
	wants(t, "its link", err, sandlot.ErrNotFound)
	wants(t, "again", s.Accounts.Disown(t.Context(), from.ID, "kim@example.com"), sandlot.ErrNotFound)
}
