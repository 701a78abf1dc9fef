package storetest

import (
	"slices"
	"testing"
	"time"

	"sandlot"
	owner "sandlot/internal/domain/account"
	"sandlot/internal/domain/cover"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/publish"
)

// change returns the change number of a project, and 0 for none.
func (s Stores) change(t *testing.T, id sandlot.ProjectID) int64 {
	t.Helper()
	return must(s.Publish.Changes(t.Context(), []sandlot.ProjectID{id}))(t)[id]
}

// numbers are the change numbers of all projects, and whose they are.
func (s Stores) numbers(t *testing.T) map[sandlot.ProjectID]sandlot.Project {
	t.Helper()
	all := map[sandlot.ProjectID]sandlot.Project{}
	for _, p := range must(s.Operate.ListProjects(t.Context(), operate.ProjectQuery{Limit: 99}))(t) {
		all[p.ID] = p.Project
	}
	return all
}

// saysWhatGrew takes a step, and fails the test unless its wrapper gets exactly the projects, or the account of exactly those, whose number grew.
func (s Stores) saysWhatGrew(t *testing.T, step string, do func() error) {
	t.Helper()
	before := s.numbers(t)
	s.observed.change()
	ok(t, do())
	changed, after := s.observed.change(), s.numbers(t)
	grew, said := map[sandlot.ProjectID]bool{}, map[sandlot.ProjectID]bool{}
	for id, p := range before {
		if now, there := after[id]; !there || now.Change > p.Change {
			grew[id] = true
		}
		if slices.Contains(changed.Projects, id) || changed.Account != 0 && p.Account == changed.Account {
			said[id] = true
		}
	}
	same(t, step+": the projects that it returns", said, grew)
	same(t, step+": whether any changed", len(grew) > 0, true)
}

func changesGrow(t *testing.T, s Stores) {
	a := withEmail(t, s, "kim")
	p := must(s.Publish.CreateProject(t.Context(), newProject("pong", a.ID)))(t)
	second := must(s.Publish.CreateProject(t.Context(), newProject("tetra", a.ID)))(t)
	last := s.mustProject(t, "another's").Account
	s.mustVerification(t, a, "token", base().Add(time.Hour))
	to, from := s.verified(t, "max", "max@example.com"), s.named(t, "guest", "max@example.com")
	s.guest(t, "anon")
	ctx, project, account, at := t.Context(), ofProject(p.ID), ofAccount(a.ID), entry(sandlot.ActionSuspend, "it")
	put, title := files("b.js", inline("b")), "Other"
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"Publish.PutFile", func() (err error) {
			p, err = s.Publish.PutFile(ctx, p.ID, file("a.js", inline("a")), edit(p))
			return err
		}},
		{"Publish.DeleteFile", func() (err error) {
			p, err = s.Publish.DeleteFile(ctx, p.ID, "a.js", edit(p))
			return err
		}},
		{"Management.Rearrange", func() (err error) {
			p, err = s.Management.Rearrange(ctx, p.ID, publish.Change{Put: put}, edit(p))
			return err
		}},
		{"Management.SetDetails", func() error {
			return s.Management.SetDetails(ctx, p.ID, publish.DetailsChange{Title: &title})
		}},
		{"Management.EraseVersion", func() error { return s.Management.EraseVersion(ctx, p.ID, 1, base()) }},
		{"Upkeep.Trim", func() error {
			_, _, err := s.Upkeep.Trim(ctx, 1, base().Add(time.Hour), 0, 99)
			return err
		}},
		{"Operate.Suspend", func() error { return s.Operate.Suspend(ctx, project, at) }},
		{"Operate.Reinstate", func() error { return s.Operate.Reinstate(ctx, project, at) }},
		{"Operate.Suspend", func() error { return s.Operate.Suspend(ctx, account, at) }},
		{"Operate.Reinstate", func() error { return s.Operate.Reinstate(ctx, account, at) }},
		{"Operate.Trust", func() error { return s.Holds.Trust(ctx, a.ID, false, at) }},
		{"Operate.Trust", func() error { return s.Holds.Trust(ctx, a.ID, true, at) }},
		{"Operate.Release", func() error {
			s.Hold(t, p.ID, sandlot.HeldReports)
			return s.Holds.Release(ctx, p.ID, base(), at)
		}},
		{"Accounts.Rename", func() error {
			return s.Accounts.Rename(ctx, a.ID, "kimberly", base(), base().Add(-time.Hour), 3)
		}},
		{"Accounts.UseVerification", func() error {
			return drop(s.Accounts.UseVerification(ctx, sum("token"), base(), 0))
		}},
		{"Accounts.TakeEmail", func() error {
			s.propose(t, a, "new@example.com", "link")
			return drop(s.Accounts.TakeEmail(ctx, token("link"), base(), base().Add(undoLife), sandlot.Job{Kind: "notice", Due: base()}, 0))
		}},
		{"Accounts.TakeEmailBack", func() error {
			must(s.Mail.AddEmailLink(ctx, token("back"), owner.EmailMove{Account: a.ID, Email: a.Email, Undo: true}, base()))(t)
			return drop(s.Accounts.TakeEmailBack(ctx, token("back"), base()))
		}},
		{"Accounts.TakeOver", func() error { return s.Accounts.TakeOver(ctx, from.ID, to.ID, "max@example.com") }},
		{"Connects.Connect", func() error { return s.connect(t, "anon", to.ID) }},
		{"Covers.Choose", func() error { return s.Covers.Choose(ctx, p.ID, cover.Automatic, "", nil, base()) }},
		{"Covers.Settle", func() error {
			due := must(s.Covers.Due(ctx, 0, 1))(t)
			tasks, lease, err := s.Covers.Lease(ctx, []int64{due[0].Number}, time.Minute)
			ok(t, err)
			return s.Covers.Settle(ctx, tasks[0], lease, cover.Settled{}, base())
		}},
		{"Covers.Portray", func() error { return s.Covers.Portray(ctx, a.ID, fresh("jkim"), base()) }},
		{"Management.Trash", func() error { return s.Management.Trash(ctx, p.ID, 0, at) }},
		{"Operate.Remove", func() error { return s.Operate.Remove(ctx, ofProject(second.ID), at) }},
		{"Accounts.Remove", func() error { return s.Accounts.Remove(ctx, ofAccount(last), at) }},
	} {
		s.saysWhatGrew(t, step.name, step.do)
	}
	before := s.trashed(t, p.ID)
	s.observed.change()
	ok(t, s.Management.TakeBack(ctx, p.ID, publish.Quota{}, at))
	same(t, "what is taken back", s.observed.change(), sandlot.Changed{Projects: []sandlot.ProjectID{p.ID}})
	same(t, "whether its number grew", s.change(t, p.ID) > before.Change, true)
}

func changesStay(t *testing.T, s Stores) {
	p, other := s.mustProject(t, "pong"), s.mustProject(t, "tetra")
	addCounts(t, s, map[sandlot.ProjectID]gallery.Counts{p.ID: {Plays: 3, Likes: 1, Batch: 1}})
	must(s.Gallery.Like(t.Context(), p.ID, sum("player"), true))(t)
	s.mustPut(t, other, file("a.js", inline("a")))
	ok(t, s.Operate.Suspend(t.Context(), ofAccount(other.Account), entry(sandlot.ActionSuspend, "@tetra")))
	same(t, "the number", s.change(t, p.ID), p.Change)
}
